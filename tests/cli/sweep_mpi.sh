#!/bin/sh
# mbsens sweep under mpirun: the same bytes as one process, whatever number of ranks; a rank that dies ends the job, and a
# restart goes on; ranks that do not agree are told. Searches from several starts, likewise. Skipped where MPI is not
# built in, or there is no mpirun.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
"$command" --version | grep -q '^with MPI' && command -v mpirun >/dev/null || exit 77
# one machine, without network or ssh, more ranks than cores, as root in containers
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_hwloc_base_binding_policy=none TMPDIR=/tmp
# what MPI keeps until the end is no leak of ours
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
sweep="sweep $model --end 0.2 --objective psi1,psi2 --vary Ls1=normal(Ls1,0.1) --vary mA1=uniform(0.9,1.1)"

# ranks COUNT ARGUMENTS...: as run, under mpirun
ranks() {
  called="(mpirun) $*"
  count=$1
  shift
  mpirun -n $count "$command" "$@" >"$folder/out" 2>"$folder/err"
  status=$?
}

exits 0 $sweep --samples 200 --threads 1 -o "$folder/one.csv"
for count in 2 5; do
  ranks $count $sweep --samples 200 -o "$folder/many.csv"
  [ $status -eq 0 ] || fail "expected exit status 0 of $count ranks"
  cmp -s "$folder/one.csv" "$folder/many.csv" || fail "$count ranks give other results than one process"
  prints '^five-bar linkage: 200 samples'
  [ "$(grep -c 'samples, plan' "$folder/out")" -eq 1 ] || fail 'one rank prints'
done
ranks 2 $sweep --samples 200 --threads 2 -o "$folder/many.csv"
cmp -s "$folder/one.csv" "$folder/many.csv" || fail 'ranks with threads give other results'
# hardly more samples than ranks, and some that fail, from any rank
(
  echo d
  for i in 1 -1 2 -1 3 -1 4 -1; do echo $i; done
) >"$folder/list.csv"
ranks 3 sweep tests/models/sweep.yaml --objective fall --list "$folder/list.csv"
prints '8 samples, plan list; 4 failed'
[ "$(grep -c '^mbsens: sample [2468] failed: .*mass' "$folder/err")" -eq 4 ] || fail 'failures of all ranks are told, once'

# ---- a rank dies in the middle: the job ends, what was done stays ----
called=$sweep
exits 0 $sweep --samples 4000 --threads 2 -o "$folder/one.csv"
mpirun -n 3 "$command" $sweep --samples 4000 -o "$folder/killed.csv" >"$folder/out" 2>"$folder/err" &
job=$!
tries=0
while [ "$(cat "$folder/killed.csv.journal" 2>/dev/null | wc -c)" -lt 2000 ] && [ $tries -lt 200 ]; do
  sleep 0.02
  tries=$((tries + 1))
done
# the last of the three
victim=$(pgrep -f "$folder/killed.csv" | while read -r id; do
  [ "$(tr '\0' '\n' <"/proc/$id/environ" 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')" = 2 ] && echo "$id"
done)
[ -n "$victim" ] && kill -9 $victim
wait $job
status=$?
[ $status -ne 0 ] || fail 'a job whose rank was killed has not succeeded'
[ -e "$folder/killed.csv.journal" ] && [ ! -e "$folder/killed.csv" ] || fail 'a dead rank leaves the journal, and no file'
ranks 2 $sweep --samples 4000 -o "$folder/killed.csv"
[ $status -eq 0 ] || fail 'the restart succeeds'
grep -q 'killed.csv.journal has [1-9][0-9]* of 4001 samples: going on' "$folder/err" || fail 'the restart goes on'
cmp -s "$folder/one.csv" "$folder/killed.csv" || fail 'after a dead rank and a restart the results are others'

# ---- mistakes: told once ----
ranks 3 $sweep --samples 5 --vary Ls3=1,2
[ $status -eq 2 ] && [ "$(grep -c 'did you mean' "$folder/err")" -eq 1 ] || fail 'a mistake is told once'
# rank 1 has another model
cp $model "$folder/five_bar.yaml"
sed 's/^name:.*/name: another/' $model >"$folder/other.yaml"
mpirun -n 1 "$command" sweep "$folder/five_bar.yaml" --end 0.1 --vary Ls1=1,2 : \
  -n 1 "$command" sweep "$folder/other.yaml" --end 0.1 --vary Ls1=1,2 >"$folder/out" 2>"$folder/err"
status=$?
[ $status -eq 2 ] && grep -q 'rank 1 reads another model than rank 0' "$folder/err" || fail 'ranks that do not agree are told'

# ---- starts of a search ----
search='optimize models/designs/bounce_into_basket.yaml --step 0.02 --starts 5'
exits 0 $search --json
tail -n 1 "$folder/out" >"$folder/one"
ranks 3 $search --json --state "$folder/state"
[ $status -eq 0 ] && [ "$(wc -l <"$folder/out")" -eq 6 ] || fail 'a line for each start, and a last one'
tail -n 1 "$folder/out" | cmp -s - "$folder/one" || fail 'ranks find another design than one process'
ranks 2 $search --json --state "$folder/state"
grep -q 'has 5 of 5 starts: going on' "$folder/err" || fail 'the restart of a search goes on'
tail -n 1 "$folder/out" | cmp -s - "$folder/one" || fail 'the restart finds another design'
ranks 2 optimize $model --objective psi1 --wrt Ls1 --end 0.1
[ $status -eq 2 ] && [ "$(grep -c 'give --starts' "$folder/err")" -eq 1 ] || fail 'several ranks for one start'
checks=$((checks + 17))
done_well

#!/bin/sh
# mbsens sweep: samples are runs like any other, the same bits for any number of threads, in any order and after any
# interruption; what fails is a sample that says so; mistakes are told.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--end 0.1 --objective psi1,psi2'
two='--vary Ls1=normal(Ls1,0.1) --vary mA1=uniform(0.9,1.1)'
csv=$folder/out.csv

# ---- a grid: the last one varies fastest; values and gradients are those of gradient --set ----
exits 0 sweep $model $short --vary Ls1=2:2.5:3 --vary mA1=1,1.2 --wrt Ls1,Ls2 --penalty 1e9 -o "$csv"
prints '6 samples, plan grid; 0 failed'
head -1 "$csv" | grep -qx 'sample,Ls1,mA1,psi1,psi2,d(psi1)/d(Ls1),d(psi1)/d(Ls2),d(psi2)/d(Ls1),d(psi2)/d(Ls2)' ||
  fail 'other columns were expected'
rows=$(tail -n +2 "$csv" | cut -d, -f1-3 | awk -F, -v OFS=, '{ $3 = $3 + 0 } 1' | tr '\n' ' ')
[ "$rows" = '1,2,1 2,2,1.2 3,2.25,1 4,2.25,1.2 5,2.5,1 6,2.5,1.2 ' ] || fail "another grid was expected: $rows"
exits 0 gradient $model $short --set Ls1=2.25 --set mA1=1.2 --wrt Ls1,Ls2 --penalty 1e9 --json
sed -n 's/.*"psi2": {"value": \([^,]*\), "gradient": {"Ls1": \([^,]*\), "Ls2": \([^}]*\)}.*/\1 \2 \3/p' "$folder/out" >"$folder/numbers"
sed -n 5p "$csv" | cut -d, -f5,8,9 | tr , ' ' | cat - "$folder/numbers" | awk '
  NR == 1 { for (i = 1; i <= 3; ++i) { mine[i] = $i } }
  NR == 2 { for (i = 1; i <= 3; ++i) { if ((mine[i] - $i) ^ 2 > (1e-9 * $i) ^ 2 || $i == 0) { exit 1 } } seen = 1 }
  END { exit !seen }' || fail 'a sample is not what gradient gives'

# ---- any number of threads, any order ----
exits 0 sweep $model $short $two --samples 60 --threads 1 -o "$csv"
for threads in 2 5; do
  exits 0 sweep $model $short $two --samples 60 --threads $threads -o "$folder/again.csv"
  cmp -s "$csv" "$folder/again.csv" || fail "$threads threads give other results than one"
done
# masses far apart, for which other pivots are chosen: those of the samples before must not count
(
  echo Ls1,mA1
  for i in 1 2 3 4 5 6; do
    echo "2.$i,1e$((2 * i - 7))"
  done
) >"$folder/list.csv"
{ head -1 "$folder/list.csv"; tail -n +2 "$folder/list.csv" | sed '1!G;h;$!d'; } >"$folder/reversed.csv"
for how in '' '--coordinates relative' '--formulation matrix-r' '--method adjoint --integrator radau-5'; do
  exits 0 sweep $model $short $how --list "$folder/list.csv" --threads 1 -o "$folder/there.csv"
  exits 0 sweep $model $short $how --list "$folder/reversed.csv" --threads 1 -o "$folder/back.csv"
  tail -n +2 "$folder/back.csv" | cut -d, -f2- | sed '1!G;h;$!d' >"$folder/turned"
  tail -n +2 "$folder/there.csv" | cut -d, -f2- | cmp -s - "$folder/turned" || fail "the order of samples counts ($how)"
done

# ---- another seed, other numbers; other plans ----
exits 0 sweep $model $short $two --samples 60 --seed 2 --method none -o "$folder/again.csv"
cut -d, -f2 "$csv" | cmp -s - "$folder/again.csv" && fail 'the seed does not count'
for plan in latin-hypercube sobol saltelli; do
  exits 0 sweep $model $short $two --plan $plan --samples 4 --method none --json
  prints "\"plan\": \"$plan\""
done
prints '"count": 16'
# the distributions of the model, or two bounds
exits 0 sweep tests/models/sweep.yaml --samples 3 --method none -o "$csv"
head -1 "$csv" | grep -qx 'sample,x1,x2,x3,a,b,ishigami,linear,fall' || fail 'parameters with a distribution vary'

# ---- samples that fail ----
printf 'd\n1\n-1\n2\n' >"$folder/list.csv"
exits 0 sweep tests/models/sweep.yaml --objective fall --list "$folder/list.csv" -o "$csv"
prints '3 samples, plan list; 1 failed'
grep -q 'sample 2 failed: .*mass' "$folder/err" || fail 'why a sample failed is told'
[ "$(sed -n 3p "$csv")" = '2,-1,,' ] || fail 'a sample that failed is empty'
exits 0 sweep tests/models/sweep.yaml --objective fall --list "$folder/list.csv" --json
prints '"failure": ".*mass'
printf 'd\n-1\n-2\n' >"$folder/list.csv"
exits 3 sweep tests/models/sweep.yaml --list "$folder/list.csv" -o "$folder/none.csv"
grep -q 'every sample failed, the first: .*mass' "$folder/err" || fail 'why all failed is told'
[ ! -e "$folder/none.csv" ] && [ ! -e "$folder/none.csv.journal" ] || fail 'nothing came out, and nothing is left'

# ---- stopped at any moment: what is done stays, the same command goes on, results are the same bits ----
long="sweep $model --end 0.5 $two --samples 300 --threads 2"
exits 0 $long -o "$csv"
exits 0 $long -o "$folder/killed.csv"
for pause in 0.03 0.06 0.1; do
  rm -f "$folder/killed.csv"
  called=$long
  "$command" $long -o "$folder/killed.csv" >/dev/null 2>&1 &
  victim=$!
  sleep $pause
  kill -9 $victim 2>/dev/null
  wait $victim 2>/dev/null
  [ ! -e "$folder/killed.csv" ] || cmp -s "$csv" "$folder/killed.csv" || fail 'a file is whole or absent'
done
[ -e "$folder/killed.csv" ] || exits 0 $long -o "$folder/killed.csv" --json
cmp -s "$csv" "$folder/killed.csv" || fail 'what goes on after kills gives other results'
[ ! -e "$folder/killed.csv.journal" ] || fail 'a journal is left'
rm -f "$folder"/*partial*
# a journal that is cut in a record and followed by nonsense: whole records count
"$command" $long -o "$folder/killed.csv" --threads 1 >/dev/null 2>&1 &
victim=$!
rm -f "$folder/killed.csv"
sleep 0.15
kill -9 $victim 2>/dev/null
wait $victim 2>/dev/null
if [ -e "$folder/killed.csv.journal" ]; then
  size=$(wc -c <"$folder/killed.csv.journal")
  head -c $((size - size / 3)) "$folder/killed.csv.journal" >"$folder/cut"
  printf 'nonsense, longer than a record would be, and then some more of it' >>"$folder/cut"
  cp "$folder/cut" "$folder/killed.csv.journal"
  complains 'is of another sweep' sweep $model --end 0.5 $two --samples 301 -o "$folder/killed.csv"
  exits 0 $long -o "$folder/killed.csv"
  grep -q 'samples: going on' "$folder/err" || fail 'it should have gone on'
  cmp -s "$csv" "$folder/killed.csv" || fail 'a journal that was cut gives other results'
fi
echo 'something else, of some length: no journal at all' >"$folder/new.csv.journal"
complains 'is no journal of a sweep' sweep $model $short $two --samples 5 -o "$folder/new.csv"
# a signal: told, and what is done stays
rm -f "$folder/killed.csv"
rm -f "$folder/killed.csv.journal"
called=$long
"$command" $long --end 100 -o "$folder/killed.csv" >/dev/null 2>"$folder/err" &
victim=$!
tries=0
while [ ! -s "$folder/killed.csv.journal" ] && [ $tries -lt 300 ]; do
  sleep 0.05
  tries=$((tries + 1))
done
kill -TERM $victim
wait $victim
status=$?
[ $status -eq 130 ] || fail 'expected exit status 130'
grep -q 'the same command goes on' "$folder/err" || fail 'what to do next is told'
[ -e "$folder/killed.csv.journal" ] && [ ! -e "$folder/killed.csv" ] || fail 'a stop leaves the journal, and no file'

# ---- a disk that is full ----
(ulimit -f 8 && "$command" $long -o "$folder/full.csv" >"$folder/out" 2>"$folder/err")
[ $? -eq 2 ] && grep -q 'cannot write .*full.csv.journal: ' "$folder/err" || fail 'a full disk is told'
exits 0 $long -o "$folder/full.csv"
cmp -s "$csv" "$folder/full.csv" || fail 'after a full disk it goes on'

# ---- several processes, without MPI ----
if "$command" --version | grep -q '^without MPI'; then
  export OMPI_COMM_WORLD_SIZE=2
  complains 'was built without MPI' sweep $model $two
  unset OMPI_COMM_WORLD_SIZE
fi

# ---- mistakes ----
complains 'nothing varies' sweep $model
complains 'did you mean "Ls1"?' sweep $model --vary Ls3=1,2
complains 'mbsens study varies those' sweep $model --vary step=0.1,0.2
complains 'given twice' sweep $model --vary Ls1=1,2 --vary Ls1=2,3
complains 'must be NAME=VALUE' sweep $model --vary Ls1
complains 'the deviation must be positive' sweep $model --vary 'Ls1=normal(1,-1)'
complains 'has 1 number: it is normal(mean, deviation)' sweep $model --vary 'Ls1=normal(1)'
complains 'did you mean normal?' sweep $model --vary 'Ls1=normall(1,2)'
complains 'below the second' sweep $model --vary 'Ls1=uniform(2,1)'
complains 'how many values there are' sweep $model --vary Ls1=1:2:0.5
complains 'a number is missing' sweep $model --vary Ls1=1,,2
complains '--plan: must be grid, list' sweep $model $two --plan gird
complains 'a grid is made of values' sweep $model $two --plan grid
complains '--samples: is for random plans' sweep $model --vary Ls1=1,2 --samples 5
complains 'go together' sweep $model $two --plan list
complains 'the columns of --list say what varies' sweep $model $two --list "$folder/list.csv"
complains 'No such file' sweep $model --list "$folder/nowhere.csv"
printf 'Ls1,Ls9\n1,2\n' >"$folder/list.csv"
complains 'column Ls9: no parameter' sweep $model --list "$folder/list.csv"
printf 'Ls1,Ls2\n1,2\n2,\n' >"$folder/list.csv"
complains 'row 2 has no number for Ls2' sweep $model --list "$folder/list.csv"
complains 'is not offered in a sweep' sweep $model $two --method complex-step
complains 'not an option of sweep' sweep $model $two --accuracy 1e-6
complains 'No such file' sweep $model $two -o "$folder/none/out.csv"
complains 'not an option of sweep' sweep $model $two --every 2
printf 'mbsens: 1\nparameters:\n  k: {value: 1, distribution: "normal(1, 0)"}\n' >"$folder/bad.yaml"
complains 'bad.yaml:3:' check "$folder/bad.yaml"
done_well

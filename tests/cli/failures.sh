#!/bin/sh
# What can go wrong from file to run: exit statuses 2 (input) and 3 (numerical), one sentence each, nothing left behind.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--step 0.05 --end 0.5'
csv=$folder/out.csv
bad=$folder/bad.yaml

# fails PART ARGUMENTS...: exit status 3, nothing on standard output, one line with PART on standard error
fails() {
  part=$1
  shift
  exits 3 "$@"
  [ ! -s "$folder/out" ] || fail 'an error must print nothing on standard output'
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail 'expected one sentence on standard error'
  grep -qF -e "$part" "$folder/err" || fail "expected \"$part\" on standard error"
}

nothing_written() {
  for file in "$csv" "$folder"/*partial*; do
    [ ! -e "$file" ] || fail "left behind: $file"
  done
  checks=$((checks + 1))
}

# ---- files ----
for name in check simulate gradient verify; do
  complains "$folder/none.yaml" $name "$folder/none.yaml"
  complains "$folder" $name "$folder"
done
: >"$bad"
complains "$bad:1:1: error: " check "$bad"
printf '# nothing but a comment\n' >"$bad"
complains "$bad:" check "$bad"
printf 'mbsens: 1\n---\nmbsens: 1\n' >"$bad"
complains "$bad:2:1: error: a second document" check "$bad"
printf 'mbsens: 2\n' >"$bad"
complains "$bad:1:9: error: " check "$bad"
printf 'name: no version\n' >"$bad"
complains 'mbsens' check "$bad"
printf 'mbsens: 1\nbodies: {\n' >"$bad"
complains "$bad:" check "$bad"
printf '\000\001\002\377' >"$bad"
complains "$bad:" check "$bad"
printf 'mbsens: 1\n' >"$bad"
complains 'the model has no bodies' check "$bad"
chmod 000 "$bad"
if [ ! -r "$bad" ]; then # root may read everything
  complains "$bad" check "$bad"
fi
chmod 600 "$bad"

# ---- numbers ----
for name in simulate gradient verify check; do
  complains '--step must be positive, got 0' $name $model --step 0
  complains '--step must be positive, got -1' $name $model --step -1
  complains '--step must be a number' $name $model --step abc
  complains '--end must be positive, got 0' $name $model --end 0
  complains 'too small for an end of' $name $model --step 1e-20
done
# a step beyond the end is one step of the length of the end
exits 0 simulate $model --step 5 --end 0.01 --json
prints '"steps": *1[,}]'

# ---- names ----
complains 'psi9' gradient $model $short --objective psi9
complains 'Ls9' gradient $model $short --wrt Ls9
complains 'did you mean' gradient $model $short --wrt LS1
complains 'no formulation "index2"' simulate $model $short --formulation index2
complains 'not offered' simulate $model $short --coordinates relative --formulation ali3p --projection-matrix tangent
cat >"$bad" <<'END'
mbsens: 1
parameters: {R: 0.5, L: 2*R}
bodies:
  ball: {mass: 1, points: {P: [0, 0]}}
forces:
  - {point_force: ball.P, value: [L, 0]}
objectives:
  x: {final: r(P).x}
END
exits 0 gradient "$bad" $short
complains 'parameter "L"' gradient "$bad" $short --wrt L
complains 'parameter "R" depends on itself' check "$bad" --set R=L
complains 'not a finite number' check "$bad" --set R=1/0
complains 'no parameter "q"' check "$bad" --set R=q

# ---- numerical failures: status 3, told in one sentence, no file ----
cat >"$bad" <<'END'
mbsens: 1
gravity: [0, -9.81]
ground: {points: {O: [0, 0], E: [2, 0]}}
parameters: {m: 1, grip: 1e6}
bodies:
  bar: {mass: m, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}}
joints:
  - revolute: [ground.O, bar.O]
forces:
  - {spring: [bar.P, ground.E], law: "grip*noevent(sign(rate))", name: friction}
objectives:
  psi: {final: r(P).x}
END
# fails_on_the_way PART ARGUMENTS...: the same, but what there was before is given: a second sentence says so, standard
# output too, and the histories up to there are out.incomplete.csv
fails_on_the_way() {
  part=$1
  shift
  exits 3 "$@"
  grep -qF -e "$part" "$folder/err" || fail "expected \"$part\" on standard error"
  grep -q 'mbsens: incomplete: results are those at t = 0.0[1-9] of 1 s.*out.incomplete.csv' "$folder/err" ||
    fail 'an incomplete run must say so'
  [ "$(wc -l <"$folder/err")" -eq 2 ] || fail 'expected two sentences on standard error'
  grep -q '"complete": false\|INCOMPLETE' "$folder/out" || fail 'the results must say that they are incomplete'
  steps=$(sed -n 's/.*results are those at t = 0.0\([1-9]\) of.*/\1/p' "$folder/err")  # how many is for Newton to say
  [ "$(wc -l <"$folder/out.incomplete.csv")" -eq $((2 + steps)) ] || fail 'expected a header, the start and the steps'
  awk -F, 'NF != (NR == 1 ? columns = NF : columns) { exit 1 }' "$folder/out.incomplete.csv" ||
    fail 'a row does not fit the header'
  rm "$folder/out.incomplete.csv"
  nothing_written
}
for name in simulate gradient 'gradient --method adjoint' 'gradient --method complex-step' \
  'gradient --method finite-difference'; do
  fails_on_the_way 'does not converge at t = 0.' $name "$bad" -o "$csv"
  fails_on_the_way 'does not converge' $name "$bad" --json -o "$csv"
  prints '"reached": 0.0[1-9]'
done
# a complete result says so
exits 0 simulate "$bad" --set grip=0 --end 0.1 --json
prints '"complete": true,'
# without the jump it runs
exits 0 gradient "$bad" --set grip=0 --end 0.1 -o "$csv" --quiet
[ -s "$csv" ] || fail 'the file should be there'
# and a failure leaves that file alone
cp "$csv" "$folder/kept"
exits 3 simulate "$bad" -o "$csv"
cmp -s "$csv" "$folder/kept" || fail 'a failure must leave the old file alone'
rm "$csv"
fails 'tests/bad/law_domain.yaml:' simulate tests/bad/law_domain.yaml -o "$csv"
fails 'redundant there' simulate tests/bad/redundant_index1.yaml -o "$csv"
exits 0 simulate tests/bad/redundant_index1.yaml --formulation penalty
fails 'singular position' check tests/bad/singular_start.yaml
complains 'cannot be assembled' check tests/bad/assembly_too_far.yaml
nothing_written

# ---- a run of ten million steps, stopped by ctrl-C ----
# a shell starts background jobs with SIGINT ignored; env of coreutils undoes that
called='simulate ... (interrupted)'
if env --default-signal=INT true 2>/dev/null; then
  env --default-signal=INT "$command" simulate $model --step 1e-6 --end 10 -o "$csv" >"$folder/out" 2>"$folder/err" &
  process=$!
  tries=0
  until ls "$folder"/out.csv.partial-* >/dev/null 2>&1 || [ $tries -ge 20 ]; do
    sleep 0.5
    tries=$((tries + 1))
  done
  (sleep 20 && kill -9 $process) >/dev/null 2>&1 &
  watchdog=$!
  kill -INT $process
  wait $process
  status=$?
  kill $watchdog 2>/dev/null
  [ $status -eq 130 ] || fail 'an interrupted run must give exit status 130'
  grep -q 'stopped at [0-9]* %.*nothing written' "$folder/err" || fail 'an interrupted run must say so'
  [ ! -s "$folder/out" ] || fail 'an interrupted run must print no results'
  nothing_written
fi

done_well

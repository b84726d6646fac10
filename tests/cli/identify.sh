#!/bin/sh
# mbsens identify: numbers that were made with noise are found within their intervals, the copy of the model has them and
# nothing else is touched, what is printed in words is what JSON says, data that make no sense are told with their place,
# and a search that is stopped leaves the best so far.
# shellcheck disable=SC1091,SC2154,SC2034  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
needs_python
model=models/measured/five_bar.yaml

# ---- what was put in comes out: 3 standard errors around the truth ----
exits 0 identify $model --json
tail -1 "$folder/out" >"$folder/last"
python3 - "$folder/out" <<'PYTHON' || fail 'not the numbers that made the data, or not the JSON that is promised'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
last, steps = lines[-1], lines[:-1]
truth = {"mA1": 1, "m12": 1.5, "m23": 1.5, "m3B": 1, "LA1": 2**.5, "L12": 3.25**.5, "L23": 3.25**.5, "L3B": 2**.5}
assert last["success"] and last["undetermined"] == [] and last["warnings"] == [] and last["measurements"] == 294
assert set(last["parameters"]) == set(truth) and last["degrees_of_freedom"] == 294 - 8
for name, value in truth.items():
    off = (last["parameters"][name] - value) / last["standard_errors"][name]
    assert abs(off) < 3, (name, off)
    lower, upper = last["intervals"][name]
    assert abs((lower + upper) / 2 - last["parameters"][name]) < 1e-9
    assert abs(last["covariance"][name][name] - last["standard_errors"][name] ** 2) < 1e-12
    assert last["correlation"][name][name] == 1
for output in last["outputs"]:
    assert output["estimated"] and 0.0016 < output["sigma"] < 0.0024 and output["interpolation"] == 0, output
assert [s["iteration"] for s in steps] == list(range(1, len(steps) + 1)) and last["iterations"] == len(steps)
assert last["evaluations"] > len(steps) and steps[0]["value"] > steps[3]["value"] and set(steps[0]["parameters"]) == set(truth)
PYTHON
checks=$((checks + 1))

# ---- the copy: the same bits again, and every other byte as it was ----
exits 0 identify $model --data models/measured/five_bar.csv --wrt mA1,LA1,L23 --set m3B=1.01 -o "$folder/better.yaml"
prints "^model with these values: "
[ "$(diff $model "$folder/better.yaml" | grep -c '^>')" -eq 4 ] || fail 'expected four lines that differ'
set=$(sed -n 's/^as options: //p' "$folder/out")
sed -n "s/.*--set LA1=\([^ ]*\).*/  LA1: {value: \1, lower: 1, upper: 2}/p" "$folder/out" >"$folder/line"
grep -qxF "$(cat "$folder/line")" "$folder/better.yaml" || fail 'the line of LA1 is not the old one with the new number'
grep -qxF '  m3B: {value: 1.01, lower: 0.1, upper: 5}' "$folder/better.yaml" || fail 'what --set says is not in the copy'
exits 0 simulate "$folder/better.yaml" --json
grep '"value"\|"position"' "$folder/out" >"$folder/copy"
# shellcheck disable=SC2086  # several options
exits 0 simulate $model --set m3B=1.01 $set --json
grep '"value"\|"position"' "$folder/out" | diff - "$folder/copy" || fail 'the copy does not move as the options make it'
cp "$folder/better.yaml" "$folder/kept"
mkdir "$folder/beside"
sed 's/^mbsens: 1/mbsens: 1\ninclude: more.yaml/' $model >"$folder/beside/whole.yaml"
printf 'mbsens: 1\nparameters: {more: 1}\n' >"$folder/beside/more.yaml"
cp models/measured/five_bar.csv "$folder/beside"
complains 'would not be good there' identify "$folder/beside/whole.yaml" --wrt LA1 -o "$folder/better.yaml"
complains 'more.yaml' identify "$folder/beside/whole.yaml" --wrt LA1,more \
  -o "$folder/better.yaml"
diff "$folder/better.yaml" "$folder/kept" || fail 'an old file must stay where the new one is refused'

# ---- standard deviations that are given; words and JSON agree; a start from which the first steps fail ----
exits 0 identify $model --sigma 0.002 --quiet
prints ' x  *m  *[0-9]*  0.002 given'
exits 0 identify $model --sigma left=0.002,x=0.002,y=0.004 --confidence 0.5
prints 'lower 50 %'
prints '^as large or larger by chance: '
exits 0 identify $model --outputs left,x --wrt LA1 --set LA1=1.95
! grep -q '^  y ' "$folder/out" || fail 'y was not asked for'

# ---- what the data cannot tell apart, and what they say nothing of ----
sed 's/inertia: mA1\*LA1^2\/12/inertia: mA1*LA1^2\/12*(half + other)/; s/^parameters: /parameters: # /; s/^  mA1:/  idle: 3\n  half: 0.5\n  other: 0.5\n  mA1:/' \
  $model >"$folder/twins.yaml"
cp models/measured/five_bar.csv "$folder/five_bar.csv"
exits 0 identify "$folder/twins.yaml" --wrt half,other,LA1
prints '^note: the data cannot tell apart: outputs stay as they are with half by .*, other by '
prints '^  half .* not known'
complains 'nothing that was measured depends on parameter "idle"' identify "$folder/twins.yaml" --wrt idle,LA1

# ---- two runs by the section, one from another start that is known; the closed form of an oscillator; other separators ----
cat >"$folder/two.yaml" <<'MODEL'
mbsens: 1
name: two runs
parameters: {k: 5, c: 0.3, x0: 1}
coordinates: {x: {inertia: 2}}
initial: {independent: [{coordinate: x, value: x0}]}
forces: [{coordinate_force: x, value: -k*x - c*rate}]
outputs: {place: x}
identification:
  data: [one.csv, two.csv]
  outputs: [{output: place, column: "d, mm"}]
  parameters: [k, c]
  known: [{data: two.csv, parameter: x0, value: -0.5}]
simulation: {end: 2, step: 0.02, formulation: index1, integrator: radau-5}
MODEL
for run in 'one 1' 'two -0.5'; do
  awk -v x0="${run#* }" 'BEGIN {
    print "t;d, mm"; d = 0.2 / 4; w = sqrt(7 / 2 - d * d)
    for (t = 0.1; t < 1.95; t += 0.1) printf "%.2f;%.9f\n", t, x0 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t)) }' \
    >"$folder/${run% *}.csv"
done
exits 0 identify "$folder/two.yaml" --quiet
awk '$1 == "k" { k = $3 } $1 == "c" { c = $3 } END { exit !((k - 7) ^ 2 < 1e-16 && (c - 0.2) ^ 2 < 1e-16) }' \
  "$folder/out" || fail 'expected k = 7 and c = 0.2'

# ---- dimensions from positions, where the motion is prescribed ----
exits 0 kinematics models/driven_slider_crank.yaml --columns Q.x,P.y --sample 0.05 -o "$folder/motion.csv"
exits 0 identify models/driven_slider_crank.yaml --kinematics --data "$folder/motion.csv" --wrt Lc,Lr --set Lc=0.32 \
  --set Lr=0.85 --quiet
awk '$1 == "Lc" { a = $3 } $1 == "Lr" { b = $3 } END { exit !((a - 0.3) ^ 2 < 1e-16 && (b - 0.9) ^ 2 < 1e-16) }' \
  "$folder/out" || fail 'expected the dimensions of the model'

# ---- data that make no sense ----
bad() { # CONTENT COMPLAINT
  # shellcheck disable=SC2059  # the content is written with \n
  printf "$1" >"$folder/bad.csv"
  complains "$2" identify $model --data "$folder/bad.csv"
}
bad 't,x\n0,1\n0.1,one\n' 'bad.csv:3:5: error: expected a number, found "one"'
bad 't;x\n0;1\n0.1;0,5\n' 'bad.csv:3:5: error: expected a number, found "0,5"; write a decimal point'
bad 't,x\n0,1\n0.2,1\n0.1,1\n' 'bad.csv:4:1: error: times must increase: 0.1 comes after 0.2'
bad 't,x\n0,1\n2.1,1\n' 'bad.csv:3:1: error: the time 2.1 is not within the run, which goes from 0 to 2; a later end'
bad 't,x\n-1,1\n0.1,1\n' 'bad.csv:2:1: error: the time -1 is not within the run'
bad 't,x\n0,1\n,1\n' 'bad.csv:3:1: error: the time is missing'
bad 'when,x\n0,1\n' 'bad.csv:1:1: error: no column of times, t or time; there are when, x'
bad 't,X\n0,1\n' 'bad.csv:1:1: error: no column is called like an output of'
bad 't,x\n0,1\n0.1\n' 'bad.csv:3:1: error: 1 cells in this line, and 2 in the first one'
bad 't,x\n0,\n0.1,NaN\n' 'column "x" has no numbers'
bad 't,x\n0,1\n0.1,2\n' 'measurements are too few for 8 parameters'
bad 't,x\n' 'has no numbers'
complains 'cannot open' identify $model --data "$folder/none.csv"
complains 'no column "z" in' identify $model --outputs x=z
complains 'no column "lefd" in histories' identify $model --outputs lefd=x
complains 'nothing was measured' identify models/five_bar.yaml
complains 'no parameter "LA2"' identify $model --wrt LA2
complains '--sigma: must be a positive number' identify $model --sigma -1
complains 'is no OUTPUT=NUMBER' identify $model --sigma z=1
complains '--confidence: must be below 1' identify $model --confidence 95
complains '--accuracy: not an option of identify' identify $model --accuracy 1e-6

# ---- data that end long before the run ----
exits 0 identify $model --wrt LA1 --end 2.4
prints '^warning: .*five_bar.csv ends at t = 2, and the run at 2.4: nothing behind is compared'
exits 0 identify $model --wrt LA1 --end 2.1
grep -q "nothing behind" "$folder/out" && fail "nearly covered"

# ---- stopped after its first step: the best so far, and status 130 ----
"$command" identify $model --wrt LA1 --set LA1=1.6 --step 0.0005 --json -o "$folder/stopped.yaml" \
  >"$folder/out" 2>"$folder/err" &
called="identify, stopped"
while ! grep -q '"iteration": 1,' "$folder/out" && kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -TERM $! 2>/dev/null
wait $!
status=$?
[ "$status" -eq 130 ] || fail 'expected exit status 130 of a search that is stopped'
prints '"success": false, "message": "stopped: this is the best so far"'
best=$(sed -n 's/.*"success".*"parameters": {"LA1": \([^}]*\)}.*/\1/p' "$folder/out" | cut -c1-12)
grep -qF "LA1: {value: $best" "$folder/stopped.yaml" || fail 'the best so far is not in the copy'

done_well

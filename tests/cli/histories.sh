#!/bin/sh
# The columns and rows of -o: outputs with their units, chosen columns, sampled rows; what is not there is told, and no
# file appears. Numbers are in tests/test_outputs.c.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034,SC2010  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
outputs=tests/models/outputs_events.yaml
csv="$folder/out.csv"

header() {
  [ "$(head -n 1 "$csv")" = "$1" ] || fail "expected the header $1, got $(head -n 1 "$csv")"
  checks=$((checks + 1))
}

rows() {
  [ "$(tail -n +2 "$csv" | wc -l)" -eq "$1" ] || fail "expected $1 rows"
  checks=$((checks + 1))
}

exits 0 simulate $outputs -o "$csv" --quiet
header 't,turn [rad],Q.x [m],Q.y [m],load.x [N],load.y [N],size,both,acc.x,acc.y,stretch,e,f'
prints '^  load.y  *11.14096631  N'
exits 0 gradient $outputs -o "$csv" --quiet --wrt k --columns "load, Q'" --sample 0.1
header "t,load.x [N],load.y [N],Q.x' [m/s],Q.y' [m/s],d(load.x)/d(k),d(load.y)/d(k),d(Q.x')/d(k),d(Q.y')/d(k)"
rows 11
exits 0 kinematics models/driven_slider_crank.yaml -o "$csv" --quiet --columns 'frame(*)' --every 50
head -n 1 "$csv" | grep -q '^t,frame(crank).x \[m\],frame(crank).y \[m\],frame(crank).angle \[rad\],' || fail 'expected frames'
exits 0 simulate $outputs --json
prints '"outputs": {"turn": {"value": -0.7[0-9]*, "unit": "rad", "description": "angle of the bar"}, "Q": {"value": \[1'
exits 0 simulate $model --end 0.1 --json
prints '"outputs": {}'
# a model without outputs has all there is
exits 0 simulate $model --end 0.1 -o "$csv" --quiet
head -n 1 "$csv" | grep -q "^t,P1.x,P1.y,.*,P1.x',.*,lambda(.*,psi1,psi2,psi3$" || fail 'expected all columns'
# residuals of the constraints are asked for: the largest of a column is what the run prints
exits 0 simulate $model --formulation index1 --end 0.3 --columns residuals -o "$csv" --json
header 't,residual position,residual velocity,residual acceleration'
worst=$(tail -n +2 "$csv" | cut -d, -f2 | sort -g | tail -n 1)
grep -qF "\"residual\": {\"position\": $worst," "$folder/out" || fail 'the largest residual is that of the statistics'
complains 'column "residual velocity" has no derivatives' gradient $model --end 0.1 --columns 'residual v*' -o "$folder/none.csv"
# commas and quotes in units
sed 's/unit: rad/unit: "a, \\"b\\""/' $outputs >"$folder/quoted.yaml"
exits 0 simulate "$folder/quoted.yaml" -o "$csv" --quiet --columns turn
header 't,"turn [a, ""b""]"'

# steps of their own size end where rows are asked for; every method has the same rows
explicit='--formulation index1 --integrator dormand-prince-8 --step-tolerance 1e-8'
for method in direct complex-step; do
  exits 0 gradient $model $explicit --end 1.1 --method $method -o "$csv" --quiet --sample 0.25
  rows 5
  [ "$(cut -d, -f1 "$csv" | tail -n +2 | tr '\n' ' ')" = '0 0.25 0.5 0.75 1 ' ] || fail 'expected rows at multiples of 0.25'
done
exits 0 simulate $model $explicit --end 1 -o "$csv" --quiet --every 3
exits 0 simulate $model $explicit --end 1 --json
steps=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' "$folder/out" | head -n 1)
rows $((1 + steps / 3))

rm "$csv"
complains 'no column "laod" in histories of' simulate $outputs -o "$csv" --columns laod
complains 'did you mean "load"?' gradient $outputs -o "$csv" --columns turn,laod --method complex-step
complains 'sample 0.015 is no multiple of the step 0.01' simulate $outputs -o "$csv" --sample 0.015
complains 'every 2 and sample 0.05 contradict each other' simulate $outputs -o "$csv" --sample 0.05 --every 2
complains '--every must be a whole number from 1 on, got 0' simulate $outputs -o "$csv" --every 0
complains '--every must be a whole number from 1 on, got 1.5' simulate $outputs -o "$csv" --every 1.5
complains '--columns: is for time histories; say where to: -o FILE.csv' simulate $outputs --columns turn
complains '--sample: is for time histories' simulate $outputs --sample 0.1
complains '--columns: not an option of verify' verify $outputs --columns turn
complains 'output "far": no parameter or signal "kk"' check tests/bad/output_signal.yaml
[ ! -e "$csv" ] || fail 'nothing must be written where a column is not known'
[ -z "$(ls "$folder" | grep partial)" ] || fail 'nothing must be left half written'
done_well

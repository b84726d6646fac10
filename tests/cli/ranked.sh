#!/bin/sh
# gradient --relative: (p / psi) dpsi/dp from the numbers beside it, the largest first, in words, in JSON and in the picture.
# shellcheck disable=SC1091,SC2154,SC2034,SC2086  # names come from ensure.inc, some of which are several words
. "$(dirname "$0")/ensure.inc"
needs_python
exits 0 gradient $model --end 0.3 --relative --json
python3 - "$folder/out" <<'PYTHON' || fail 'relative sensitivities are not those of the gradient, ranked'
import json, sys
result = json.load(open(sys.argv[1]))
for name, objective in result["objectives"].items():
    ranked = [(entry["parameter"], entry["value"]) for entry in result["relative_sensitivities"][name]]
    expected = {p: value * objective["gradient"][p] / objective["value"] for p, value in result["parameters"].items()}
    assert len(ranked) == len(expected) == 5
    assert all(abs(value - expected[p]) <= 1e-14 * abs(value) for p, value in ranked)
    sizes = [abs(value) for _, value in ranked]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1]
PYTHON
checks=$((checks + 1))
cp "$folder/out" "$folder/ranked"
exits 0 gradient $model --end 0.3 --objective psi1 --relative --quiet
prints '^  relative sensitivity *(p / psi1) dpsi1/dp$'
first=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["relative_sensitivities"]["psi1"][0]["parameter"])' \
  <"$folder/ranked")
[ "$(grep -A1 'relative sensitivity' "$folder/out" | tail -1 | cut -c3-5)" = "$(echo "$first" | cut -c1-3)" ] ||
  fail "expected $first first"
exits 0 plot $model --end 0.3 --bars --objective psi1 -o "$folder/bars.svg" --json
grep -q "\"psi1\": {\"$first\": " "$folder/out" || fail "the picture does not begin with $first"
# a parameter that is 0 has no relative change; of an objective that is 0, changes are absolute
printf 'mbsens: 1\nparameters: {a: 0, b: 2}\ncoordinates: {x: {inertia: 1}}\ninitial: {independent: [{coordinate: x, value: 0, velocity: a}]}\nobjectives: {end: {final: x + b}, none: {final: x + b - 2}}\nsimulation: {end: 1, step: 0.1, formulation: index1}\n' >"$folder/zero.yaml"
exits 0 gradient "$folder/zero.yaml" --relative --json
grep -q '"end": \[{"parameter": "b", "value": 1}\]' "$folder/out" || fail 'expected 1 by b alone'
grep -q '"none": \[{"parameter": "b", "value": 2}\]' "$folder/out" || fail 'expected the change itself of an objective that is 0'
exits 0 gradient "$folder/zero.yaml" --relative --quiet
prints 'p dnone/dp (none is 0)'
complains 'not an option of simulate' simulate $model --relative
done_well

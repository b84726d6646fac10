#!/bin/sh
# mbsens optimize: lines of JSON, the copy of the model, states that survive kills, mistakes told.
# shellcheck disable=SC1091,SC2086,SC2154  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
balance='--objective psi1 --wrt Ls1,Ls2 --end 1'

# ---- P2: below 1e-10 in at most 8 evaluations ----
for method in direct adjoint auto complex-step; do
  exits 0 optimize $model $balance --method $method --json
  tail -n 1 "$folder/out" >"$folder/last"
  sed -n 's/.*"success": \(true\).*"Ls1": \([^,]*\), "Ls2": \([^}]*\)}, "value": \([^,]*\),.*"evaluations": \([0-9]*\),.*/\1 \2 \3 \4 \5/p' \
    "$folder/last" | awk '{ found = $1 == "true" && ($2 - 2.43192)^2 < 3e-11 && ($3 - 1.84487)^2 < 3e-11 && $4 < 1e-10 && $5 <= 8 }
      END { exit !found }' || fail "not the optimum of P2: $(cat "$folder/last")"
done
# a line for each design that was better, and the start
[ "$(grep -c '^{"start": 0, "iteration": ' "$folder/out")" -eq "$(($(wc -l <"$folder/out") - 1))" ] || fail 'lines of iterations'

# ---- the copy: values alone differ, and give the optimum ----
exits 0 optimize $model $balance --set mA1=1.25 -o "$folder/better.yaml"
prints '^as options: --set Ls1=[0-9.]* --set Ls2=[0-9.]*$'
prints 'model with these values'
[ ! -s "$folder/err" ] || fail 'no table where standard error is no terminal'
[ "$(diff "$model" "$folder/better.yaml" | grep -c '^>')" -eq 3 ] || fail 'three lines were to differ'
grep -q '^  Ls1: [0-9.]*  *# natural length of the spring between point 1 and B$' "$folder/better.yaml" || fail 'comments'
grep -q '^  mA1: 1\.25  *# mass of bar A1$' "$folder/better.yaml" || fail 'what --set says'
exits 0 gradient "$folder/better.yaml" --objective psi1 --wrt Ls1 --end 1 --json
grep -q '"psi1": {"value": [0-9.]*e-' "$folder/out" || fail 'the copy has not the optimum'
[ -z "$(find "$folder" -name '*.partial*')" ] || fail 'a partial file was left'

# ---- killed anywhere: a restart ends where one that was not killed does; the model's copy is whole or absent ----
exits 0 optimize $model $balance --json
tail -n 1 "$folder/out" >"$folder/whole"
i=0
while [ $i -lt 12 ]; do
  i=$((i + 1))
  rm -f "$folder/state" "$folder/copy.yaml"
  "$command" optimize $model $balance --state "$folder/state" -o "$folder/copy.yaml" >/dev/null 2>&1 &
  process=$!
  sleep "0.0$((i / 4))$((i % 4))"
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
  [ ! -e "$folder/copy.yaml" ] || cmp -s "$folder/copy.yaml" "$folder/better.yaml" ||
    "$command" check "$folder/copy.yaml" >/dev/null || fail 'half a model'
  exits 0 optimize $model $balance --state "$folder/state" --json
  tail -n 1 "$folder/out" | cmp -s - "$folder/whole" || fail "after a kill: $(tail -n 1 "$folder/out")"
done

# ---- stopped: the best design so far, with status 130 ----
rm -f "$folder/copy.yaml" "$folder/state"
stopped_at "$folder/state" 1500 optimize models/designs/bump_steer.yaml --kinematics --algorithm cobyla \
  --evaluations 1000000 --search-tolerance 1e-15 --state "$folder/state" -o "$folder/copy.yaml"
prints '^stopped: the best design so far$'
grep -q '^  Rz: {value: 0\.2[0-9]*, lower: 0\.22, upper: 0\.34}  *# inner end' "$folder/copy.yaml" || fail 'no copy of the best'
exits 0 check "$folder/copy.yaml"

# ---- a full disk: said, and what was kept is good ----
rm -f "$folder/state"
(ulimit -f 1 && exec "$command" optimize $model $balance --state "$folder/state") >/dev/null 2>"$folder/err"
grep -q '^mbsens: cannot write .*state: ' "$folder/err" || fail 'a full disk is not told'
[ "$(grep -c '^0 1 0 1 ' "$folder/state")" -gt 0 ] || fail 'nothing was kept'
exits 0 optimize $model $balance --state "$folder/state" --json
tail -n 1 "$folder/out" | cmp -s - "$folder/whole" || fail 'after a full disk'

# ---- of an equilibrium, without a run: the same springs ----
sed 's/^objectives:/objectives:\n  rest: {equilibrium: "dot(r(P2) - [0, -2], r(P2) - [0, -2])"}/' $model >"$folder/rest.yaml"
exits 0 optimize "$folder/rest.yaml" --objective rest --wrt Ls1,Ls2
prints '^  Ls1  .* 2\.43192357'
prints '^  Ls2  .* 1\.84486888'

# ---- what stands elsewhere cannot be replaced, and the old file stays ----
cat >"$folder/split.yaml" <<'END'
mbsens: 1
name: split
include: other.yaml
bodies: {b: {mass: 1, points: {P: [0, 0]}}}
objectives: {f: {value: (k - 2)^2}}
optimization: {minimize: f}
simulation: {end: 0.01, step: 0.01}
END
echo 'parameters: {k: 1}' >"$folder/other.yaml"
echo old >"$folder/copy.yaml"
complains "has its value from another place than" optimize "$folder/split.yaml" -o "$folder/copy.yaml" --json
[ "$(cat "$folder/copy.yaml")" = old ] || fail 'the old copy is gone'

# ---- mistakes ----
complains 'says nothing to minimise or maximise: write optimization: {minimize: psi1}' optimize $model
complains 'no objective "psi9" in models/five_bar.yaml; did you mean "psi1"?' optimize $model --objective psi9
complains 'no parameter "Ls"' optimize $model --objective psi1 --wrt Ls
complains 'must be NAME=LOWER:UPPER' optimize $model $balance --bound Ls1=2
complains 'no parameter "Ls3"' optimize $model $balance --bound Ls3=1:2
complains 'the lower bound 3 is above the upper bound 2' optimize $model $balance --bound Ls1=3:2
complains 'below the lower bound 2.5: the search needs a start between its bounds' optimize $model $balance --bound Ls1=2.5:3
complains 'unknown choice "bfgs"' optimize $model $balance --algorithm bfgs
complains 'the name must end in .yaml' optimize $model $balance -o "$folder/better.csv"
complains 'algorithm lbfgs needs gradients' optimize $model $balance --method none
complains 'method must be none, direct' optimize $model $balance --method exact
complains 'has no lower bound: 3 starts' optimize $model $balance --starts 3
complains '--maximize: is for what --objective names' optimize $model --maximize
complains 'cannot write' optimize $model $balance -o "$folder/none/better.yaml"
complains 'cannot write' optimize $model $balance --state "$folder/none/state"
complains 'is no state of mbsens optimize' optimize $model $balance --state $model
complains 'was begun with method direct' optimize $model $balance --method adjoint --state "$folder/state"
complains 'is the state of another problem' optimize $model $balance --step 0.02 --state "$folder/state"
exits 3 optimize $model $balance --evaluations 3
prints '3 evaluations were not enough'
done_well

#!/bin/sh
# mbsens study: the numbers are those of gradient, errors and orders those of the definition, failures rows, mistakes told.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--end 0.4 --objective psi1,psi2 --wrt Ls1,mA1'

# ---- values: those of gradient, to the last bit ----
exits 0 study $model $short --vary formulation=index1,ali3p --vary step=0.02,0.01,0.005 --vary method=direct,adjoint --csv
cp "$folder/out" "$folder/table"
[ "$(wc -l <"$folder/table")" -eq 25 ] || fail 'expected a header, and rows of 12 runs and 2 objectives'
for step in 0.02 0.005; do
  exits 0 gradient $model $short --formulation index1 --step $step --json
  value=$(sed -n 's/.*"psi2": {"value": \([^,]*\),.*/\1/p' "$folder/out")
  grep -q "^index1,$step,adjoint,psi2,$value," "$folder/table" || fail "expected $value of index1 with step $step"
done

# ---- orders: three steps that are halved give log2 of (v1 - v2) / (v2 - v3), here about 2; errors against the last ----
awk -F, '$1 == "ali3p" && $3 == "direct" && $4 == "psi1" { v[++n] = $5; error[n] = $6; order[n] = $7 }
  function near(a, b, eps) { return (a - b) ^ 2 <= (eps * b) ^ 2 }
  END {
    expected = log((v[1] - v[2]) / (v[2] - v[3])) / log(2)
    exit !(n == 3 && near(order[2], expected, 1e-6) && expected > 1.5 && expected < 2.5 &&
           near(error[1], (v[1] - v[3]) / v[3] * (v[1] > v[3] ? 1 : -1), 1e-9) && error[3] == "" && order[1] == "")
  }' "$folder/table" || fail 'errors or orders are not those of the definition'

# ---- other references ----
exits 0 study $model $short --vary step=0.02,0.01,0.005 --reference 1e-8 --csv
awk -F, '$2 == "psi1" { order = $5; gradient = $7 } END { exit !(order > 1.9 && order < 2.1 && gradient > 1.9 && gradient < 2.1) }' \
  "$folder/out" || fail 'the trapezoidal rule is of order 2'
value=$(awk -F, '$1 == 0.01 && $2 == "psi1" { print $3 }' "$folder/out")
exits 0 study $model $short --vary step=0.02,0.01 --reference "psi1=$value,d(psi2)/d(Ls1)=-1" --csv
awk -F, '$1 == 0.01 && $2 == "psi1" { found = $4 == 0 && $6 == "" } $1 == 0.01 && $2 == "psi2" { other = $4 == "" && $6 > 0 }
  END { exit !(found && other) }' "$folder/out" || fail 'numbers given are the reference, and of others there is none'

# ---- rows that fail, and all of them ----
exits 0 study $model $short --vary integrator=trapezoidal,dormand-prince --vary formulation=index1,index3 --vary step=0.02
prints '^failed: integrator dormand-prince, formulation index3, step 0.02: '
exits 0 study $model $short --vary integrator=trapezoidal,dormand-prince --vary formulation=index1,index3 --json
prints '"failure": '
complains 'none of the 2 runs succeeds' study $model --formulation index3 --integrator dormand-prince --vary step=0.1,0.2

# ---- formats ----
exits 0 study $model $short --vary step=0.02,0.01 --markdown
prints '^| step | objective | value | error | order | gradient error | gradient order | steps | iterations | seconds |$'
prints '^|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|$'
exits 0 study $model $short --vary step=0.02,0.01 --vary penalty=1e7,1e9 --formulation penalty --latex
prints '^.begin{tabular}{rrlrrrrrrrr}$'
prints '\\cdot 10^{-[0-9]*}\$'
exits 0 study $model --end 0.2
prints '36 runs, errors against the smallest step in the same settings'
exits 0 study $model $short --vary method=none,direct --repeat 2 --quiet

# ---- mistakes ----
complains 'no setting' study $model --vary stpe=0.1
complains 'must be positive' study $model --vary step=0.1,-1
complains 'formulation' study $model --vary formulation=index9 --vary step=0.1
complains 'given twice' study $model --vary step=0.1 --vary step=0.2
complains 'has an empty value' study $model --vary step=0.1,,0.2
complains 'has no list of all values' study $model --vary step=all
complains 'is the same in all runs' study $model --vary wrt=Ls1
complains 'more than 1000' study $model --vary formulation=all --vary tolerance=$(seq -s , 0.001 0.001 0.9)
complains 'must be finest, an accuracy' study $model --vary step=0.1 --reference coarsest
complains 'no objective "psi9"' study $model --end 0.1 --vary step=0.1 --reference psi9=1
complains 'an accuracy must be between' study $model --vary step=0.1 --reference 3
complains 'take one of them' study $model --json --csv
complains 'NAME=VALUE' study $model --vary step
complains 'whole number from 1' study $model --repeat 0
complains 'not an option of gradient' gradient $model --vary step=0.1
done_well

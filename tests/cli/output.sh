#!/bin/sh
# What the commands print: shapes of JSON and tables, and agreement of the methods.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--step 0.05 --end 0.5'

# number KEY: the first number under this key in standard output
number() {
  sed -n "s/.*\"$1\": \(-\{0,1\}[0-9][-+.0-9e]*\).*/\1/p" "$folder/out" | head -n 1
}

# line_number KEY ENTRY: the number ENTRY in the line of KEY
line_number() {
  sed -n "s/^ *\"$1\": {.*\"$2\": \(-\{0,1\}[0-9][-+.0-9e]*\).*/\1/p" "$folder/out" | head -n 1
}

# near A B TOLERANCE: |A - B| <= TOLERANCE max(|A|, |B|), and not zero
near() {
  awk -v a="$1" -v b="$2" -v tolerance="$3" 'BEGIN {
    if (a == "" || b == "" || a + 0 == 0) exit 1
    size = a < 0 ? -a : a; other = b < 0 ? -b : b; if (other > size) size = other
    difference = a - b; if (difference < 0) difference = -difference
    exit !(difference <= tolerance * size) }' || fail "$1 and $2 differ by more than $3"
  checks=$((checks + 1))
}

# ---- check ----
exits 0 check $model --json
prints '"bodies": 4,'
prints '"coordinates": 6,'
prints '"constraints": 4,'
prints '"redundant": 0,'
prints '"degrees_of_freedom": 2,'
prints '"redundant_constraints": \[\]'
exits 0 check $model
prints '^five-bar linkage: 4 bodies, 6 natural coordinates, 4 constraints (0 redundant), 2 degrees of freedom$'
prints '^  L12 '
prints '^independent coordinates: '
exits 0 check tests/models/element_spring_space.yaml
prints '^body "first": 3 degrees of freedom$'
prints '^body "second" is free: 6 degrees of freedom, held by forces alone$'
exits 0 check tests/models/count_free_body.yaml
prints '^body "body" is free: 6 degrees of freedom, connected to nothing$'
exits 0 check tests/models/count_free_body.yaml --json
prints '{"bodies": \["body"\], "coordinates": \[\], "degrees_of_freedom": 6, "is_grounded": false, "has_forces": false}'
exits 0 check $model --quiet
grep -q 'degrees of freedom' "$folder/out" && fail 'check --quiet must print no counts'

# ---- simulate ----
exits 0 simulate $model $short --json
for key in model formulation coordinates step end parameters objectives events final time points multipliers \
  reactions statistics steps iterations seconds residual energy_drift; do
  prints "\"$key\": "
done
prints '"events": \[\]'
prints '"P2": {"position": \[[^],]*, [^],]*\], "velocity": \[[^],]*, [^],]*\], "acceleration": \[[^],]*, [^],]*\]}'
prints '"revolute 1": {"force": \[[^],]*, [^],]*\], "torque": 0}'
grep -q '"gradient"' "$folder/out" && fail 'simulate must print no gradient'
[ "$(number time)" = 0.5 ] || fail 'the final time must be --end'
[ "$(number steps)" = 10 ] || fail 'ten steps of 0.05 s make 0.5 s'
exits 0 simulate $model $short
prints '^at t = 0.5 s:$'
prints '^  joint  *force x  *force y  *torque$'
prints '^  revolute 1 '
prints ' steps, '
exits 0 simulate models/universal_shaft.yaml $short --json
prints '"cross": {"force": \[[^],]*, [^],]*, [^],]*\], "torque": \[[^],]*, [^],]*, [^],]*\]}'
exits 0 simulate models/universal_shaft.yaml $short
prints '^  joint  *force x  *force y  *force z  *torque x  *torque y  *torque z$'

# coordinates of the model's own, without bodies and points
exits 0 simulate models/slider_crank.yaml $short --json
prints '"coordinates": {"q": {"value": [^,]*, "rate": [^,]*, "acceleration": [^}]*}, "x": {'
exits 0 simulate models/slider_crank.yaml $short
prints '^  coordinate  *value  *rate  *acceleration$'
prints '^  q  *[0-9]'
exits 0 check models/slider_crank.yaml
prints ': 0 bodies, 3 natural coordinates, 2 constraints (0 redundant), 1 degree of freedom$'
grep -q 'based on' "$folder/out" && fail 'no table of bodies where there are none'

# ---- warnings ----
exits 0 simulate $model $short
prints '^worst residuals'
grep -q '^warning' "$folder/out" && fail 'nothing to warn of'
exits 0 simulate models/n_four_bar.yaml --formulation index1
prints '^warning: near a singular position at t = [0-9.]*: the equations are [0-9]e+0[4-9] times worse conditioned'
exits 0 simulate $model $short --formulation index3 --integrator trapezoidal
prints '^warning: index3 with a rule that damps nothing'
exits 0 simulate models/n_four_bar.yaml --formulation index1 --json
prints '^    "near a singular position at t = '
exits 0 simulate models/n_four_bar.yaml --json
prints '"warnings": \[\]'  # ali3p goes through there

exits 0 simulate tests/bad/comes_apart.yaml --formulation ali3p  # 4 rad a step: the rule makes 2 atan(2) of it
prints '^warning: the step is too large for this motion: accelerations change velocities by 4 times'
exits 0 simulate tests/bad/comes_apart.yaml --step 1e-3
grep -q '^warning: the step' "$folder/out" && fail '0.4 rad a step are not too much'

# ---- kinematics ----
exits 0 kinematics models/driven_slider_crank.yaml --end 0.1 --json
prints '"coordinates": "natural"'
prints '"joint motor: follows its trajectory": '
grep -q '"formulation"\|"integrator"' "$folder/out" && fail 'kinematics has neither formulation nor integrator'
exits 0 kinematics models/pendulum.yaml --step 0.1 --end 0.2 --json  # nothing is driven
prints '"coordinate [^"]*: [a-z ]*": '

# ---- gradient ----
exits 0 gradient $model $short --json
for objective in psi1 psi2 psi3; do
  prints "^ *\"$objective\": {\"value\": [^,]*, \"gradient\": {\"Ls1\": [^,]*, \"Ls2\": [^,]*, \"mA1\": [^,]*, \"xG\": [^,]*, \"LA1\": [^,]*}}"
done
prints '"method": "direct"'
# the two methods share no code for derivatives and agree to rounding and to the tolerance of the steps (1e-10)
for objective in psi1 psi2 psi3; do
  for parameter in Ls1 Ls2 mA1 xG LA1; do
    line_number $objective $parameter >>"$folder/direct"
  done
done
exits 0 gradient $model $short --json --method complex-step
prints '"method": "complex-step"'
for objective in psi1 psi2 psi3; do
  for parameter in Ls1 Ls2 mA1 xG LA1; do
    line_number $objective $parameter >>"$folder/complex"
  done
done
[ "$(wc -l <"$folder/direct")" -eq 15 ] || fail 'expected 15 derivatives'
paste "$folder/direct" "$folder/complex" >"$folder/both"
while read -r a b; do
  near "$a" "$b" 1e-8
done <"$folder/both"

# derivatives of the terms from elsewhere: exact to rounding, and to some nine digits
for method in direct adjoint; do
  for derivatives in automatic numerical; do
    exits 0 gradient $model $short --json --method $method --derivatives $derivatives
    prints "\"derivatives\": \"$derivatives\""
    near "$(line_number psi1 Ls1)" "$(head -n 1 "$folder/direct")" $([ $derivatives = automatic ] && echo 1e-11 || echo 1e-7)
  done
done
exits 0 gradient $model $short --derivatives numerical --compare
prints ', direct, numerical derivatives$'
exits 0 verify $model $short --derivatives automatic
exits 0 list derivatives
prints '^ *automatic '

# a central difference is good for six digits or more; 1e-4 leaves room for the steps' tolerance over its step
exits 0 gradient $model $short --objective psi1 --wrt Ls1 --method finite-difference --json
near "$(line_number psi1 Ls1)" "$(head -n 1 "$folder/direct")" 1e-4

exits 0 gradient $model $short --compare --json
prints '"comparison": '
prints '"method": "complex-step"'
awk -v x="$(number max_relative_difference)" 'BEGIN { exit !(x != "" && x <= 1e-8) }' ||
  fail 'direct and complex step must agree to 1e-8'
exits 0 gradient --compare $model $short
prints '^  psi1 .*direct .*complex-step .*relative difference$'
prints '^largest relative difference'
exits 0 gradient $model $short --compare finite-difference --difference forward --difference-step 1e-6
prints 'finite-difference'

# --objective and --wrt choose and order; --set changes
exits 0 gradient $model $short --objective psi3,psi1 --wrt LA1,Ls2 --json
prints '"psi3": {"value": [^,]*, "gradient": {"LA1": [^,]*, "Ls2": [^,]*}},$'
grep -q 'psi2\|mA1' "$folder/out" && fail 'only what was asked for must be printed'
exits 0 gradient $model $short --set Ls1=2 --set Ls2=2*1.5-1 --json
prints '"Ls1": 2,$'
prints '"Ls2": 2,$'
# a parameter that is an expression of another is no longer a variable of its own
exits 0 gradient $model $short --set 'Ls2=2*Ls1-2' --json
grep -q '"Ls2"' "$folder/out" && fail 'a derived parameter must not be differentiated'

exits 0 gradient $model $short
prints '^five-bar linkage: .* h = 0.05 s, end = 0.5 s, direct$'
prints '^  gradient  *psi1  *psi2  *psi3$'
prints '^worst residuals: '
awk 'length($0) > 100 { exit 1 }' "$folder/out" || fail 'a table is wider than 100 columns'
exits 0 gradient $model $short --quiet
prints '^  gradient  *psi1  *psi2  *psi3$'
grep -q 'five-bar\|steps' "$folder/out" && fail '--quiet must print numbers only'

# ---- verify ----
exits 0 verify $model $short --json
for key in formulation coordinates method objective parameter value reference relative_error; do
  prints "\"$key\": "
done
prints '^    {"objective": "psi1", "formulation": "ali3p", "natural": [-0-9.e]*, "relative": [-0-9.e]*, '
prints '"extrapolated": true, "relative_error": [0-9.e-]*, "tolerance": [0-9.e-]*, "pass": true}'
prints '^  "warnings": \[\],$'
prints '^  "suspects": \[\],$'
prints '^  "suspects_in_all": 0,$'
prints '^  "pass": true$'
exits 0 verify $model $short --objective psi1 --wrt Ls1
prints '^  ali3p  *natural  *run-anew  *1 .* [0-9.]*e-[0-9]*  pass$'
prints '^  ali3p  *relative  *run-anew  *1 '
prints '^  objective  *formulation  *natural  *relative  *difference  *may be  *result$'
grep 'direct\|adjoint' "$folder/out" | grep -qv ' -  *pass$' && fail 'no uncertainty where it is not needed'
exits 0 verify $model $short --objective psi1 --wrt Ls1 --projection-matrix tangent
prints '^pass: '

done_well

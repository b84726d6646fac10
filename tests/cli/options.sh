#!/bin/sh
# usage: tests/cli/options.sh PATH_OF_MBSENS
# What every option does, seen in the figures; an option without a check here fails the test. Seen to fail with each
# option left out of all calls, one at a time.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
pendulum=models/pendulum.yaml

# objective NAME, gradient NAME PARAMETER, figure KEY (of the statistics): a number of the last call, which gave JSON
objective() {
  sed -n "s/^ *\"$1\": {\"value\": \([-0-9.e+]*\).*/\1/p" "$folder/out" | head -1
}
gradient() {
  sed -n "s/^ *\"$1\": {\"value\": .*[{ ]\"$2\": \([-0-9.e+]*\)[,}].*/\1/p" "$folder/out" | head -1
}
figure() {
  sed -n "s/.*\"$1\": \([-0-9.e+]*\)[,}]*.*/\1/p" "$folder/out" | tail -1
}
# holds CONDITION: an expression of awk
holds() {
  awk "function size(x) {return x < 0 ? -x : x} BEGIN {exit !($1)}" || fail "does not hold: $1"
  checks=$((checks + 1))
}
json() {
  exits 0 "$@" --json
}

# ---- how long, how fine ----
json simulate $pendulum --step 0.005 --end 0.5
holds "$(figure steps) == 100"
json simulate $model --end 0.2 --tolerance 1e-13
fine=$(figure iterations)
json simulate $model --end 0.2 --tolerance 1e-3
holds "$(figure iterations) < $fine"


# ---- to an accuracy ----
json simulate $pendulum --accuracy 1e-7
exact=$(objective speed)
holds "$(figure error) < 1e-7"
json simulate $pendulum --accuracy 1e-3
holds "size($(objective speed) - ($exact)) < 1e-3*size($exact)"
grep -q '"chosen": \["step", "formulation", "integrator"\]' "$folder/out" || fail 'what was chosen is not told'
json gradient $pendulum --accuracy 1e-4 --formulation index1 --wrt d
grep -q '"gradient_error": {"d": [0-9.e-]*}' "$folder/out" || fail 'no errors of the gradient'
grep -q '"chosen": \["step", "integrator"\]' "$folder/out" || fail 'a formulation that is given is chosen'
exits 0 gradient $pendulum --accuracy 1e-4 --wrt d
grep -q '^accuracy 0.0001 asked for, .*; chosen: ali1, dormand-prince-8$' "$folder/out" || fail 'not told'
grep -q 'gradient *swing *error *speed *error' "$folder/out" || fail 'no errors beside the gradient'
complains 'accuracy must be below 1 and not below 1e-12' simulate $pendulum --accuracy 1e-13
complains 'not offered with method complex-step' gradient $pendulum --accuracy 1e-3 --method complex-step
printf '%s\n' 'mbsens: 1' 'name: kinks' 'parameters: {c: 2}' 'bodies: {b: {mass: 1, points: {P: [0, 0]}}}' \
  "forces: [{point_force: b.P, value: ['c*noevent(abs(sin(7.3*t)))', 0]}]" 'objectives: {v: {final: v(P).x}}' \
  'simulation: {end: 1, accuracy: 1e-11, formulation: index1, integrator: trapezoidal}' >"$folder/kinks.yaml"
exits 3 simulate "$folder/kinks.yaml" --json
grep -q 'accuracy 1e-11 is not reached, but ' "$folder/err" || fail 'not told what was reached'
grep -q '"complete": false' "$folder/out" || fail 'not marked'
holds "$(figure reached) > 1e-11 && $(figure reached) < 1e-4"
exits 0 simulate "$folder/kinks.yaml" --accuracy 0
# A latch that an event adds and that is redundant: what cannot go on says so, with what there was before, also where an
# accuracy has tried other ways that do not fit; all others agree.
catch=tests/models/catch_fixed.yaml
for formulation in index1 index3; do
  for accuracy in 0 1e-4; do
    exits 3 simulate $catch --formulation $formulation --accuracy $accuracy --json
    grep -q 'redundant there: "joint latch: ' "$folder/err" || fail 'the latch is not named'
    grep -q '"complete": false' "$folder/out" || fail 'not marked'
    holds "size($(figure reached) - 0.39418) < 1e-4"
  done
done
json simulate $catch --accuracy 1e-6
exact=$(objective x)
for formulation in penalty ali1 ali3p matrix-r; do
  json simulate $catch --formulation $formulation --step 0.0005
  holds "size($(objective x)/($exact) - 1) < 5e-4"
done

# ---- parameters, objectives, what is computed ----
json gradient $pendulum --end 0.1 --objective speed --wrt d,phi0
[ -z "$(objective swing)$(gradient speed g)" ] || fail 'an objective or a parameter that was not asked for'
by_d=$(gradient speed d)
value=$(objective speed)
json gradient $pendulum --end 0.1 --objective speed --wrt d --set d=0.5000001
holds "size(($(objective speed) - $value)/1e-7 - $by_d) < 1e-5*size($by_d)"
json gradient $pendulum --end 0.1 --objective speed --wrt d --method adjoint
prints '"method": "adjoint"'
holds "size($(gradient speed d) - $by_d) < 1e-10*size($by_d)"
holds "$(figure segments) == 1"
json gradient $pendulum --end 0.1 --objective speed --wrt d --method adjoint --memory 6k
holds "$(figure segments) > 1 && size($(gradient speed d) - $by_d) < 1e-10*size($by_d)"
json gradient $pendulum --end 0.1 --objective speed --wrt d --compare adjoint
prints '"comparison": {'
prints '"method": "adjoint"'
json gradient $pendulum --end 0.1 --objective speed --wrt d --derivatives numerical
holds "$(gradient speed d) != $by_d && size($(gradient speed d) - $by_d) < 1e-5*size($by_d)"
# forward and backward differences are off by h/2 times the second derivative, one to each side
for kind in forward backward central; do
  json gradient $pendulum --end 0.1 --objective speed --wrt d --method finite-difference --difference $kind --difference-step 1e-3
  eval "$kind=\$(gradient speed d)"
done
holds "($forward - $by_d)*($backward - $by_d) < 0 && size(($forward + $backward)/2 - $central) < 1e-9*size($by_d)"
holds "size($forward - $by_d) > 1e-4*size($by_d) && size($central - $by_d) < 1e-5*size($by_d)"
json gradient $pendulum --end 0.1 --objective speed --wrt d --method finite-difference --difference forward --difference-step 1e-4
holds "size(($(gradient speed d) - $by_d)/($forward - $by_d) - 0.1) < 0.01"

# a free particle: d x(T)/dx0 = 1, d x(T)/dv0 = T
cat >"$folder/free.yaml" <<END
mbsens: 1
parameters: {F: 2}
bodies: {p: {mass: 1, points: {P: [0, 0]}}}
forces: [{point_force: p.P, value: [F, 0]}]
objectives: {x: {final: r(P).x}}
simulation: {end: 0.7, step: 0.1}
END
exits 0 gradient "$folder/free.yaml" --method adjoint
! grep -q '^ *P.x' "$folder/out" || fail 'the initial state was not asked for'
exits 0 gradient "$folder/free.yaml" --method adjoint --initial-state
prints '^ *P.x  *1\.0*  *0\.70*$'

# ---- output ----
exits 0 simulate $pendulum --end 0.01 -o "$folder/history.csv"
[ "$(wc -l <"$folder/history.csv")" -eq 12 ] || fail 'a history of 10 steps has a heading and 11 rows'
exits 0 simulate $pendulum --end 0.01
lines=$(wc -l <"$folder/out")
exits 0 simulate $pendulum --end 0.01 --quiet
[ "$(wc -l <"$folder/out")" -lt "$lines" ] || fail '--quiet prints less'
exits 0 list joints
! grep -q '^|' "$folder/out" || fail 'a table in Markdown was not asked for'
exits 0 list joints --markdown
prints '^|'
exits 0 --help
cp "$folder/out" "$folder/help"
exits 0 -h
cmp -s "$folder/out" "$folder/help" || fail '-h is --help'

# ---- formulations, coordinates, integrators ----
json simulate $model --end 0.2 --formulation index1
prints '"formulation": "index1"'
drift=$(figure position)
plain=$(objective psi1)
json simulate $model --end 0.2
holds "$(figure position) < 1e-12 && $drift > 1e-9" # index1 alone lets positions drift
json simulate $model --end 0.2 --formulation index1 --baumgarte --omega 60
stabilised=$(figure position)
holds "$stabilised < $drift/2"
json simulate $model --end 0.2 --formulation index1 --baumgarte --omega 60 --xi 0.2
holds "$(figure position) != $stabilised && $(objective psi1) != $plain"
json simulate $model --end 0.2 --formulation index1 --baumgarte --omega 0
holds "$(objective psi1) == $plain" # Phiddot alone
json simulate $model --end 0.2 --formulation penalty --penalty 1e4
soft=$(objective psi1)
json simulate $model --end 0.2 --formulation penalty --penalty 1e5
hard=$(objective psi1)
json simulate $model --end 0.2 --formulation penalty --penalty 1e9
holds "size(($soft - $(objective psi1))/($hard - $(objective psi1)) - 10) < 0.1" # in 1/alpha
json simulate $model --end 0.2 --formulation ali3p --projections none
holds "$(figure velocity) > 1e-6 || $(figure acceleration) > 1e-6"
json simulate $model --end 1 --step 0.05 --formulation index1 --integrator dormand-prince-5
holds "$(figure position) > 1e-8 && $(figure velocity) > 1e-8"
json simulate $model --end 1 --step 0.05 --formulation index1 --integrator dormand-prince-5 --projections 2
holds "$(figure position) < 1e-14 && $(figure velocity) < 1e-14"
json simulate $model --end 0.2 --formulation ali3p
value=$(objective psi1)
iterations=$(figure iterations)
json simulate $model --end 0.2 --formulation ali3p --projection-matrix tangent
holds "$(objective psi1) != $value && size($(objective psi1)/$value - 1) < 1e-3 && $(figure velocity) < 1e-9"
json simulate $model --end 0.2 --formulation ali3p --tangent approximate
holds "$(figure iterations) > $iterations && size($(objective psi1)/$value - 1) < 1e-8"
json simulate models/snakeboard.yaml --end 0.2 --formulation ali3p
name=$(sed -n '/"objectives"/{n;s/^ *"\([a-z_A-Z0-9]*\)".*/\1/p;}' "$folder/out")
value=$(objective $name)
json simulate models/snakeboard.yaml --end 0.2 --formulation ali3p --nonholonomic projected
holds "$(objective $name) != $value && size($(objective $name) - $value) < 1e-2*size($value) && $(figure velocity) < 1e-9"
json simulate $model --end 0.2 --formulation matrix-r
value=$(objective psi1)
json simulate $model --end 0.2 --formulation matrix-r --independent 'r(P2).x,r(P2).y'
same=$(objective psi1)
json simulate $model --end 0.2 --formulation matrix-r --independent 'angle(A1),angle(L3B)'
holds "$(objective psi1) != $same && size($(objective psi1)/$value - 1) < 1e-3"
json simulate $pendulum --end 0.5 --coordinates relative
prints '"coordinates": "relative"'
relative=$(objective swing)
json simulate $pendulum --end 0.5
holds "size($(objective swing)/$relative - 1) < 1e-6"
exits 0 check $model --coordinates relative
prints 'joint revolute 3: '
exits 0 check $model --coordinates relative --cut 'revolute 5'
prints 'joint revolute 5: '
exits 0 check $model --coordinates relative --tree 'revolute 3,revolute 4,revolute 5'
prints 'joint revolute 2: '

# the same recursion from other points: the same motion, other roundings (tests/test_same_mechanics.c: the same terms)
json simulate models/stewart_platform.yaml --end 0.1 --coordinates relative -o "$folder/origin.csv"
json simulate models/stewart_platform.yaml --end 0.1 --coordinates relative --reference-point mass-centre -o "$folder/centre.csv"
! cmp -s "$folder/origin.csv" "$folder/centre.csv" || fail '--reference-point changes no digit'
paste -d, "$folder/origin.csv" "$folder/centre.csv" | awk -F, '
  function size(x) {return x < 0 ? -x : x}
  NR > 1 {for (i = 1; i <= NF/2; ++i) if (size($i - $(i + NF/2)) > 1e-7*(1 + size($i))) bad = 1}
  END {exit bad || NR < 3}' || fail 'reference points make another motion'

# a mass on a spring, w h = 1: what is left of its motion after 20 steps
cat >"$folder/stiff.yaml" <<END
mbsens: 1
ground: {points: {O: [0, 0]}}
bodies: {p: {mass: 1, points: {P: [0, 0]}, position: [2, 0]}}
forces: [{spring: [ground.O, p.P], stiffness: 1e4, length: 1}]
initial: {independent: [{coordinate: r(P).x, value: 1.01}, {coordinate: r(P).y, value: 0}]}
objectives: {square: {integral: (r(P).x - 1)^2}, x: {final: r(P).x}}
simulation: {end: 0.2, step: 0.01}
END
json simulate "$folder/stiff.yaml" --integrator trapezoidal
kept=$(objective x)
square=$(objective square)
json simulate "$folder/stiff.yaml" --integrator generalised-alpha
prints '"integrator": "generalised-alpha"'
holds "$(objective square) < 0.995*$square"
json simulate "$folder/stiff.yaml" --integrator newmark --beta 0.25 --gamma 0.5
holds "size($(objective x) - $kept) < 1e-10" # the same rule
json simulate "$folder/stiff.yaml" --integrator newmark --gamma 1
holds "$(objective square) < $square/3" # the most damped
json simulate "$folder/stiff.yaml" --integrator newmark --gamma 0.9
most=$(objective x)
json simulate "$folder/stiff.yaml" --integrator newmark --gamma 0.9 --beta 0.46
holds "$(objective x) != $most"
json simulate "$folder/stiff.yaml" --integrator generalised-alpha --spectral-radius 1
left=$(objective square)
json simulate "$folder/stiff.yaml" --integrator generalised-alpha --spectral-radius 0.2
holds "$(objective square) < 0.8*$left"
# 1 + cos(20)/100, by steps that find their own size
json simulate "$folder/stiff.yaml" --formulation index1 --integrator dormand-prince-5 --step-tolerance 1e-6
prints '"step_tolerance": '
off=$(objective x)
steps=$(figure steps)
json simulate "$folder/stiff.yaml" --formulation index1 --integrator dormand-prince-5 --step-tolerance 1e-9
holds "size($(objective x) - 1.0040808206181339) < 1e-9 && size($off - 1.0040808206181339) > 1e-8 && $(figure steps) > 2*$steps"

# ---- histories; more in histories.sh ----
exits 0 simulate $pendulum --end 0.1 --step 0.01 -o "$folder/all.csv" --quiet
exits 0 simulate $pendulum --end 0.1 --step 0.01 -o "$folder/few.csv" --quiet --columns objectives --every 2
[ "$(wc -l <"$folder/few.csv")" -eq 7 ] || fail 'every second of ten steps, the start and the header are seven lines'
[ "$(head -n 1 "$folder/few.csv" | tr ',' '\n' | wc -l)" -lt "$(head -n 1 "$folder/all.csv" | tr ',' '\n' | wc -l)" ] ||
  fail 'objectives are not all columns'
exits 0 simulate $pendulum --end 0.1 --step 0.01 -o "$folder/few.csv" --quiet --sample 0.05
[ "$(wc -l <"$folder/few.csv")" -eq 4 ] || fail 'rows at 0, 0.05 and 0.1, and the header'

# ---- a third party; more in sundials.sh, and where it is not built in the other outcome ----
exits 0 --version
built_in=2
! grep -q '^with SUNDIALS' "$folder/out" || built_in=0
exits $built_in verify $pendulum --coordinates natural --end 0.1 --sundials
exits $built_in gradient $pendulum --end 0.1 --formulation penalty --method cvodes-forward --sundials-tolerance 1e-6

# ---- sensitivities in the control of step sizes ----
control='--formulation index1 --integrator dormand-prince-5 --step-tolerance 1e-6 --end 0.5'
exits 0 gradient $pendulum $control --error-control sensitivities
steps_of_both=$(sed -n 's/^\([0-9]*\) steps.*/\1/p' "$folder/out")
exits 0 gradient $pendulum $control --error-control state
steps_of_state=$(sed -n 's/^\([0-9]*\) steps.*/\1/p' "$folder/out")
[ "$steps_of_both" -gt "$steps_of_state" ] || fail "expected more steps, not $steps_of_both and $steps_of_state"

# ---- relative sensitivities: ranked.sh has their numbers ----
exits 0 gradient $pendulum --end 0.1 --relative
prints '^  relative sensitivity  '

# ---- second derivatives ----
exits 0 gradient $pendulum --end 0.1 --hessian
prints '^  d2 swing'

# ---- all of them ----
for name in check simulate gradient kinematics verify list; do
  exits 0 $name --help
  sed -n 's/^  \(-[-a-z]*\).*/\1/p' "$folder/out"
done | sort -u >"$folder/options"
[ "$(wc -l <"$folder/options")" -gt 30 ] || fail 'the help lists the options'
while read -r option; do
  grep -v '^#' "$0" | grep -q -e " ${option}[ =]" -e " $option\$" || fail "no check here sees what $option does"
done <"$folder/options"
done_well

#!/bin/sh
# usage: radau.sh COMMAND
# Implicit Runge-Kutta methods on the command line: what they print, what they refuse, and where they fail.
# shellcheck disable=SC1091,SC2086,SC2154  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
model=models/five_bar.yaml

exits 0 gradient $model --integrator radau-5 --step 0.05 --compare --wrt Ls1,mA1
prints 'ali3p, natural coordinates, radau-5, h = 0.05 s'
exits 0 verify $model --integrator radau-3 --step 0.05 --end 0.3  # matrix-r with its own
exits 0 simulate $model --integrator radau-5 --step-tolerance 1e-5 --sample 0.5 -o "$folder/rows.csv"
[ "$(wc -l <"$folder/rows.csv")" -eq 12 ] || fail 'rows at all multiples of 0.5 s'
exits 0 list integrators
prints 'radau-5 *implicit Runge-Kutta method Radau IIA of order 5'

complains 'integrator radau-5 is not offered with formulation matrix-r, which steps by independent coordinates; use ali3p' gradient $model --integrator radau-5 --formulation matrix-r
complains 'dormand-prince-8, radau-3 or radau-5' gradient $model --integrator radau
complains 'projection matrix tangent is not offered with integrator radau-5' gradient $model --integrator radau-5 --projection-matrix tangent
complains 'nonholonomic projected is not offered with integrator radau-3' gradient models/snakeboard.yaml --integrator radau-3 --nonholonomic projected
complains 'adjoint-continuous is not offered with integrator radau-5' gradient $model --formulation penalty --integrator radau-5 --method adjoint-continuous
complains 'must be between 1e-14, which is rounding, and 1' gradient $model --integrator radau-5 --step-tolerance 1e-15
complains 'a spectral radius has no meaning with integrator radau-5' gradient $model --integrator radau-5 --spectral-radius 0.5
cat >"$folder/kappa.yaml" <<'YAML'
mbsens: 1
gravity: [0, -9.81]
parameters: {m: 1}
ground: {points: {O: [0, 0]}}
bodies: {bar: {mass: m, com: [1, 0], inertia: 0.1, points: {O: [0, 0], P: [2, 0]}}}
joints: [{revolute: [ground.O, bar.O], name: pin}]
objectives: {k: {final: kappa(bar)}, s: {final: sigma(bar)}}
simulation: {end: 0.2, step: 0.1}
YAML
exits 0 gradient "$folder/kappa.yaml"
complains 'kappa() is the multiplier of a projection of accelerations, which integrator radau-5 does not do' gradient "$folder/kappa.yaml" --integrator radau-5
sed 's/k: {final: kappa(bar)}, //' "$folder/kappa.yaml" >"$folder/sigma.yaml"
exits 0 gradient "$folder/sigma.yaml" --integrator radau-5 --compare

# a law that no step gets past, and redundant constraints that index3 cannot have
cat >"$folder/end.yaml" <<'YAML'
mbsens: 1
parameters: {c: 1}
coordinates: {s: {inertia: 1}}
forces: [{coordinate_force: s, value: c/(1 - t)^2}]
objectives: {s: {final: s}}
simulation: {end: 2, step: 0.1, formulation: index1, integrator: radau-5}
YAML
exits 3 simulate "$folder/end.yaml" --step-tolerance 1e-6
grep -q "the step size collapses at t = " "$folder/err" || fail "the time must be said"
exits 3 simulate models/bricard.yaml --formulation index3 --integrator radau-5
grep -q "redundant there" "$folder/err" || fail "redundant constraints must be named"
done_well

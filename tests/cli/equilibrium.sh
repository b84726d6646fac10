#!/bin/sh
# Equilibrium on the command line: what is said, mistakes.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

iltis=tests/models/iltis_at_rest.yaml
# The Iltis of IAVSD's benchmark: the reference's figures to all their digits.
exits 0 equilibrium "$iltis" --wrt load
prints '^stable; '
prints 'held as at the start: "r(cabin.G).x", "r(cabin.G).y", "yaw(cabin)"'
prints '^  dz  *-0\.007083'
prints '^  pitch  *0\.1465'
prints '^  fl_tyre_load  *3831\.31'
prints '^  rl_tyre_load  *3591\.91'
prints '^  fl_shock_force  *-335\.28[6-9]'
prints '^  rl_shock_force  *-241\.63[5-9]'
prints '^  fl_leaf_load  *-3068\.61[5-9]'
prints '^  rl_leaf_load  *-2885\.50[5-9]'
prints '^  fl_rod_force  *-1408\.5[01]'
prints '^  rl_rod_force  *-1335\.52'
exits 0 equilibrium "$iltis" --wrt load,leaf --method adjoint --compare --coordinates relative
prints 'largest relative difference between adjoint and complex-step: .*e-\(0[89]\|1[0-9]\)$'
exits 0 equilibrium models/pendulum.yaml --json
prints '"stable": true'
prints '"success": true'

complains 'an equilibrium has methods direct' equilibrium models/pendulum.yaml --method adjoint-continuous
complains '"settled" is of a run' equilibrium "$iltis" --objective settled
exits 3 equilibrium models/rod_drop.yaml
grep -q 'no equilibrium was found: "r(G).y" goes on moving' "$folder/err" || fail "what falls is named"
done_well

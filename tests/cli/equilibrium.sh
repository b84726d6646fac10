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

# along a parameter: a truss up to the load that it carries at most, 100 (1.2^(2/3) - 1)^(3/2)
truss=tests/models/shallow_truss.yaml
exits 0 equilibrium "$truss" --along F=0:4:9 --wrt F -o "$folder/along.csv"
prints '^  *0\.5000000000  0\.6465156633  stable$'
prints '^  *4\.000000000  *-0\.08738998862$'
prints 'histories: .*along.csv, 9 rows'
head -1 "$folder/along.csv" | grep -q '^F,P.x,' || fail "the first column is the parameter"
[ "$(tail -1 "$folder/along.csv" | cut -c1-2)" = 4, ] || fail "the last row is that of F = 4"
exits 0 equilibrium "$truss" --along F=0:4:3 --method adjoint --json
prints '"along": "F"'
prints '{"value": 2, "steady": false,.*"gradient": {"k": 0.00086'
exits 3 equilibrium "$truss" --along F=0:6:13 -o "$folder/along.csv" --json
prints '"limit_point": true'
prints '"success": false'
grep -q 'limit point at F = 4.6463479: ' "$folder/err" || fail "the limit point is named"
grep -q 'incomplete: 10 of 13 equilibria: .*along.incomplete.csv' "$folder/err" || fail "what there is has a name"
[ "$(wc -l <"$folder/along.incomplete.csv")" -eq 11 ] || fail "ten rows and names"
[ "$(wc -l <"$folder/along.csv")" -eq 10 ] || fail "the whole file of before stays"
# trim: steering and drive force of a steady turn
turn=tests/models/steady_turn.yaml
exits 0 equilibrium "$turn" --wrt v,R --method adjoint
prints '^solved for: steer = 0\.07140275236, drive = 417\.092352$'
prints '^  R  *-5\.33711.*-0\.001432833413  -9\.516254302$'
exits 0 equilibrium "$turn" --json
prints '"steer": 0.07140275'
exits 0 gradient "$turn" --wrt m --objective effort
complains 'not offered where the start is solved for' gradient "$turn" --method adjoint-continuous --formulation matrix-r

complains 'must be NAME=FROM:TO:COUNT' equilibrium "$truss" --along F=0:5
complains 'must be NAME=FROM:TO:COUNT' equilibrium "$truss" --along F=0:5:2.5
complains 'no parameter "Q"' equilibrium "$truss" --along Q=0:5:3
complains 'not offered with --along' equilibrium "$truss" --along F=0:5:3 --compare
complains 'take direct or adjoint' equilibrium "$truss" --along F=0:5:3 --method complex-step
complains 'not an option of simulate' simulate "$truss" --along F=0:5:3
done_well

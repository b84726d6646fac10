#!/bin/sh
# The command line itself: help, version, and every way to get it wrong.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

# ---- help ----
exits 0 --version
prints '^mbsens [0-9]*\.[0-9]*\.[0-9]*$'
for call in --help -h help; do
  exits 0 $call
  prints '^usage: mbsens COMMAND'
  prints '^exit status:'
done
for name in check simulate gradient verify study list help; do
  exits 0 $name --help
  prints "^usage: mbsens $name"
  cp "$folder/out" "$folder/help"
  exits 0 help $name
  cmp -s "$folder/out" "$folder/help" || fail "help $name and $name --help must be the same"
  # terminals of 100 columns
  awk 'length($0) > 100 { exit 1 }' "$folder/out" || fail "a line of the help is longer than 100 columns"
done
exits 0 gradient --help
for option in --objective --wrt --method --compare --difference --difference-step -o --set --formulation \
  --coordinates --integrator --step --end --tolerance --penalty --xi --omega --baumgarte --json --quiet; do
  prints "^  $option"
done

# ---- commands ----
complains 'no command'
complains 'unknown option --json' --json check $model
for name in optimice nonsense; do
  complains 'unknown command' $name $model
done
complains 'did you mean gradient?' gradeint $model
complains 'unknown command' help nonsense
for name in check simulate gradient verify; do
  complains 'needs a MODEL' $name
  complains 'takes one MODEL' $name $model $model
done

# ---- options ----
complains 'did you mean --step?' simulate $model --stpe 0.1
complains 'unknown option --zzzzzz' simulate $model --zzzzzz
complains 'unknown option -x' simulate $model -x
complains 'not an option of check' check $model --method direct
complains 'not an option of verify' verify $model --formulation index1
complains '--derivatives must be analytical, automatic or numerical, got "1"' gradient $model --derivatives 1
complains 'did you mean automatic?' gradient $model --derivatives automatik
complains 'is for --method direct or adjoint only, the method is complex-step' gradient $model --method complex-step --derivatives numerical
complains 'automatic and numerical derivatives are not offered with relative coordinates' gradient $model --derivatives numerical --coordinates relative --end 0.1
complains 'not an option of simulate' simulate $model --derivatives automatic
complains 'not an option of check' check $model --derivatives automatic
complains 'too few independent coordinates' gradient $model --formulation matrix-r --independent 'r(P2).x'
complains 'too many independent coordinates' gradient $model --formulation matrix-r --independent 'r(P2).x,r(P2).y,r(P1).x'
complains 'does not add a freedom' gradient $model --formulation matrix-r --independent 'r(P2).x,2*r(P2).x'
complains 'use penalty, or method adjoint' gradient models/rolling_disc.yaml --formulation matrix-r --method adjoint-continuous
complains '--spectral-radius must be from 0 to 1' gradient $model --spectral-radius 1.5
complains 'gamma must be from 1/2 to 1' gradient $model --gamma 0.4
complains 'beta must be positive and at most 1/2' gradient $model --beta 0.7
complains 'a spectral radius has no meaning with integrator trapezoidal' gradient $model --spectral-radius 0.5 --integrator trapezoidal
complains 'beta or gamma has no meaning with integrator generalised-alpha' gradient $model --gamma 0.6 --integrator generalised-alpha
complains 'a spectral radius has no meaning with integrator dormand-prince-5' gradient $model --spectral-radius 0.5 --formulation index1 --integrator dormand-prince-5
for formulation in ali3p index3; do
  complains "integrator dormand-prince-8 is not offered with formulation $formulation" gradient $model --formulation $formulation --integrator dormand-prince-8
done
complains 'step_tolerance is not offered with integrator trapezoidal' gradient $model --step-tolerance 1e-6
complains 'error_control sensitivities is for steps that find their own size' gradient $model --formulation index1 --integrator dormand-prince-5 --error-control sensitivities
complains '--error-control' gradient $model --error-control all
complains '--step-tolerance must be between 1e-14, which is rounding, and 1' gradient $model --formulation index1 --integrator dormand-prince-5 --step-tolerance 1e-15
complains 'every 3 and sample 0.1 contradict each other' simulate $model --formulation index1 --integrator dormand-prince-5 --step-tolerance 1e-6 --sample 0.1 --every 3 -o "$folder/rows.csv"
complains 'adjoint-continuous is not offered with integrator dormand-prince-5' gradient $model --formulation penalty --integrator dormand-prince-5 --method adjoint-continuous
complains 'formulation index1 has no projections; use ali3p for projections, or an explicit integrator' gradient $model --formulation index1 --projections 2
complains 'projections have no meaning with formulation matrix-r, whose states meet' gradient $model --formulation matrix-r --integrator dormand-prince-5 --projections 2
complains 'formulation index1 has no projections; use ali3p for projections' gradient $model --formulation index1 --integrator radau-5 --projections 2
complains 'formulation index1 has no projections; use ali3p for projection matrix tangent' gradient $model --formulation index1 --integrator dormand-prince-5 --projections 2 --projection-matrix tangent
exits 0 verify $model --end 0.2 --step 0.05 --integrator dormand-prince-5 --projections 2 --objective psi1 --wrt Ls1
complains 'formulation ali3p has no Baumgarte stabilisation; use index1' gradient $model --baumgarte
exits 0 verify $model --step 0.05 --end 0.5 --baumgarte  # with the formulations that have it
complains 'formulation penalty has no projections; use ali3p for nonholonomic' gradient $model --formulation penalty --nonholonomic projected
complains 'formulation index1 has no projections; use ali3p for projection matrix tangent' gradient $model --formulation index1 --projection-matrix tangent
complains 'projection matrix tangent needs the projections that projections none leaves out' gradient $model --formulation ali3p --projection-matrix tangent --projections none
complains '--projections must be a whole number, or auto, or none, got "some"' gradient $model --projections some
complains 'projections must be none, auto, or 1 to' gradient $model --formulation ali3p --projections 100
complains '--projection-matrix must be mass or tangent' gradient $model --projection-matrix stiff
complains '--penalty' gradient $model --penalty 0
complains '--penalty' gradient $model --penalty=-1
for option in --step --end --tolerance --penalty --xi --set --method --objective --wrt -o; do
  complains "$option: needs a value" gradient $model $option
  complains "$option: needs a value" gradient $model $option --json
done
complains '--json: takes no value' check $model --json=1

# ---- numbers ----
complains '--step must be positive, got 0' simulate $model --step 0
complains '--step must be positive, got -0.1' simulate $model --step -0.1
complains '--step must be positive, got -0.1' simulate $model --step=-0.1
complains '--end must be positive, got 0' simulate $model --end 0
complains '--tolerance must be between 1e-15, which is rounding, and 1, got 0' simulate $model --tolerance 0
complains '--tolerance must be between 1e-15, which is rounding, and 1, got 1e-17' simulate $model --tolerance 1e-17
complains '--penalty must be positive, or auto, got 0' simulate $model --penalty 0
complains '--xi must be zero or positive, got -1' simulate $model --xi -1
for number in nan inf 0x10 1e 1e999 '1 ' ' 1' 0.1s 1,5 '' --; do
  complains '--step' simulate $model --step "$number"
done

# ---- names ----
complains '--wrt: the name 2 of 3 is empty' gradient $model --wrt Ls1,,Ls2
complains '--objective: the name 2 of 2 is empty' gradient $model --objective psi1,
complains 'stands twice' gradient $model --wrt Ls1,Ls1
complains 'NAME=VALUE' check $model --set Ls1
complains 'NAME=VALUE' check $model --set =2
complains 'NAME=VALUE' check $model --set Ls1=
for formulation in index1 ali1 index3 ali3p; do
  complains "adjoint-continuous is not offered with formulation $formulation: backward equations are written for" \
    gradient $model --method adjoint-continuous --formulation $formulation
done
printf 'mbsens: 1\nparameters: {m: 2}\nbodies:\n  ball: {mass: m, points: {P: [0, 0]}}\n%s\n%s\n' \
  'objectives: {x: {final: r(P).x + m}}' 'simulation: {end: 1, step: 0.1, formulation: index3}' >"$folder/index3.yaml"
complains 'index3.yaml:6:46: error: method adjoint-continuous is not offered' \
  gradient "$folder/index3.yaml" --method adjoint-continuous
complains 'not offered for kinematics, which has no equations of motion to integrate backwards; use method adjoint' kinematics $model --method adjoint-continuous
complains '--derivatives: is for derivatives of the objectives; say by which --method' \
  kinematics $model --derivatives automatic
complains '--wrt: is for derivatives of the objectives; say by which --method' kinematics $model --wrt Ls1
complains 'did you mean complex-step?' gradient $model --method complexstep
complains '--difference must be central, forward or backward' gradient $model --method finite-difference --difference sideways
complains 'finite-difference only' gradient $model --difference forward
complains 'is the method already' gradient $model --compare direct
complains 'unknown name' simulate $model --formulation a_name_that_is_longer_than_any_formulation_will_ever_be
# these the library knows
for option in --formulation --coordinates --integrator; do
  complains 'nonsense' simulate $model $option nonsense
done
complains 'psi9' gradient $model --objective psi9
complains 'Ls9' gradient $model --wrt Ls1,Ls9
complains 'Ls9' check $model --set Ls9=1

# ---- models ----
complains 'none.yaml' check "$folder/none.yaml"
: >"$folder/bad.yaml"
complains 'bad.yaml' check "$folder/bad.yaml"
printf 'mbsens: 1\nbodeis: {}\n' >"$folder/bad.yaml"
for name in check simulate gradient verify; do
  complains 'bad.yaml:2:1: error: ' $name "$folder/bad.yaml"
done

# ---- list ----
exits 0 list
prints '^joints$'
prints '^forces$'
prints '^formulations$'
cp "$folder/out" "$folder/topics"
while read -r topic; do
  exits 0 list "$topic"
  [ -s "$folder/out" ] || fail "list $topic prints nothing"
done <"$folder/topics"
exits 0 list elements --markdown
prints 'revolute'
prints 'spring'
prints '^|'
complains 'did you mean joints?' list joinst
complains 'unknown topic' list zzzzzzzz
complains 'not an option of list' list --json

done_well

#!/bin/sh
# usage: benchmarks/vehicles.sh COMMAND
# The buggy of models/vehicles down its step (h = 1e-2 and 1e-3, 4.5 s) and through its lane changes (h = 15 ms, 12 s): processor
# time and instructions of a step, of dynamics, and of dynamics with the gradient of one objective by five parameters, by
# the direct method and by the adjoint; and seconds of computing per second simulated. Least of several runs.
# shellcheck disable=SC1091,SC2086,SC2154  # lists of options are meant to be split; names come from measure.sh
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
. benchmarks/measure.sh
repeats=${REPEATS:-3}
vehicles=models/vehicles

# usage: cost OPTION...  microseconds of dynamics and of sensitivities per step
cost() {
  dynamics=$(seconds dynamics "$@")
  sensitivity=0
  [ "$1" = simulate ] || sensitivity=$(seconds sensitivity "$@")
  case "$dynamics $sensitivity" in
  *cannot*) printf cannot ;;
  *) awk "BEGIN {printf \"%.0f\", $dynamics + $sensitivity}" ;;
  esac
}

counts() {
  if [ -n "$counted" ]; then instructions "$@"; else printf -- -; fi
}

# usage: table TITLE MODEL OBJECTIVE END STEP [counted]    instructions where they are wanted: they take minutes
table() {
  step=$5 counted=${6:-}
  echo
  echo "$1, microseconds and instructions per step, h = $step s, gradient of one objective by five parameters:"
  echo
  echo "| formulation, coordinates | dynamics | with direct | with adjoint | instructions: dynamics | with direct | with adjoint | computing per second simulated, direct |"
  echo "|---|---:|---:|---:|---:|---:|---:|---:|"
  for coordinates in natural relative; do
    for formulation in ali3p index1 matrix-r; do
      ways="--formulation $formulation --coordinates $coordinates"
      gradient="gradient $2 --objective $3 --wrt k_f,c_f,k_r,c_r,m_c $ways"
      direct=$(cost $gradient --end "$4")
      printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$formulation, $coordinates" "$(cost simulate "$2" $ways --end "$4")" "$direct" \
        "$(cost $gradient --end "$4" --method adjoint)" "$(counts simulate "$2" $ways)" "$(counts $gradient)" \
        "$(counts $gradient --method adjoint)" "$(awk -v us="$direct" "BEGIN {if (us == \"cannot\") printf us; else printf \"%.4f\", us*1e-6/$step}")"
    done
  done
}

table "Step descent" $vehicles/buggy_step.yaml psi_p3 4.5 1e-2 counted
table "Step descent" $vehicles/buggy_step.yaml psi_p3 4.5 1e-3
table "Lane change" $vehicles/buggy_lane_change.yaml psi_roll 12 0.015
echo

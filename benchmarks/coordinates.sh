#!/bin/sh
# usage: benchmarks/coordinates.sh COMMAND
# Relative against natural coordinates: what a step costs, and what the gradient of one objective with respect to one
# parameter adds to it, on the five-bar linkage, spatial mechanisms and chains of N four-bar loops; and how the cost of a
# step grows with the depth of a chain of loops. Least of several runs.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
. benchmarks/measure.sh

# usage: costs MODEL PARAMETER OBJECTIVE END OPTION...: microseconds and instructions of dynamics, and of what the direct
# method and the adjoint add, a line each; without a parameter ("-") dynamics alone
costs() {
  model=$1 parameter=$2 objective=$3 end=$4
  shift 4
  alone=$(instructions simulate "$model" "$@")
  echo "dynamics $(seconds dynamics simulate "$model" "$@" --end "$end") $alone"
  [ "$parameter" != - ] || return 0
  for method in direct adjoint; do
    gradient="$model --wrt $parameter --objective $objective --method $method"
    both=$(instructions gradient $gradient "$@")
    added=$(awk "BEGIN {printf \"%d\", $both - $alone}" 2>/dev/null || echo "?")
    echo "$method $(seconds sensitivity gradient $gradient "$@" --end "$end") $added"
  done
}

# usage: compare MODEL PARAMETER OBJECTIVE END FORMULATION: the lines of natural coordinates, each with that of relative
# ones behind it: part, microseconds, instructions, and these again
compare() {
  model=$1 parameter=$2 objective=$3 end=$4 formulation=$5
  for coordinates in natural relative; do
    costs "$model" "$parameter" "$objective" "$end" --formulation "$formulation" --coordinates $coordinates \
      >"$work/$coordinates"
  done
  paste -d " " "$work/natural" "$work/relative" | cut -d " " -f 1-3,5-6
}

# usage: row NAME MODEL PARAMETER OBJECTIVE END
row() {
  name=$1
  shift
  for formulation in matrix-r ali3p index1; do
    compare "$@" $formulation | awk -v start="| $name | $formulation |" '
      function saving(natural, relative) {
        return natural > 0 && relative > 0 ? sprintf("%.0f %%", 100*(1 - relative/natural)) : "?"
      }
      {print start, $1, "|", $2, "|", $4, "|", saving($2, $4), "|", $3, "|", $5, "|", saving($3, $5), "|"}'
  done
}

# Two rails and N rungs between them, hinged, hanging from the ground: N loops one behind the other, each a freedom.
ladder() {
  cat >"$work/ladder.yaml" <<END
mbsens: 1
name: ladder of $1 cells
gravity: [0, -9.81]
ground: {points: {A: [0, 0], B: [0.5, 0]}}
bodies:
END
  for i in $(seq "$1"); do
    cat >>"$work/ladder.yaml" <<END
  left$i: {mass: 1, com: [0.15, 0], inertia: 0.0075, points: {A: [0, 0], B: [0.3, 0]}}
  right$i: {mass: 1, com: [0.15, 0], inertia: 0.0075, points: {A: [0, 0], B: [0.3, 0]}}
  rung$i: {mass: 1, com: [0.25, 0], inertia: 0.02, points: {A: [0, 0], B: [0.5, 0]}}
END
  done
  left=ground.A right=ground.B
  echo "joints:" >>"$work/ladder.yaml"
  for i in $(seq "$1"); do
    cat >>"$work/ladder.yaml" <<END
  - revolute: [$left, left$i.A]
  - revolute: [$right, right$i.A]
  - revolute: [left$i.B, rung$i.A]
  - revolute: [right$i.B, rung$i.B]
END
    left=left$i.B right=right$i.B
  done
  printf "initial:\n  points: {" >>"$work/ladder.yaml"
  for i in $(seq "$1"); do
    at="0.3*$i*sin(0.2), -0.3*$i*cos(0.2)"
    printf "%s" "left$i.B: [$at], right$i.B: [0.5 + $at], "
  done >>"$work/ladder.yaml"
  echo "}" >>"$work/ladder.yaml"
}

echo
echo "Relative against natural coordinates, per step, h = $step: microseconds, instructions and what relative ones save; dynamics, and what the gradient of one objective with respect to one parameter adds by the direct method and by the adjoint:"
echo
echo "| model | formulation | part | natural | relative | saved | natural, instructions | relative | saved |"
echo "|---|---|---|---:|---:|---:|---:|---:|---:|"
row five-bar models/five_bar.yaml Ls1 psi1 0.5
row wishbone models/double_wishbone.yaml ml travel 0.5
row "steered wishbone" models/steered_wishbone.yaml ml lock 0.5
row "Stewart platform" models/stewart_platform.yaml Rb height 0.5
row governor models/governor.yaml La height 0.5
row "six-axis arm" models/six_axis_arm.yaml Lu x 0.5
for n in 2 40 640; do
  four_bar_chain $n
  row "N = $n" "$work/chain.yaml" m x 0.2
done
echo
echo "A deep chain of loops, a hanging ladder of N cells: dynamics, per step, and instructions per cell:"
echo
echo "| N | formulation | natural | relative | natural, instructions | relative | relative, per cell |"
echo "|---:|---|---:|---:|---:|---:|---:|"
for formulation in index1 ali3p; do
  for n in 5 10 20 40 80; do
    ladder $n
    compare "$work/ladder.yaml" - - 0.1 $formulation | awk -v start="| $n | $formulation |" -v n=$n '
      {print start, $2, "|", $4, "|", $3, "|", $5, "|", ($5 > 0 ? int($5/n) : "?"), "|"}'
  done
done
echo

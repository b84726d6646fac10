#!/bin/sh
# usage: benchmarks/formulations.sh COMMAND
# What a step costs in every formulation, in microseconds: dynamics, and what the gradient of one parameter adds by the
# direct method and by the adjoint; five-bar linkage and chains of N four-bar loops. Least of several runs.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
. benchmarks/measure.sh

# usage: row NAME MODEL PARAMETER OBJECTIVE OPTION...: the options are those of timed runs
row() {
  name=$1 model=$2 parameter=$3 objective=$4
  shift 4
  for formulation in index1 penalty ali1 index3 ali3p matrix-r; do
    set_up="--formulation $formulation"
    gradient="$model --wrt $parameter --objective $objective $set_up"
    dynamics=$(seconds dynamics simulate "$model" $set_up "$@")
    direct=$(seconds sensitivity gradient $gradient "$@")
    adjoint=$(seconds sensitivity gradient $gradient --method adjoint "$@")
    counted=$(instructions simulate "$model" $set_up)
    both=$(instructions gradient $gradient --method adjoint)
    ratio=$(awk "BEGIN {printf \"%.2f\", $both/$counted}" 2>/dev/null || echo "?")
    echo "| $name | $formulation | $dynamics | $direct | $adjoint | $counted | $ratio |"
  done
}

echo
echo "Microseconds per step, h = $step; direct and adjoint: what the gradient of one objective with respect to one parameter adds. Instructions of a step; of simulation and adjoint gradient together, over those of a simulation:"
echo
echo "| model | formulation | dynamics | direct | adjoint | instructions | with adjoint |"
echo "|---|---|---:|---:|---:|---:|---:|"
row five-bar models/five_bar.yaml Ls1 psi1
for n in 2 10 40 160 640; do
  four_bar_chain $n
  row "N = $n" "$work/chain.yaml" m x --end 0.2
done
echo

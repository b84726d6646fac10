#!/bin/sh
# usage: benchmarks/formulations.sh COMMAND
# What a step costs in every formulation, in microseconds: dynamics, and what the gradient of one parameter adds by the
# direct method and by the adjoint; five-bar linkage and chains of N four-bar loops. Least of several runs.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repeats=${REPEATS:-5}

# usage: seconds KIND [OPTION...]: the least over the repeats, per step, in microseconds
seconds() {
  kind=$1
  shift
  for repeat in $(seq "$repeats"); do
    "$command" "$@" --json --quiet 2>/dev/null
  done | awk -v kind="\"$kind\"" '
    match($0, "\"steps\": [0-9]+") { steps = substr($0, RSTART + 9, RLENGTH - 9) }
    match($0, kind ": [0-9.e+-]+") {
      value = substr($0, RSTART + length(kind) + 2, RLENGTH - length(kind) - 2)
      if (least == "" || value + 0 < least + 0) least = value
    }
    END { if (steps > 0) printf "%.2f", 1e6 * least / steps; else printf "cannot" }'
}

# usage: instructions COMMAND OPTION...: of a step: the difference of runs of 20 and 60 steps, counted by valgrind
instructions() {
  if ! command -v valgrind >/dev/null; then
    printf "?"
    return
  fi
  for end in 0.02 0.06; do
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$command" "$@" --end $end 2>&1 |
      awk '/I +refs:/ {gsub(",", "", $NF); print $NF}'
  done | awk '{count[NR] = $1} END {if (NR == 2) printf "%d", (count[2] - count[1])/40; else printf "cannot"}'
}

# usage: row NAME MODEL PARAMETER OBJECTIVE OPTION...
row() {
  name=$1 model=$2 parameter=$3 objective=$4
  shift 4
  for formulation in index1 penalty ali1 index3 ali3p matrix-r; do
    dynamics=$(seconds dynamics simulate "$model" --formulation $formulation "$@")
    direct=$(seconds sensitivity gradient "$model" --wrt "$parameter" --objective "$objective" --formulation $formulation "$@")
    adjoint=$(seconds sensitivity gradient "$model" --wrt "$parameter" --objective "$objective" --method adjoint \
      --formulation $formulation "$@")
    counted=$(instructions simulate "$model" --formulation $formulation --step 1e-3)
    both=$(instructions gradient "$model" --wrt "$parameter" --objective "$objective" --method adjoint \
      --formulation $formulation --step 1e-3)
    ratio=$(awk "BEGIN {printf \"%.2f\", $both/$counted}" 2>/dev/null || echo "?")
    echo "| $name | $formulation | $dynamics | $direct | $adjoint | $counted | $ratio |"
  done
}

echo
echo "Microseconds per step, h = 1e-3; direct and adjoint: what the gradient of one objective with respect to one parameter adds. Instructions of a step; of simulation and adjoint gradient together, over those of a simulation:"
echo
echo "| model | formulation | dynamics | direct | adjoint | instructions | with adjoint |"
echo "|---|---|---:|---:|---:|---:|---:|"
row five-bar models/five_bar.yaml Ls1 psi1 --step 1e-3
for n in 2 10 40 160 640; do
  cat >"$work/chain.yaml" <<END
mbsens: 1
include: $PWD/models/n_four_bar.yaml
name: N four-bar mechanism, N = $n
constants: {N: $n}
END
  row "N = $n" "$work/chain.yaml" m x --step 1e-3 --end 0.2
done
echo

#!/bin/sh
# usage: benchmarks/derivatives.sh COMMAND
# What gradients cost with derivatives of the terms from written formulas, from the complex step and from differences,
# element by element, and how exact they are (P4's comparison, on models of our own): five-bar linkage, a spatial loop, a
# chain of 40 four-bar loops. All objectives, all parameters. Least of several runs.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repeats=${REPEATS:-5}

# usage: row NAME MODEL FORMULATION METHOD OPTION...
row() {
  name=$1 model=$2 formulation=$3 method=$4
  shift 4
  rm -f "$work"/*
  for repeat in $(seq "$repeats"); do # taking turns, so that a busy machine slows all of them or none
    for source in analytical automatic numerical; do
      "$command" gradient "$model" --formulation "$formulation" --method "$method" --derivatives $source "$@" --json |
        awk -f scripts/validation.awk >>"$work/$source"
    done
  done
  for source in analytical automatic numerical; do
    awk -v start="| $name | $formulation | $method | $source |" '
      function size(x) {return x < 0 ? -x : x}
      $1 == "statistics.steps" {steps = $2}
      $1 == "statistics.seconds.sensitivity" {
        if (!(FILENAME in time) || 1e6*$2/steps < time[FILENAME]) time[FILENAME] = 1e6*$2/steps
      }
      !($1 ~ /^objectives\..*\.gradient\./) {next}
      {objective = $1; sub(/\.gradient\..*/, "", objective)}
      FNR == NR {reference[$1] = $2; if (size($2) > largest[objective]) largest[objective] = size($2); next}
      {e = largest[objective] > 0 ? size($2 - reference[$1])/largest[objective] : size($2); if (e > w) w = e}
      END {
        printf "%s %.1f | %.1f | %s |\n", start, time[ARGV[2]], time[ARGV[2]]/time[ARGV[1]],
          ARGV[1] == ARGV[2] ? "" : sprintf("%.1e", w)
      }' "$work/analytical" "$work/$source"
  done
}

echo "Microseconds per step that the gradient adds, by source of the terms' derivatives; times analytical; largest difference from analytical, of each objective's largest derivative:"
echo
echo "| model | formulation | method | derivatives | sensitivities | ratio | difference |"
echo "|---|---|---|---|---:|---:|---:|"
for formulation in index1 matrix-r; do
  for method in direct adjoint; do
    row five-bar models/five_bar.yaml $formulation $method
    row rssr models/rssr.yaml $formulation $method
    row "N = 40" models/n_four_bar_40.yaml $formulation $method --step 1e-3 --end 0.2
  done
done
echo

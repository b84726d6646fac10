#!/bin/sh
# usage: benchmarks/derivatives.sh COMMAND
# What gradients cost with derivatives of the terms from written formulas, from the complex step and from differences,
# element by element, and how exact they are (P4's comparison, on models of our own): five-bar linkage, a spatial loop, a
# chain of 40 four-bar loops. All objectives, all parameters. Least of several runs.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
. benchmarks/measure.sh

# usage: row NAME MODEL STEP END FORMULATION METHOD
row() {
  name=$1 model=$2 step=$3 end=$4 formulation=$5 method=$6
  rm -f "$work"/*
  for repeat in $(seq "$repeats"); do # taking turns, so that a busy machine slows all of them or none
    for source in analytical automatic numerical; do
      "$command" gradient "$model" --formulation "$formulation" --method "$method" --derivatives $source \
        --step "$step" --end "$end" --json | awk -f scripts/validation.awk >>"$work/$source"
    done
  done
  simulation=$(instructions simulate "$model" --formulation "$formulation")
  for source in analytical automatic numerical; do
    counted=$(instructions gradient "$model" --formulation "$formulation" --method "$method" --derivatives $source)
    [ $source != analytical ] || fewest=$counted
    awk -v start="| $name | $formulation | $method | $source |" -v counted="$counted" -v fewest="$fewest" \
      -v simulation="$simulation" '
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
        has_counts = counted != "?"
        ratio = has_counts ? (counted - simulation)/(fewest - simulation) : time[ARGV[2]]/time[ARGV[1]]
        printf "%s %.1f | %s | %.1f | %s |\n", start, time[ARGV[2]], has_counts ? counted - simulation : "?", ratio,
          ARGV[1] == ARGV[2] ? "" : sprintf("%.1e", w)
      }' "$work/analytical" "$work/$source"
  done
}

echo "Microseconds and instructions per step that the gradient adds, by source of the terms' derivatives; instructions over those of analytical; largest difference from analytical, of each objective's largest derivative:"
echo
echo "| model | formulation | method | derivatives | sensitivities | instructions | ratio | difference |"
echo "|---|---|---|---|---:|---:|---:|---:|"
for formulation in index1 matrix-r; do
  for method in direct adjoint; do
    row five-bar models/five_bar.yaml 1e-2 5 $formulation $method
    row rssr models/rssr.yaml 1e-2 2 $formulation $method
    row "N = 40" models/n_four_bar_40.yaml 1e-3 0.2 $formulation $method
  done
done
echo

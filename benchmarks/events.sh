#!/bin/sh
# usage: benchmarks/events.sh COMMAND
# What events cost, in Markdown: instructions per step of the five-bar linkage with an event whose guard never fires
# against those without, and what one event costs in steps: the instructions of its step over those of a step, in a run
# of models/five_bar_impact.yaml that ends behind its first impact.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
. benchmarks/measure.sh

cat >"$work/never.yaml" <<END
mbsens: 1
include: $PWD/models/five_bar.yaml
events: {never: {when: r(P2).y + 100, direction: falling, restitution: 0.5}}
END

echo "Instructions per step of the five-bar without events, and with one whose guard never fires:"
echo
echo "| formulation | coordinates | method | without | with | more |"
echo "|---|---|---|---:|---:|---:|"
for formulation in ali3p index1 matrix-r; do
  for coordinates in natural relative; do
    for method in none direct adjoint; do
      case $method in
        none) set -- simulate ;;
        *) set -- gradient --method $method --wrt Ls1,Ls2 ;;
      esac
      kind=$1
      shift
      without=$(instructions "$kind" models/five_bar.yaml --formulation $formulation --coordinates $coordinates "$@")
      with=$(instructions "$kind" "$work/never.yaml" --formulation $formulation --coordinates $coordinates "$@")
      echo "| $formulation | $coordinates | $method | $without | $with | $(awk "BEGIN {printf \"%.1f %%\", 100*($with/$without - 1)}") |"
    done
  done
done

# whole runs of a command to a time, in instructions
count() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$command" "$@" 2>&1 |
    awk '/I +refs:/ {gsub(",", "", $NF); print $NF}'
}

# 280 steps before the impact at 0.3118 s, 20 steps with it, 20 steps behind it
echo
echo "What one impact of the five-bar costs, in steps of the same run:"
echo
echo "| formulation | coordinates | method | a step | the impact | in steps |"
echo "|---|---|---|---:|---:|---:|"
for formulation in ali3p index1 matrix-r; do
  for coordinates in natural relative; do
    for method in none direct adjoint; do
      case $method in
        none) set -- simulate ;;
        *) set -- gradient --method $method ;;
      esac
      set -- "$@" models/five_bar_impact.yaml --formulation $formulation --coordinates $coordinates --step 1e-3
      before=$(count "$@" --end 0.28)
      at=$(count "$@" --end 0.3)
      behind=$(count "$@" --end 0.32)
      awk -v a="$before" -v b="$at" -v c="$behind" -v w="$formulation | $coordinates | $method" 'BEGIN {
        step = (b - a)/20; impact = c - b - 20*step
        printf "| %s | %d | %d | %.1f |\n", w, step, impact, impact/step}'
    done
  done
done

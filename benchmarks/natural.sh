#!/bin/sh
# usage: benchmarks/natural.sh COMMAND
# Instructions of a step in natural coordinates, as valgrind counts them (differences of two run lengths): dynamics alone,
# with the direct method, with the adjoint; one objective, two parameters of the five-bar, five of the buggy, else one.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."

# usage: count STEP FEW MANY ARGUMENT...
count() {
  step=$1 few=$2 many=$3
  shift 3
  for steps in "$few" "$many"; do
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$command" "$@" --coordinates natural \
      --step "$step" --end "$(awk "BEGIN {print $steps*$step}")" 2>&1 | awk '/I +refs:/ {gsub(",", "", $NF); print $NF}'
  done | awk -v steps=$((many - few)) '{count[NR] = $1} END {if (NR == 2) printf "%d", (count[2] - count[1])/steps; else printf "cannot"}'
}

# usage: row MODEL STEP FEW MANY PARAMETERS OBJECTIVE
row() {
  for formulation in index1 ali3p; do
    gradient="gradient models/$1.yaml --formulation $formulation --wrt $5 --objective $6"
    # shellcheck disable=SC2086  # lists of options are meant to be split
    echo "| $1 | $formulation | $2 | $(count "$2" "$3" "$4" simulate "models/$1.yaml" --formulation $formulation) |" \
      "$(count "$2" "$3" "$4" $gradient) | $(count "$2" "$3" "$4" $gradient --method adjoint) |"
  done
}

echo "| model | formulation | h, s | dynamics | with direct | with adjoint |"
echo "|---|---|---:|---:|---:|---:|"
row five_bar 1e-2 100 300 Ls1,Ls2 psi1
row five_bar 1e-3 100 300 Ls1,Ls2 psi1
row double_wishbone 1e-2 10 40 ml travel
row n_four_bar_40 2e-3 20 60 L x
row vehicles/buggy_step 1e-2 20 60 k_f,c_f,k_r,c_r,m_c psi_p3
row vehicles/buggy_step 1e-3 20 60 k_f,c_f,k_r,c_r,m_c psi_p3

# Shell functions shared by the scripts of this folder, which source it after changing to the root of the sources with
# the path of the command in $command:
#   seconds KIND ARGUMENT...     microseconds per step of one kind (dynamics, sensitivity): the least over the repeats
#   instructions ARGUMENT...     per step, as valgrind counts them: the difference of runs of 20 and 60 steps
#   four_bar_chain N             writes a chain of N four-bar loops to $work/chain.yaml
# Where a run does not succeed both print "cannot"; "?" without valgrind.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repeats=${REPEATS:-5}
step=1e-3

seconds() {
  kind=$1
  shift
  for repeat in $(seq "$repeats"); do
    "$command" "$@" --step $step --json --quiet 2>/dev/null || true
  done | awk -v kind="\"$kind\"" '
    match($0, "\"steps\": [0-9]+") { steps = substr($0, RSTART + 9, RLENGTH - 9) }
    match($0, kind ": [0-9.e+-]+") {
      value = substr($0, RSTART + length(kind) + 2, RLENGTH - length(kind) - 2)
      if (least == "" || value + 0 < least + 0) least = value
    }
    END { if (steps > 0) printf "%.2f", 1e6 * least / steps; else printf "cannot" }'
}

instructions() {
  if ! command -v valgrind >/dev/null; then
    printf "?"
    return
  fi
  for steps in 20 60; do
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$command" "$@" --step "$step" \
      --end "$(awk "BEGIN {print $steps*$step}")" 2>&1 | awk '/I +refs:/ {gsub(",", "", $NF); print $NF}'
  done | awk '{count[NR] = $1} END {if (NR == 2) printf "%d", (count[2] - count[1])/40; else printf "cannot"}'
}

four_bar_chain() {
  cat >"$work/chain.yaml" <<END
mbsens: 1
include: $PWD/models/n_four_bar.yaml
name: N four-bar mechanism, N = $1
constants: {N: $1}
END
}

#!/bin/sh
# mbsens optimize from several starts at a time: the same results as one after the other, states that survive kills, the
# best of what is done after a stop, mistakes told. Under mpirun: sweep_mpi.sh.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034,SC2002  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
basket=models/designs/bounce_into_basket.yaml

# last_is FILE: the last line of JSON is this one
last_is() {
  tail -n 1 "$folder/out" | cmp -s - "$1" || fail "another result: $(tail -n 1 "$folder/out")"
  checks=$((checks + 1))
}

# ---- the same, with events (paths are kept), without gradients, limits of zero that are scaled by the first start,
# starts that fail (short throws have no square root), and a target that ends it ----
sed 's/^  x: .*/  x: {final: sqrt(r(P).x - 3.6)}\n  off: {final: r(P).y - Y}/; s/objective: x, equals: X/objective: x, equals: sqrt(X - 3.6)/
  s/objective: y, equals: Y/objective: off, equals: 0/' $basket >"$folder/far.yaml"
for case in "$basket --starts 6 --seed 3" "$folder/far.yaml --starts 6 --seed 3" "$basket --starts 4 --target 2.55" \
  "$basket --starts 3 --algorithm cobyla --evaluations 150"; do
  run optimize $case --step 0.02 --json
  [ $status -eq 0 ] || [ $status -eq 3 ] || fail 'expected a result'
  one=$status
  tail -n 1 "$folder/out" >"$folder/one"
  exits $one optimize $case --step 0.02 --json --threads 3
  last_is "$folder/one"
  # a line for each start that was simulated
  starts=$(sed 's/.*"starts": \([0-9]*\),.*/\1/' "$folder/one")
  lines=$(($(wc -l <"$folder/out") - 1))
  [ "$lines" -le "$starts" ] && [ "$lines" -gt 0 ] || fail "$lines lines of $starts starts"
  case $case in
    *far*)
      [ "$lines" -lt "$starts" ] || fail 'no start fails'
      ;;
    *target*)
      [ "$starts" -lt 4 ] || fail 'the target is not reached'
      ;;
  esac
done

# ---- one after the other, cut in the middle of a start: it goes on to the same bits, with paths and (masses far apart)
# with the pivots of that start ----
many="$basket --step 0.02 --starts 4"
far='--wrt mA1,LA1 --bound mA1=0.0001:10000 --bound LA1=0.9:1.6 --starts 4 --end 0.2'
for case in "$model --objective psi1 $far" "$many"; do
  rm -f "$folder/state"
  exits 0 optimize $case --json --state "$folder/state"
  tail -n 1 "$folder/out" >"$folder/one"
  lines=$(wc -l <"$folder/state")
  for part in 2 3 4 5 6 7 8 9; do
    head -n $((lines * part / 10)) "$folder/state" >"$folder/cut"
    exits 0 optimize $case --json --state "$folder/cut"
    last_is "$folder/one"
  done
done

# ---- killed, at a time: what is done is not done again ----
i=0
while [ $i -lt 8 ]; do
  i=$((i + 1))
  "$command" optimize $many --threads 2 --state "$folder/journal" >/dev/null 2>&1 &
  process=$!
  sleep "0.0$((i * 11))"
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
done
exits 0 optimize $many --threads 2 --json --state "$folder/journal"
last_is "$folder/one"
exits 0 optimize $many --threads 3 --json --state "$folder/journal" -o "$folder/better.yaml"
grep -q 'journal has 4 of 4 starts: going on' "$folder/err" || fail 'nothing was kept'
last_is "$folder/one"
grep -q '^  u: {value: [0-9.]*, lower: 0\.5, upper: 8, scale: 2}  *# velocity at the start$' "$folder/better.yaml" || fail 'the copy'

# ---- stopped: the best of the starts that are done ----
rm -f "$folder/journal" "$folder/better.yaml"
stopped_at "$folder/journal" 1200 optimize $basket --step 0.0002 --starts 1000 --threads 2 --state "$folder/journal" \
  -o "$folder/better.yaml"
prints '^stopped: the best design so far$'
exits 0 check "$folder/better.yaml"

# ---- mistakes ----
complains 'search from several starts: give --starts' optimize $basket --threads 2
complains 'is no journal of a search' optimize $many --threads 2 --state "$folder/state"
complains 'is of another search' optimize $many --seed 2 --threads 2 --state "$folder/journal"
complains 'cannot write' optimize $many --threads 2 --state "$folder/none/state"
complains 'cannot write' optimize $many --threads 2 -o "$folder/none/better.yaml"
complains 'is no state of mbsens optimize' optimize $many --state "$folder/journal"
done_well

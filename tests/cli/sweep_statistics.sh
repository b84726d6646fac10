#!/bin/sh
# Statistics of mbsens sweep against closed forms: Ishigami's function, sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1, and a linear
# one.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
known=tests/models/sweep.yaml

# of OBJECTIVE: its line of the statistics; number PATTERN: what stands behind it there
of() {
  sed -n '/"statistics"/,$p' "$folder/out" | grep -F "\"$1\": {\"count\"" >"$folder/line"
}
near() {
  value=$(sed -n "s/.*$1\([-+.0-9e]*\).*/\1/p" "$folder/line")
  echo "${value:-nothing}" | awk -v expected="$2" -v tolerance="$3" '{ d = $1 - expected; exit !($1 + 0 == $1 && d <= tolerance && -d <= tolerance) }' ||
    fail "$1: expected $2 within $3, got $value"
  checks=$((checks + 1))
}

# Ishigami: mean a/2, variance a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2 = 13.8446; indices by the same book (Saltelli et al. 2000)
three='--vary x1=uniform(-pi,pi) --vary x2=uniform(-pi,pi) --vary x3=uniform(-pi,pi)'
exits 0 sweep $known $three --plan saltelli --samples 4096 --method none --objective ishigami --json
of ishigami
near '"mean": ' 3.5 0.01
near '"variance": ' 13.8446 0.05
near '"x1": {"first": ' 0.3139 0.004
near '"x1": {[^}]*"total": ' 0.5576 0.004
near '"x2": {"first": ' 0.4424 0.004
near '"x2": {[^}]*"total": ' 0.4424 0.004
near '"x3": {"first": ' 0 0.004
near '"x3": {[^}]*"total": ' 0.2437 0.004
# 4 a - 3 b + 1: variances 16 0.25 and 9 0.04; no part of x1
exits 0 sweep $known --vary 'a=normal(2,0.5)' --vary 'b=normal(3,0.2)' --vary x1=1,2 --plan saltelli --samples 4096 \
  --method none --objective linear --json
of linear
near '"variance": ' 4.36 0.02
near '"a": {"first": ' 0.917431 0.01
near '"b": {[^}]*"total": ' 0.082569 0.002
near '"x1": {[^}]*"total": ' 0 0

# a linear function: propagation to first order is exact, and sampling agrees within its error
exits 0 sweep $known --samples 4000 --objective linear,fall --seed 3 --json
of linear
near '"first_order": {"at_mean": ' 0 1e-12
near '"first_order": {[^}]*"deviation": ' 2.0880613017821101 1e-12
near '"parts": {[^}]*"a": ' 0.91743119266055 1e-12
near '"mean": ' 0 0.12
near '"variance": ' 4.36 0.4
near '"correlation": {[^}]*"a": ' 0.95783 0.01
near '"correlation": {[^}]*"b": ' -0.28735 0.04
near '"quantiles": {"0.05": ' -3.4346 0.25 # -1.6449 deviations

# better plans are nearer: the mean of Ishigami's function by 1024 samples
error_of() {
  exits 0 sweep $known --plan $1 --samples 1024 --objective ishigami --method none --json
  of ishigami
  sed -n 's/.*"mean": \([-+.0-9e]*\).*/\1/p' "$folder/line" | awk '{ d = $1 - 3.5; print d < 0 ? -d : d }'
}
{ error_of monte-carlo; error_of sobol; } | awk 'NR == 1 { random = $1 } NR == 2 { exit !($1 < 0.05 && $1 < random) }' ||
  fail 'a Sobol sequence is expected to be better than chance'

# a sample that fails does not count; a grid has no correlations
printf 'd\n1\n-1\n3\n' >"$folder/list.csv"
exits 0 sweep $known --objective fall --list "$folder/list.csv" --json
of fall
near '"count": ' 2 0
grep -q correlation "$folder/line" && fail 'a list is no random sample'
done_well

#!/bin/sh
# -o FILE.h5: whole or not at all, and what cannot be had is told. What is in it: tests/results_example.sh, read_results.py.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--step 0.05 --end 0.5'
h5=$folder/out.h5

if "$command" --version | grep -q 'without HDF5'; then
  for call in "simulate $model" "gradient $model" "kinematics $model" "equilibrium $model" "linearize $model"; do
    complains 'built without HDF5' $call -o "$h5"
  done
  : >"$h5"
  complains 'built without HDF5' plot "$h5" -o "$folder/out.svg"
  done_well
  exit 0
fi

no_leftovers() {
  for file in "$folder"/*partial*; do
    [ ! -e "$file" ] || fail "left behind: $file"
  done
  checks=$((checks + 1))
}

is_whole() {
  # the signature of HDF5, and a superblock that ends where the file does
  [ "$(head -c 4 "$1" | tail -c 3)" = HDF ] || fail "$1 is no HDF5 file"
  [ "$(od -A n -t u8 -j 40 -N 8 "$1" | tr -d ' ')" -eq "$(wc -c <"$1")" ] || fail "$1 is not whole"
  checks=$((checks + 1))
}

# ---- written ----
for call in simulate gradient 'gradient --method adjoint' 'gradient --method complex-step' kinematics equilibrium \
  'gradient --formulation matrix-r --method adjoint-continuous' 'linearize --inputs Ls1'; do
  rm -f "$h5"
  case $call in
    linearize* | equilibrium*) exits 0 $call $model -o "$h5" ;;
    *) exits 0 $call $model $short -o "$h5" ;;
  esac
  no_leftovers
  is_whole "$h5"
done
exits 0 simulate $model $short -o "$h5"
prints 'histories: .*out.h5, 11 rows of 41 columns'
exits 0 simulate $model $short -o "$h5" --columns 'force(revolute 1),torque(*),P2' --every 5
prints 'histories: .*out.h5, 3 rows of 10 columns'

# ---- reactions are columns of CSV, too ----
exits 0 simulate $model $short -o "$folder/out.csv" --columns reactions --json
head -1 "$folder/out.csv" | grep -q '^t,force(revolute 1).x \[N\],force(revolute 1).y \[N\],torque(revolute 1) \[N m\],' ||
  fail 'expected forces and torques of joints'
last=$(tail -1 "$folder/out.csv" | cut -d , -f 2,3 | sed 's/,/, /')
grep -qF "\"revolute 1\": {\"force\": [$last]" "$folder/out" || fail 'the last row is not the reaction that is printed'
exits 0 simulate $model $short -o "$folder/out.csv" --columns 'force(revolute 2).y'
[ "$(head -1 "$folder/out.csv")" = 't,force(revolute 2).y [N]' ] || fail 'expected one component'
printf 'mbsens: 1\ndimension: 2\nbodies: {ball: {mass: 1, points: {P: [0, 0]}}}\n' >"$folder/ball.yaml"
complains 'no columns "reactions"' simulate "$folder/ball.yaml" $short -o "$folder/none.csv" --columns reactions
exits 0 simulate "$folder/ball.yaml" $short -o "$folder/ball.h5"

# ---- residuals have a group of their own, which is drawn like the others ----
exits 0 simulate $model $short -o "$h5" --columns P2,residuals
prints 'histories: .*out.h5, 11 rows of 6 columns'
exits 0 plot "$h5" --y 'residual*' -o "$folder/out.svg"
prints '1 panel, 3 curves'

# ---- not written ----
echo precious >"$h5"
complains 'psi9' gradient $model $short --objective psi9 -o "$h5"
complains 'no column "nothing"' simulate $model $short --columns nothing -o "$h5"
complains "$folder/none/out.h5: No such file" simulate $model --step 1e-6 --end 100 -o "$folder/none/out.h5"
complains 'must end in .csv or .h5' simulate $model $short -o "$folder/out.hdf5"
for call in "gradient $model --step 1e-3 --end 1" "linearize $model"; do
  called="$call (size of files limited)"
  (
    trap '' XFSZ
    ulimit -f 4
    exec "$command" $call -o "$h5" >"$folder/out" 2>"$folder/err"
  )
  status=$?
  [ $status -eq 2 ] || fail 'a full disk must give exit status 2'
  grep -q 'cannot write .*out.h5: File too large' "$folder/err" || fail 'a full disk must be told'
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail 'HDF5 must not print anything'
done
[ "$(cat "$h5")" = precious ] || fail 'an error must leave the old file alone'
no_leftovers

# ---- killed, at any time: the old file or the new one ----
exits 0 simulate $model --end 1 -o "$h5"
i=0
while [ $i -lt 20 ]; do
  "$command" gradient $model --end 3 -o "$h5" >/dev/null 2>&1 &
  process=$!
  sleep "0.0$((i % 10))"
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
  is_whole "$h5"
  i=$((i + 1))
done
rm -f "$folder"/*partial*

# ---- read again: what is drawn of a file is what is drawn of the run, with its events ----
impact=models/five_bar_impact.yaml
exits 0 gradient $impact --end 1 --wrt Ls1,Ls2 -o "$h5" --quiet
exits 0 plot "$h5" --y 'y2;d(y2)/d(*)' -o "$folder/file.svg"
exits 0 plot $impact --end 1 --wrt Ls1,Ls2 --y 'y2;d(y2)/d(*)' -o "$folder/model.svg"
cmp "$folder/file.svg" "$folder/model.svg" || fail 'a picture of results is that of the run'
complains 'no column "y3" in' plot "$h5" --y y3 -o "$folder/file.svg"
complains 'is a file of results' plot "$h5" --y y2 --end 1 -o "$folder/file.svg"
echo nothing >"$folder/bad.h5"
complains 'bad.h5 is no HDF5 file' plot "$folder/bad.h5" -o "$folder/file.svg"
exits 0 linearize models/pendulum.yaml -o "$folder/matrices.h5"
complains 'has no results over time' plot "$folder/matrices.h5" -o "$folder/file.svg"
# ---- a report of it: the same run, with --set and settings as they were ----
exits 0 gradient $model --set Ls1=2.3 --end 0.4 --step 0.005 --formulation index1 --wrt Ls1,Ls2 -o "$h5" --quiet
exits 0 report "$h5" -o "$folder/out.html"
prints '81 of 80 steps drawn'
grep -q '"formulation": "index1"' "$folder/out.html" || fail 'the formulation is that of the file'
complains 'out.h5 has results with other values; --ghost shows both' report "$h5" --set Ls1=2 -o "$folder/out.html"
exits 0 simulate $model --formulation penalty --penalty 1e3 --end 0.4 -o "$h5" --quiet
rm -f "$folder/out.html"
complains 'its model run again gives psi1 = ' report "$h5" -o "$folder/out.html"
[ ! -e "$folder/out.html" ] || fail 'what is not the run of the file leaves no report'
exits 0 report "$h5" --penalty 1e3 -o "$folder/out.html"
done_well

#!/bin/sh
# What -o does to a file that is there already, and what is left when a run does not come to its end: nothing.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--step 0.05 --end 0.5'
csv=$folder/out.csv

no_leftovers() {
  for file in "$folder"/*partial* "$folder"/*/*partial*; do
    [ ! -e "$file" ] || fail "left behind: $file"
  done
  checks=$((checks + 1))
}

# ---- an old file ----
echo old >"$csv"
for mode in 640 604 400 755; do
  chmod $mode "$csv"
  if [ -w "$csv" ]; then
    exits 0 simulate $model $short -o "$csv" --quiet
    [ "$(stat -c %a "$csv")" = $mode ] || fail "the mode $mode is lost: $(stat -c %a "$csv")"
  fi
done
[ "$(wc -l <"$csv")" -eq 12 ] || fail 'expected the new file'
(umask 077 && "$command" simulate $model $short -o "$folder/new.csv" --quiet >/dev/null)
[ "$(stat -c %a "$folder/new.csv")" = 600 ] || fail 'a new file follows the umask'

# through symbolic links: the link stays, what it points to is written, with its mode
mkdir "$folder/there"
for target in there/one.csv there/none.csv; do
  rm -f "$folder/link.csv" "$folder/second.csv"
  ln -s "$target" "$folder/link.csv"
  ln -s "$folder/link.csv" "$folder/second.csv"
  [ $target = there/none.csv ] || { echo old >"$folder/$target" && chmod 640 "$folder/$target"; }
  for link in link second; do
    exits 0 simulate $model $short -o "$folder/$link.csv" --quiet
    [ -L "$folder/$link.csv" ] || fail 'the link was replaced'
    [ "$(wc -l <"$folder/$target")" -eq 12 ] || fail 'the target was not written'
    no_leftovers
  done
done
[ "$(stat -c %a "$folder/there/one.csv")" = 640 ] || fail 'the mode of the target is lost'
ln -s circle.csv "$folder/circle.csv"
complains 'circle.csv: ' simulate $model $short -o "$folder/circle.csv"
ln -s nowhere/out.csv "$folder/astray.csv"
complains 'astray.csv: No such file' simulate $model $short -o "$folder/astray.csv"

# standard output fails: the old file stays
echo precious >"$csv"
for name in simulate gradient kinematics; do
  if [ -e /dev/full ]; then
    called="$name ... >/dev/full"
    "$command" $name $model $short -o "$csv" >/dev/full 2>"$folder/err"
    status=$?
    [ $status -eq 2 ] || fail 'expected exit status 2'
    [ "$(grep -c 'standard output' "$folder/err")" -eq 1 ] || fail 'a full disk must be told once'
    [ "$(cat "$csv")" = precious ] || fail 'the old file was replaced'
    no_leftovers
  fi
done

# ---- a value that is none ----
exits 0 gradient tests/models/undefined_on_the_way.yaml -o "$csv" --json
grep -q 'out.csv: [0-9]* values are no finite numbers and stay empty, the first late at t = 0$' "$folder/err" ||
  fail 'empty fields must be told'
! grep -qi 'nan\|inf' "$csv" || fail 'no such words in a CSV file'
awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) { if ($i == "late") { column = i } } next }
  (NR <= 6) != ($column == "") { exit 1 }' "$csv" || fail 'empty exactly where it is undefined'
exits 0 simulate $model $short -o "$csv" --quiet
[ ! -s "$folder/err" ] || fail 'nothing to tell here'

# ---- a file-size limit, its signal at its default ----
echo precious >"$csv"
called='simulate ... (size of files limited)'
(
  ulimit -f 4
  exec "$command" simulate $model --step 1e-3 --end 1 -o "$csv" >"$folder/out" 2>"$folder/err"
)
status=$?
[ $status -eq 2 ] || fail 'a file-size limit must give exit status 2'
grep -q 'cannot write .*out.csv: ' "$folder/err" || fail 'a file-size limit must be told'
[ "$(cat "$csv")" = precious ] || fail 'the old file was replaced'
no_leftovers

# ---- stopped ----
# stopped SIGNAL WAIT ARGUMENTS...: runs, waits until the file WAIT is there, sends the signal; exit status 130
stopped() {
  signal=$1
  wait_for=$2
  shift 2
  called="$* (SIG$signal)"
  "$command" "$@" >"$folder/out" 2>"$folder/err" &
  process=$!
  tries=0
  until ls $wait_for >/dev/null 2>&1 || [ $tries -ge 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  (sleep 60 && kill -9 $process) >/dev/null 2>&1 &
  watchdog=$!
  sleep 0.3
  kill -$signal $process
  wait $process
  status=$?
  kill $watchdog 2>/dev/null
  [ $status -eq 130 ] || fail 'a stopped run must give exit status 130'
  grep -q '^mbsens: stopped.*nothing written$' "$folder/err" || fail 'a stopped run must say so'
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail 'expected one sentence on standard error'
  [ ! -s "$folder/out" ] || fail 'a stopped run must print no results'
  [ "$(cat "$csv")" = precious ] || fail 'the old file was replaced'
  no_leftovers
}
for signal in HUP TERM; do
  stopped $signal "$folder/out.csv.partial-*" simulate $model --step 1e-5 --end 100 -o "$csv"
  stopped $signal "$folder/out.csv.partial-*" gradient $model --method adjoint-continuous --formulation matrix-r \
    --step 1e-5 --end 100 -o "$csv"
done
# while it reads: from a pipe that says nothing
mkfifo "$folder/pipe.yaml"
for name in check simulate verify; do
  (sleep 90) >"$folder/pipe.yaml" &
  writer=$!
  stopped TERM "$folder/pipe.yaml" $name "$folder/pipe.yaml"
  kill $writer 2>/dev/null
done
# while it assembles, before the first step: a ladder of loops that takes seconds
cat >"$folder/large.yaml" <<'MODEL'
mbsens: 1
gravity: [0, -9.81]
templates:
  cell:
    bodies:
      left: {mass: 1, com: [0, 0.5], inertia: 0.1, points: {A: [0, 0], B: [0, 1]}}
      top: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {B: [0, 0], C: [1, 0]}}
    joints:
      - {revolute: [left.B, top.B]}
assemblies:
  - {template: cell, name: cell, repeat: 2000}
MODEL
run check "$folder/large.yaml" --set nothing=1 # is it a model at all? the parameter is not
grep -q 'no parameter "nothing"' "$folder/err" || fail 'the large model must be read'
stopped TERM "$folder/large.yaml" simulate "$folder/large.yaml" --coordinates relative --step 1e-6 --end 100
done_well

#!/bin/sh
# Files of -o appear whole or not at all; what cannot be written is told; runs can be stopped.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
short='--step 0.05 --end 0.5'
csv=$folder/out.csv

no_leftovers() {
  for file in "$folder"/*partial*; do
    [ ! -e "$file" ] || fail "left behind: $file"
  done
  checks=$((checks + 1))
}

# ---- written ----
for name in simulate gradient; do
  rm -f "$csv"
  exits 0 $name $model $short -o "$csv" --quiet
  no_leftovers
  [ "$(wc -l <"$csv")" -eq 12 ] || fail 'expected a header and the start and ten steps'
  # every row has as many numbers as the header has names (names with commas are quoted)
  awk 'NR == 1 { gsub(/"[^"]*"/, "name"); columns = split($0, names, ","); next }
       split($0, values, ",") != columns || $0 !~ /^[-+.,0-9enai]*$/ { exit 1 }' "$csv" ||
    fail 'a row does not fit the header'
done
# gradients that run backwards: of the objectives and parameters asked for; the first row has what is printed
exits 0 gradient $model $short --formulation matrix-r --method adjoint-continuous --objective psi2,psi3 --wrt Ls1,LA1 \
  --json -o "$csv"
no_leftovers
[ "$(wc -l <"$csv")" -eq 12 ] || fail 'expected a header and the start and ten steps'
head -1 "$csv" | grep -q '^t,.*,psi3,d(psi2)/d(Ls1),d(psi3)/d(Ls1),d(psi2)/d(LA1),d(psi3)/d(LA1)$' ||
  fail 'expected the running gradients behind states and objectives'
[ "$(tail -1 "$csv" | awk -F , '{print $(NF - 3), $(NF - 2), $(NF - 1), $NF}')" = '0 0 0 0' ] ||
  fail 'at the end nothing is still to come'
sed -n 2p "$csv" | awk -F , '{print "psi2", $(NF - 1); print "psi3", $NF}' | while read -r objective number; do
  grep -F -e "\"$objective\": {" "$folder/out" | grep -qF -e "\"LA1\": $number}" ||
    fail "the first row's $number is not the gradient of $objective that is printed"
done || exit 1
exits 0 simulate $model $short -o "$csv"
prints 'histories: .*out.csv, 11 rows'

# ---- an existing file stays when something goes wrong ----
echo precious >"$csv"
printf 'mbsens: 1\nbodeis: {}\n' >"$folder/bad.yaml"
complains 'bad.yaml:2:1' simulate "$folder/bad.yaml" -o "$csv"
complains 'psi9' gradient $model $short --objective psi9 -o "$csv"
[ "$(cat "$csv")" = precious ] || fail 'an error must leave the old file alone'
no_leftovers

# ---- not written ----
complains 'not offered' simulate $model $short -o "$folder/out.hdf"
complains 'not offered' simulate $model $short -o "$folder/out"
# told before the run: this one would take minutes
complains "$folder/none/out.csv: No such file" simulate $model --step 1e-6 --end 100 -o "$folder/none/out.csv"
mkdir "$folder/folder.csv"
complains 'not a regular file' simulate $model $short -o "$folder/folder.csv"
no_leftovers

# a disk that fills up during the run: a limit on the size of files, whose signal is ignored
echo precious >"$csv"
called='simulate ... (size of files limited)'
(
  trap '' XFSZ
  ulimit -f 4
  exec "$command" simulate $model --step 1e-3 --end 1 -o "$csv" >"$folder/out" 2>"$folder/err"
)
status=$?
[ $status -eq 2 ] || fail 'a full disk must give exit status 2'
grep -q 'cannot write .*out.csv: ' "$folder/err" || fail 'a full disk must be told'
[ "$(cat "$csv")" = precious ] || fail 'a full disk must leave the old file alone'
no_leftovers
# of another kind, written by another writer
echo precious >"$folder/out.mat"
called='linearize ... (size of files limited)'
(
  trap '' XFSZ
  ulimit -f 4
  exec "$command" linearize $model -o "$folder/out.mat" >"$folder/out" 2>"$folder/err"
)
status=$?
[ $status -eq 2 ] || fail 'a full disk must give exit status 2'
grep -q 'cannot write .*out.mat: File too large' "$folder/err" || fail 'a full disk must be told'
[ "$(cat "$folder/out.mat")" = precious ] || fail 'a full disk must leave the old file alone'
no_leftovers

# ---- standard output ----
if [ -e /dev/full ]; then
  "$command" gradient $model $short >/dev/full 2>"$folder/err"
  status=$?
  [ $status -eq 2 ] || fail 'a full disk must give exit status 2'
  grep -q 'standard output' "$folder/err" || fail 'a full disk must be told'
fi
"$command" gradient $model $short >&- 2>"$folder/err"
status=$?
[ $status -eq 2 ] || fail 'a closed standard output must give exit status 2'
# a reader that leaves early gets no noise
"$command" help gradient 2>"$folder/err" | :
[ ! -s "$folder/err" ] || fail 'a closed pipe must give no message'

# ---- stopped ----
# SIGTERM, since shells start background jobs with SIGINT ignored
rm -f "$csv"
called='simulate ... (stopped)'
"$command" simulate $model --step 1e-5 --end 100 -o "$csv" >"$folder/out" 2>"$folder/err" &
process=$!
tries=0
until ls "$folder"/out.csv.partial-* >/dev/null 2>&1 || [ $tries -ge 10 ]; do
  sleep 1
  tries=$((tries + 1))
done
(sleep 20 && kill -9 $process) >/dev/null 2>&1 &
watchdog=$!
kill -TERM $process
wait $process
status=$?
kill $watchdog 2>/dev/null
[ $status -eq 130 ] || fail 'a stopped run must give exit status 130'
grep -q 'stopped at [0-9]* %.*nothing written' "$folder/err" || fail 'a stopped run must say so'
[ ! -e "$csv" ] || fail 'a stopped run must write no file'
[ ! -s "$folder/out" ] || fail 'a stopped run must print no results'
no_leftovers

done_well

#!/bin/sh
# usage: tests/planted.sh COMMAND FILE.sed
# A command with an error planted into one of its sources (tests/planted/FILE.sed: which, how, and what must be said):
# verify must fail and name the element. Only the double build has the error; the complex twin has not. Where the sed
# script says `broken` instead, something inside does not hold any more, which is an error like others.
# shellcheck disable=SC1091,SC2086,SC2154,SC2034  # lists of options are meant to be split; names come from ensure.inc
. "$(dirname "$0")/cli/ensure.inc"
planted=$2
arguments=$(sed -n 's/^# verify: //p' "$planted")
broken=$(sed -n 's/^# broken: //p' "$planted")

if [ -n "$broken" ]; then
  pattern=$(sed -n 's/^# expect: //p' "$planted")
  for name in check simulate gradient verify; do
    exits 4 $name $broken
    [ ! -s "$folder/out" ] || fail 'an error must print nothing on standard output'
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail 'expected one sentence on standard error'
    grep -q -e "$pattern" "$folder/err" || fail "expected \"$pattern\" on standard error"
  done
  done_well
  exit 0
fi

exits 3 verify $arguments
prints 'FAIL'
sed -n 's/^# expect: //p' "$planted" >"$folder/expected"
[ -s "$folder/expected" ] || fail "$planted expects nothing"
while read -r pattern; do
  prints "$pattern"
done <"$folder/expected"
# the sentence on standard error names the worst, and JSON has them all
suspect=$(sed -n '/^  suspect  /{n;s/^  //;s/  .*//;p;}' "$folder/out")
if [ -n "$suspect" ]; then
  grep -qF -e "; suspect: $suspect, its derivative by " "$folder/err" || fail "the error must name $suspect"
fi
count=$(grep -c '  direct$\|\(direct\|adjoint\|matrix\)  *[0-9.]*e[-+][0-9]*$' "$folder/out")
exits 3 verify $arguments --json
prints '^  "suspects": \['
prints "^  \"suspects_in_all\": $count,\$"
[ "$(grep -c '^ *{"element": "[^,]*", "coordinates": "[a-z]*", "derivative": "[^,]*", "products": ' "$folder/out")" -eq "$count" ] ||
  fail "expected $count suspects"
done_well

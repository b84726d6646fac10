#!/bin/sh
# usage: tests/planted_test.sh TEST FILE.sed
# A test with an error planted into one of the sources (tests/planted/FILE.sed: which, how, and what must be said): it
# must fail, and say so.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if "$1" >"$folder/out" 2>&1; then
  echo "$2: the test passes in spite of the error" >&2
  exit 1
fi
sed -n 's/^# expect: //p' "$2" >"$folder/expected"
[ -s "$folder/expected" ] || { echo "$2 expects nothing" >&2 && exit 1; }
while read -r pattern; do
  grep -q -e "$pattern" "$folder/out" || { echo "$2: expected \"$pattern\", got:" && tail -3 "$folder/out" && exit 1; }
done <"$folder/expected"
tail -1 "$folder/out"

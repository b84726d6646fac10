#!/bin/sh
# The manual page has every command with every option of its --help, in good roff; bash completes commands, options of the
# command at hand, and values where there is a list.
# shellcheck disable=SC1091,SC2154,SC2034  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

exits 0 help --manual
cp "$folder/out" "$folder/mbsens.1"
if command -v groff >/dev/null; then
  groff -man -ww -z -Tutf8 "$folder/mbsens.1" 2>"$folder/err" || fail 'groff refuses the manual page'
  [ ! -s "$folder/err" ] || fail 'groff warns'
fi
exits 0 --help
commands=$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$folder/out")
[ "$(echo "$commands" | wc -l)" -ge 12 ] || fail 'too few commands'
for name in $commands; do
  exits 0 "$name" --help
  sed -n '/^options/,/^$/s/^  \(-[-a-zA-Z]*\).*/\1/p' "$folder/out" >"$folder/options"
  # its part of the page
  awk -v name="$name" '/^\.SS / { is_it = $3 == name } /^\.SH/ { is_it = 0 } is_it' "$folder/mbsens.1" |
    sed -n 's/^\.B \([^ ]*\).*/\1/p' | sed 's/\\-/-/g' >"$folder/in_page"
  diff "$folder/options" "$folder/in_page" || fail "options of $name differ"
  checks=$((checks + 1))
done

exits 0 help --completion
cp "$folder/out" "$folder/completion"
command -v bash >/dev/null || {
  echo 'without bash: its completion is not tried'
  done_well
  exit 0
}
completes() { # EXPECTED WORDS...
  expected=$1
  shift
  called="completion of $*"
  found=$(bash --norc -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mbsens; echo "${COMPREPLY[*]}"' \
    "$folder/completion" "$@")
  [ "$found" = "$expected" ] || fail "expected \"$expected\", got \"$found\""
  checks=$((checks + 1))
}
completes 'simulate' mbsens sim
completes '--relative' mbsens gradient --rel
completes '' mbsens simulate --rel
completes 'matrix-r' mbsens simulate model.yaml --formulation matrix
completes 'state sensitivities' mbsens gradient --error-control ''
completes 'plot' mbsens help pl
completes 'functions' mbsens list fu
completes '' mbsens simulate mod
done_well

#!/bin/sh
# Every shipped model names the schema, before its first key, so that editors complete and explain its keys; and is read.
# shellcheck disable=SC1091,SC2154,SC2034  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
called='(none)' status=0
: >"$folder/err"
for file in models/*.yaml models/*/*.yaml; do
  # shellcheck disable=SC2016  # $schema is its name
  schema=$(sed -n '/^[a-z]/q; s/^# yaml-language-server: $schema=//p' "$file")
  [ -n "$schema" ] || fail "$file names no schema"
  cmp -s "$(dirname "$file")/$schema" schema/mbsens.schema.json || fail "$file: $schema is not the schema"
  checks=$((checks + 1))
done
[ "$checks" -gt 40 ] || fail 'too few models'
done_well

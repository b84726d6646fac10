#!/bin/sh
# Tyre property files (.tir) as includes: units, what is missing, what is wrong, with the place in the file.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

tyre=models/parts/car_tyre.tir
sed "s|../../models/parts/magic_formula.yaml, ../../models/parts/car_tyre.tir|$PWD/models/parts/magic_formula.yaml, tyre.tir|" \
  tests/models/magic_rig.yaml >"$folder/rig.yaml"

# usage: with SED    the tyre with one change
with() {
  sed "$1" $tyre >"$folder/tyre.tir"
}
# usage: refuses SED LINE:COLUMN MESSAGE
refuses() {
  with "$1"
  exits 2 check "$folder/rig.yaml"
  grep -qF "tyre.tir:$2: error: $3" "$folder/err" || fail "expected $2: $3"
}

with ''
exits 0 gradient "$folder/rig.yaml" --objective Fy --wrt LMUY,PKY1,LKY --json
cp "$folder/out" "$folder/si"
# the same tyre in millimetres, kilonewtons and milliseconds: 1 kN/mm is 1e6 N/m, 1 kN ms/mm is 1e3 N s/m
with "s/'meter'/'mm'/; s/'newton'/'kN'/; s/'second'/'millisecond'/; s/^\(UNLOADED_RADIUS\) .*/\1 = 313/; s/^\(WIDTH\) .*/\1 = 205/
  s/^\(VERTICAL_STIFFNESS\) .*/\1 = 0.2/; s/^\(VERTICAL_DAMPING\) .*/\1 = 0.5/; s/^\(FNOMIN\) .*/\1 = 4/"
exits 0 gradient "$folder/rig.yaml" --objective Fy --wrt LMUY,PKY1,LKY --json
for file in si out; do
  sed -n 's/.*"Fy": {"value": \([^,]*\), "gradient": {"LMUY": \([^,]*\), .*/\1 \2/p' "$folder/$file"
done | awk 'NR == 1 {a = $1; b = $2} NR == 2 {good = ($1/a - 1)^2 < 1e-18 && ($2/b - 1)^2 < 1e-18 && a != 0} END {exit !good}' ||
  fail "units change the forces"

refuses 's/^PCX1 = 1.685/PCX1 = 1,685/' 26:8 'expected a number, found "1,685"'
refuses 's/^PCX1 = 1.685/PCX1 1.685/' 26:1 'expected NAME = number, found "PCX1 1.685"'
refuses 's/^PDX1.*/PCX1 = 1/' 27:1 '"PCX1" is also on line 26'
refuses '/^PKY1/d' 1:1 '"PKY1" is missing'
refuses "s/'meter'/'furlong'/" 6:10 '[UNITS]: the unit "furlong" is not known'
refuses 's/^LENGTH/LENGHT/' 6:10 '[UNITS]: "LENGHT" is none of LENGTH, TIME, ANGLE, MASS, FORCE'
refuses "s/'PAC2002'/'FIALA'/" 12:24 "property file format 'FIALA' is not read: only 'PAC2002' is"
refuses '/PROPERTY_FILE_FORMAT/d' 1:1 'no PROPERTY_FILE_FORMAT'
refuses 's/^\[SHAPE\]/[SHAPE/' 109:1 'expected a section'
refuses 's/^PCX1/P-X1/' 1:1 '"PCX1" is missing'
with 's/^PDX2/P-X2/'
exits 2 check "$folder/rig.yaml"
grep -qF 'tyre.tir:28:1: error:' "$folder/err" || fail "names that are none"
done_well

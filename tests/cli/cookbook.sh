#!/bin/sh
# The recipes of docs/cookbook.md: each is a whole model, whose direct method and adjoint agree with the complex step,
# without a warning.
#   cookbook.sh MBSENS
set -eu
mbsens=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk -v folder="$folder" '
  /^```yaml/ {number += 1; file = sprintf("%s/recipe_%02d.yaml", folder, number); next}
  /^```/ {file = ""}
  file {print > file}' docs/cookbook.md
count=0
for recipe in "$folder"/*.yaml; do
  count=$((count + 1))
  "$mbsens" gradient "$recipe" --compare > "$folder/direct" || { cat "$recipe"; exit 1; }
  "$mbsens" gradient "$recipe" --method adjoint --compare > "$folder/adjoint"
  if grep -q "^warning" "$folder/direct"; then
    cat "$recipe" "$folder/direct"
    exit 1
  fi
done
[ "$count" -ge 12 ]
echo "cookbook.sh: $count recipes run"

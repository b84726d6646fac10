#!/bin/sh
# usage: tests/results_example.sh COMMAND python|octave, from the root of the repository
# Runs the example of docs/results.md, as it stands there, on a file that the command wrote; its last numbers must be
# those that the command prints. Status 77: skipped, what it needs is not there.
set -eu
command=$(realpath "$1")
language=$2
root=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
skip() {
  echo "skipped: $1"
  exit 77
}
if "$command" --version | grep -q 'without HDF5'; then
  skip 'the command was built without HDF5'
fi
case $language in
  python)
    interpreter="sh $root/tests/with_h5py.sh"
    $interpreter -c pass || exit 77
    ;;
  octave)
    command -v octave-cli >/dev/null || skip 'no octave-cli'
    interpreter='octave-cli --quiet --no-init-file'
    ;;
esac
awk -v begin="\`\`\`$language" '$0 == begin { inside = 1; next } /^```/ { inside = 0 } inside' docs/results.md \
  >"$folder/example"
[ "$(grep -c . "$folder/example")" -ge 8 ] || { echo 'no example in docs/results.md' >&2; exit 1; }
cd "$folder"
"$command" gradient "$root/models/five_bar.yaml" --step 0.02 -o five_bar.h5 --json >printed
$interpreter example >read
cat read
psi=$(sed -n 's/.*"psi1": {"value": \([^,]*\), "gradient": {"Ls1": \([^,]*\),.*/\1/p' printed)
gradient=$(sed -n 's/.*"psi1": {"value": \([^,]*\), "gradient": {"Ls1": \([^,]*\),.*/\2/p' printed)
awk -v psi="$psi" -v gradient="$gradient" '
  function near(a, b) { return b != 0 && (a - b) ^ 2 <= 1e-28 * b ^ 2 }
  END { exit !(near($(NF - 1), psi) && near($NF, gradient) && $(NF - 4) == 5 && $(NF - 2) != 0) }' read ||
  { echo "expected psi1 $psi and its derivative by Ls1 $gradient at t = 5" >&2; exit 1; }

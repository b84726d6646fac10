#!/bin/sh
# Reports: one file, with the numbers of the run, safe from the texts of a model; whole or absent. What a browser makes of
# it: web/test/report.mjs.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
html=$folder/out.html

# the data of the report, a member a line
data() {
  sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$html"
}
# floats KEY COUNT: the last COUNT numbers of the first member KEY that is base64
floats() {
  data | grep -o "\"$1\": \"[^\"]*\"" | head -n 1 | sed 's/.*: "//; s/"$//' | base64 -d | od -A n -v -t f4 -w4 | tail -n "$2" | tr -s ' \n' ' '
}
holds() {  # holds WHAT AWK-PROGRAM: which exits with 0
  awk "$2" || fail "$1"
  checks=$((checks + 1))
}

# ---- frames are those of another run, to the digits of a float; every number there is, and nothing fetched ----
exits 0 report $model -o "$html" --end 0.5
prints 'out.html, 4 bodies, 51 of 50 steps drawn'
[ "$(wc -c <"$html")" -lt 1500000 ] || fail 'a short run makes a small file'
exits 0 simulate $model --end 0.5 --columns frames -o "$folder/out.csv" --quiet
{ floats frames 12; echo; tail -n 1 "$folder/out.csv" | tr ',' ' '; } | holds 'the last frames are those of a history' '
  NR == 1 { for (i = 1; i <= 12; ++i) x[i] = $i }
  NR == 2 { for (i = 1; i <= 12; ++i) { e = x[i] - $(i + 1); if (e * e > 1e-11 || NF != 13) exit 1 } seen = 1 }
  END { exit !seen }'
run gradient $model --end 0.5 --json
value=$(sed -n 's/.*"psi1": {"value": \([^,]*\), "gradient".*/\1/p' "$folder/out")
data | grep -qF "\"psi1\": {\"value\": $value, \"gradient\"" || fail 'objectives are those of gradient'
for text in 'kinetic energy' 'residual velocity' 'd(psi1)/d(Ls1)' 'force(revolute 1).x' '"version": "' '"command": ['; do
  data | grep -qF "$text" || fail "the report has $text"
done
grep -q "Content-Security-Policy.*default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]*='; style-src 'sha256-" "$html" ||
  fail 'nothing may be fetched, and one script run'
sed '/^<script>/,$d' "$html" | grep -iE '(src|href)="[^#]' && fail 'no address is in it'
# the hash is that of the script (another program says so), without which no browser would run it
if command -v openssl >/dev/null; then
  hash=$(sed -n '/^<script>/,$p' "$html" | sed '1s/^<script>//; /^<\/script>/,$d' |
    openssl dgst -sha256 -binary | base64)
  grep -qF "sha256-$hash" "$html" || fail 'the policy names the script'
fi

# ---- texts of a model are data ----
{ sed 's|^name: .*|name: "</script><script>alert(1)</script> \\u2028 <!-- &"|' models/pendulum.yaml; echo '# </script><script>alert(2)</script>'; } >"$folder/in.yaml"
exits 0 report "$folder/in.yaml" -o "$html" --quiet
[ "$(sed '/^<\/script>$/,$d' "$html" | grep -c '</script\|<!--')" -eq 0 ] || fail 'no text of the model ends the data'
[ "$(grep -c 'alert([12])' "$html")" -eq "$(grep -c 'script\\u003ealert\|&#62;alert' "$html")" ] || fail 'and none is markup'

# ---- shapes: numbers are those of the model, names those of its bodies, also in a template that is mirrored ----
cat >"$folder/in.yaml" <<'END'
mbsens: 1
dimension: 3
parameters: {R: 0.3, s: 7}
functions: {"rise(x)": "10*R*x*step(x)"}
ground: {points: {base: [0, 0, 0]}}
templates:
  corner:
    bodies: {hub: {mass: 1, inertia: [1, 1, 1], points: {W: [0, 0.5, 0], U: [0.2, 0.5, 0]}, vectors: {left: [0.5, 2, 0]}}}
    shapes:
      - {at: hub.W, kind: wheel, axis: left, radius: 2*R, offset: [0, 0.1, 0]}
      - {at: hub.W, kind: mesh, file: corner.stl}
      - {at: hub.W, kind: mesh, file: corner.stl, mirror: y, scale: 2}
      - {at: hub.W, to: [hub.U, base, hub.W], kind: line}
      - {at: hub.W, kind: line, curve: ["rise(s)", 2*s, R], range: [-1, 1/2], pieces: 3}
assemblies:
  - {template: corner, name: a}
  - {template: corner, name: b, mirror: y}
shapes:
  - {at: a.hub.W, to: b.hub.W, kind: cylinder, radius: R/10, colour: "#102030"}
  - {at: a.hub.W, kind: mesh, file: corner.stl, scale: 0.001}
  - {at: b.hub.W, kind: mesh, file: square.obj}
simulation: {end: 0.01, step: 0.005}
END
{ echo 'solid corner'; printf 'facet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4 5 6\nvertex 7 8 9.5\nendloop\nendfacet\n'; echo endsolid; } >"$folder/corner.stl"
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.25\nf 1/1 2/1 3/1 -1/1\n' >"$folder/square.obj"
exits 0 report "$folder/in.yaml" -o "$html" --quiet
shapes=$(data | grep -o '"shapes": .*')
numbers() {  # numbers KEY: the floats of each array of this name, an array a line
  data | grep -o "\"$1\": \"[^\"]*\"" | sed 's/.*: "//; s/"$//' | while read -r array; do
    echo "$array" | base64 -d | od -A n -v -t f4 -w4 | tr -d '\n'
    echo
  done
}
for text in '"kind": "wheel", "at": "a_hub.W", "axis": [0.5, 2, 0], "size": [0, 0, 0], "offset": [0, 0.1' \
  '"kind": "wheel", "at": "b_hub.W", "axis": [0.5, -2, 0], "size": [0, 0, 0], "offset": [0, -0.1' \
  '"kind": "line", "at": "b_hub.W", "to": ["b_hub.U", "base", "b_hub.W"]' \
  '"kind": "cylinder", "at": "a_hub.W", "to": ["b_hub.W"], "colour": "#102030"'; do
  echo "$shapes" | grep -qF "$text" || fail "shapes: $text"
done
# corners of a mirrored mesh change places, so that what was outside is outside
numbers mesh | sed '1,2d' | tr -s ' ' >"$folder/got"
cat >"$folder/expected" <<'END'
 1 2 3 4 5 6 7 8 9.5
 1 -2 3 7 -8 9.5 4 -5 6
 1 -2 3 7 -8 9.5 4 -5 6
 1 2 3 4 5 6 7 8 9.5
END
cmp -s "$folder/got" "$folder/expected" || fail 'meshes are mirrored with their body'
numbers curve | tr -s ' ' >"$folder/got"
{ echo ' 0 -2 0.3 0 -1 0.3 0 0 0.3 1.5 1 0.3'; echo ' 0 2 0.3 0 1 0.3 0 0 0.3 1.5 -1 0.3'; } >"$folder/expected"
cmp -s "$folder/got" "$folder/expected" || fail 'points of a curve, its s and not that of the model, mirrored'
floats mesh 9 | holds 'a triangle of an STL file' '{ for (i = 1; i < 9; ++i) if ($i != i) exit 1; exit !($9 == 9.5) }'
data | grep -o '"mesh": "[^"]*"' | sed -n 2p | sed 's/.*: "//; s/"$//' | base64 -d | od -A n -v -t f4 -w12 |
  holds 'a face of four is two triangles' '{ all = all $1 $2 $3 " " } END { exit all != "000 100 110 000 110 010.25 " }'
# the same triangle in bytes
{ head -c 80 /dev/zero; printf '\001\000\000\000'; head -c 12 /dev/zero; printf '\000\000\200\077%.0s' 1 2 3 4 5 6 7 8 9; printf '\000\000'; } >"$folder/corner.stl"
exits 0 report "$folder/in.yaml" -o "$html" --quiet
floats mesh 9 | holds 'a triangle in bytes' '{ for (i = 1; i <= 9; ++i) if ($i != 1) exit 1 }'
complains 'a report is of a model, or of results as HDF5; a.csv is drawn by mbsens plot' report a.csv -o "$folder/wrong.html"
wrong() {  # wrong WHAT SHAPE: the first shape of the model's own is another
  sed "s|^  - {at: a.hub.W, to.*|  - {$2}|" "$folder/in.yaml" >"$folder/wrong.yaml"
  complains "$1" report "$folder/wrong.yaml" -o "$folder/wrong.html"
}
wrong 'shape 1: no point "V" on body "a_hub"' 'at: a.hub.V, kind: sphere, radius: 1'
wrong 'shape 1: a sphere needs "radius"' 'at: a.hub.W, kind: sphere'
wrong 'a sphere has no "width"' 'at: a.hub.W, kind: sphere, radius: 1, width: 2'
wrong 'a wheel in space needs "axis"' 'at: a.hub.W, kind: wheel, radius: 1'
wrong 'no vector "up" on body "a_hub"' 'at: a.hub.W, kind: wheel, radius: 1, axis: up'
wrong 'radius must be positive' 'at: a.hub.W, kind: sphere, radius: -R'
wrong 'a colour is "#rrggbb", got "red"' 'at: a.hub.W, kind: sphere, radius: 1, colour: red'
wrong 'shape 1: "to" is one point; only a line may go through several, got 2' 'at: a.hub.W, to: [b.hub.W, a.hub.U], kind: spring'
wrong 'shape 1: no point "V" on body "b_hub"' 'at: a.hub.W, to: [b.hub.W, b.hub.V], kind: line'
wrong 'a line needs "to" or "curve"' 'at: a.hub.W, kind: line'
wrong 'a line needs "to" or "curve", not both' 'at: a.hub.W, to: b.hub.W, kind: line, curve: [s, 0, 0], range: [0, 1]'
wrong 'a line between points has no "pieces"' 'at: a.hub.W, to: b.hub.W, kind: line, pieces: 3'
wrong 'a curve needs "range", the first and the last s' 'at: a.hub.W, kind: line, curve: [s, 0, 0]'
wrong 'a curve has 1 to 1000 pieces, got 0' 'at: a.hub.W, kind: line, curve: [s, 0, 0], range: [0, 1], pieces: 0'
wrong 'no parameter or signal "u"' 'at: a.hub.W, kind: line, curve: [u, 0, 0], range: [0, 1]'
wrong 'the curve is not finite at point 1 of its 201' 'at: a.hub.W, kind: line, curve: [sqrt(s), 0, 0], range: [-1, 1]'
wrong 'a box has no "mirror"' 'at: a.hub.W, kind: box, size: [1, 1, 1], mirror: y'
wrong 'mesh none.stl: cannot be opened' 'at: a.hub.W, kind: mesh, file: none.stl'
wrong 'mesh square.txt: is no .stl or .obj file' 'at: a.hub.W, kind: mesh, file: square.txt'
printf 'v 0 0 0\nf 1 2 3\n' >"$folder/bad.obj"
wrong 'has a face with a vertex that is not there' 'at: a.hub.W, kind: mesh, file: bad.obj'
[ ! -e "$folder/wrong.html" ] || fail 'a shape that is wrong leaves no file'

# in the plane
sed 's|^ground:.*|&\nshapes: [{at: O, kind: line, curve: ["s", "s^2"], range: [0, 2], pieces: 2}]|' models/pendulum.yaml >"$folder/in.yaml"
exits 0 report "$folder/in.yaml" -o "$html" --end 0.01 --wrt none --quiet
[ "$(numbers curve | tr -s ' ')" = ' 0 0 0 1 1 0 2 4 0' ] || fail 'points of a curve in the plane'

# ---- a spike of one step among 20000 stays; what is kept is little ----
sed 's/^objectives:/outputs: {spike: "if(and(t > 0.12345, t < 0.12352), 7, sin(t))"}\nobjectives:/' $model >"$folder/in.yaml"
exits 0 report "$folder/in.yaml" -o "$html" --end 1 --step 5e-5 --wrt none --y spike
data | grep '"label": "spike"' | grep -o '"values": "[^"]*"' | sed 's/.*: "//; s/"$//' | base64 -d | od -A n -v -t f4 -w4 |
  holds 'a spike stays' '{ n++; if ($1 == 7) seen = 1 } END { exit !(seen && n > 1000 && n < 5000) }'

# ---- a run of 10^6 steps is thinned to what a page can hold; of each signal the extremes stay, those of one step too ----
sed 's/^objectives:/outputs: {spike: "if(and(t > 0.1234565, t < 0.1234575), -7, sin(9*t))", peak: "1\/(1 + (1e5*(t - 0.654321))^2)"}\nobjectives:/' \
  models/pendulum.yaml >"$folder/in.yaml"
exits 0 report "$folder/in.yaml" -o "$html" --end 1 --step 1e-6 --wrt none --objective none --y 'spike,peak'
grep -qE ', [0-9]+ of 1000000 steps drawn' "$folder/out" || fail 'it says how much of 10^6 steps is drawn'
size=$(wc -c <"$html")
[ "$size" -gt 500000 ] && [ "$size" -lt 3000000 ] || fail "a run of 10^6 steps in less than 3 MB, not $size"
[ "$(tail -n 1 "$html")" = '</html>' ] || fail 'and whole'
range() {  # range LABEL LOW HIGH: of the curve of this name
  data | grep "\"label\": \"$1\"" | sed "s/.*\"label\": \"$1\"//" | grep -o '"values": "[^"]*"' | head -n 1 | sed 's/.*: "//; s/"$//' |
    base64 -d | od -A n -v -t f4 -w4 | sort -g | holds "extremes of $1" "
      NR == 1 { low = \$1 } { high = \$1 }
      END { a = low - $2; b = high - $3; exit !(NR > 1000 && NR < 10000 && a * a < 1e-12 && b * b < 1e-12) }"
}
range spike -7 1
range peak 0 1

# ---- another design beside it; a search with its history, and what it found beside what was ----
exits 0 report $model -o "$html" --end 0.5 --wrt Ls1 --objective psi1 --ghost 'Ls1=2.4,Ls2=sqrt(3.4)' --quiet
exits 0 simulate $model --end 0.5 --set Ls1=2.4 --set 'Ls2=sqrt(3.4)' --json
ghost=$(sed -n 's/.*"psi1": {"value": \([^}]*\)}.*/\1/p' "$folder/out")
[ -n "$ghost" ] && data | grep -qF "\"psi1\": $ghost" || fail "the ghost is the run with other values: psi1 = $ghost"
[ "$(data | grep -o '"frames"' | wc -l)" -eq 2 ] || fail 'both designs move'
sed 's/^  Ls1: .*/  Ls1: 2.4/; s/^  Ls2: .*/  Ls2: sqrt(3.4)/' $model >"$folder/in.yaml"
exits 0 report $model -o "$html" --end 0.5 --wrt Ls1 --objective psi1 --ghost "$folder/in.yaml" --quiet
data | grep -qF "\"psi1\": $ghost" || fail 'the ghost may be another file'
exits 0 optimize $model --objective psi1 --wrt Ls1,Ls2 --end 0.5 -o "$html"
found=$(sed -n 's/^as options: --set Ls1=\([^ ]*\) .*/\1/p' "$folder/out")
data | grep -F '"search"' >/dev/null || fail 'a report of a search has it'
steps=$(data | grep -o '"evaluations": [0-9]*, "value": [^,]*' | sed 's/.*: //')
echo "$steps" | holds 'the history goes down, all the way' 'NR > 1 && !($1 < before) { exit 1 } { before = $1 } END { exit !(NR > 3 && $1 < 1e-12) }'
data | grep -qF "\"Ls1\": $found" || fail "the report is of the design that was found, Ls1 = $found"
data | grep -qF '"label": "before"' || fail 'and the ghost is the first one'

# ---- natural modes: the pendulum's farthest point, 1 m from its hinge, moves by an eighth of a metre, nearly: by 0.12 rad ----
exits 0 report models/pendulum.yaml -o "$html" --modes --wrt none --end 0.1 --quiet
exits 0 linearize models/pendulum.yaml --json --wrt none
frequency=$(grep -o '"frequency": [0-9.e+-]*' "$folder/out" | head -n 1)
data | grep '"modes"' -A 3 | grep -qF "$frequency" || fail "the mode has $frequency"
data | sed -n '/"modes"/,$p' | grep -o '"frames": "[^"]*"' | head -n 1 | sed 's/.*: "//; s/"$//' | base64 -d | od -A n -v -t f4 -w12 |
  holds 'the mode swings by 0.12 rad about the start' '
    NR == 1 { first = $3 } NR == 9 { middle = $3 } NR == 17 { e = (first - $3)^2 - 0.24^2; m = (first + $3)/2 - middle }
    { far = $1*$1 + $2*$2; if (far > 1e-4) exit 1 }
    END { exit !(NR == 33 && e*e < 1e-12 && m*m < 1e-12) }'
exits 0 report models/half_car.yaml -o "$html" --modes --wrt none --end 0.1 --quiet
[ "$(data | sed -n '/"modes"/,/^  \]/p' | grep -o '"damping"' | wc -l)" -eq 4 ] || fail 'of pairs the first'

# ---- what cannot be done ----
rm -f "$html"
complains 'report needs -o FILE.html' report $model
complains '"out.svg" is not offered; a report is FILE.html' report $model -o out.svg
complains 'no column "nix"' report $model -o "$html" --y nix
complains 'no parameter "nix"' report $model -o "$html" --y 'd(psi1)/d(nix)'
complains 'cannot open' report "$folder/none.yaml" -o "$html"
complains 'no regular file' report "$folder" -o "$html"
complains 'no parameter "nix"' report $model -o "$html" --ghost nix=3
complains 'must be NAME=VALUE,... or a model file' report $model -o "$html" --ghost Ls1=2,=3
complains 'cannot open' report $model -o "$html" --ghost "$folder/none.yaml"
complains 'rssr.yaml is in space, and' report $model -o "$html" --ghost models/rssr.yaml --quiet --end 0.1
complains "cannot write" optimize $model --objective psi1 --wrt Ls1 -o "$folder/none/out.html"
cat >"$folder/jumps.yaml" <<'END'
mbsens: 1
gravity: [0, -9.81]
ground: {points: {O: [0, 0], E: [2, 0]}}
bodies: {bar: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}}}
joints: [{revolute: [ground.O, bar.O]}]
forces: [{spring: [bar.P, ground.E], law: "1e6*noevent(sign(rate))"}]
END
exits 3 report "$folder/jumps.yaml" -o "$html"
[ ! -e "$html" ] || fail 'a report that cannot be made leaves no file'
[ -z "$(find "$folder" -name '*.partial*')" ] || fail 'and nothing half written'
done_well

#!/bin/sh
# Pictures: what is drawn is what was asked for, at its place; what cannot be drawn is told; the file is whole or absent.
# shellcheck disable=SC1091,SC2154,SC2016,SC2059  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
svg=$folder/out.svg
csv=$folder/in.csv
short='--end 0.2 --step 0.01'

# lines COLOUR: the corners of lines of this colour, "x y" a line, an empty one behind each line
lines() {
  awk -v colour="$1" '/<polyline/ { is_mine = index($0, "stroke=\"" colour "\"") }
    is_mine { text = $0; sub(/^.*points="/, "", text); ends = sub(/".*/, "", text)
      count = split(text, corners, " ")
      for (i = 1; i <= count; ++i) { sub(",", " ", corners[i]); print corners[i] }
      if (ends) { print ""; is_mine = 0 } }' "$svg"
}
holds() {  # holds WHAT AWK-PROGRAM: which exits with 0, of the lines it reads
  awk "$2" || fail "$1"
  checks=$((checks + 1))
}
blue='#0072b2'

# ---- numbers are at their places: y = x^2, whose corners lie on a parabola on paper too ----
awk 'BEGIN { print "x [m],y"; for (i = 0; i <= 10; ++i) print i "," i * i }' >"$csv"
exits 0 plot "$csv" -o "$svg"
prints 'out.svg, 1 panel, 1 curve'
lines $blue | holds 'a parabola is drawn as one' 'NF { x[n + 0] = $1; y[n++] = $2 }
  END { w = x[10] - x[0]; h = y[0] - y[10]; if (n != 11 || w < 200 || h < 100) exit 1
    for (i = 0; i < n; ++i) { u = (x[i] - x[0]) / w - i / 10; v = (y[0] - y[i]) / h - i * i / 100
      if (u * u > 1e-8 || v * v > 1e-8) exit 1 } }' || exit 1
grep -q '>x \[m\]</text>' "$svg" || fail 'the axis has the unit of the column'
# on two logarithmic axes it is a straight line of slope 2; what is not positive is left out
exits 0 plot "$csv" --log xy --discs -o "$svg"
sed -n 's/^<circle cx="\([^"]*\)" cy="\([^"]*\)".*/\1 \2/p' "$svg" | holds 'a power is a straight line on logarithmic axes' 'NF { x[n + 0] = $1; y[n++] = $2 }
  END { if (n != 10) exit 1; s = (y[9] - y[0]) / (x[9] - x[0])
    for (i = 1; i < n; ++i) { e = y[i] - y[0] - s * (x[i] - x[0]); if (e * e > 1e-3) exit 1 } }' || exit 1
# lengths are equal: the circle is one on paper
awk 'BEGIN { print "x,y"; for (i = 0; i <= 360; i += 5) print 3 + cos(i * 0.0174532925199433) "," sin(i * 0.0174532925199433) }' >"$csv"
exits 0 plot "$csv" --equal -o "$svg"
lines $blue | holds 'a circle is drawn as one' 'NF { x[n + 0] = $1; y[n++] = $2 }
  END { cx = (x[0] + x[36]) / 2; cy = (y[18] + y[54]) / 2; r = (x[0] - x[36]) / 2
    for (i = 0; i < n; ++i) { d = sqrt((x[i] - cx) ^ 2 + (y[i] - cy) ^ 2) - r; if (d * d > 1e-3 || r < 50) exit 1 } }' || exit 1
# a million rows are thinned, and a spike of one row is still there; a gap stays a gap
awk 'BEGIN { print "t,y"; for (i = 0; i < 300000; ++i) print i "," (i == 123456 ? 5 : i % 7 / 10) }' >"$csv"
exits 0 plot "$csv" -o "$svg"
[ "$(wc -c <"$svg")" -lt 100000 ] || fail 'many rows make a small picture'
lines $blue | holds 'a spike is not lost' 'NF { if (!n || $2 < top) top = $2; if (!n || $2 > low) low = $2; ++n }
  END { if (low - top < 180) exit 1 }' || exit 1
printf 'a,b [N],c\n1,2,red\n2,,<script>\n3,5,red\n' >"$csv"
exits 0 plot "$csv" --y b -o "$svg"
[ "$(lines $blue | grep -c '^$')" -eq 2 ] || fail 'an empty field interrupts the line'
exits 0 plot "$csv" --y b --by c -o "$svg" --title '<b>&"' --discs
! grep -q '<script>\|<b>' "$svg" || fail 'texts are escaped'
grep -qF '&lt;script&gt;' "$svg" || fail 'the name of the group is in the legend'

# ---- a run: what is drawn is what simulate writes ----
exits 0 plot $model $short --y "P2.y,P2.x;d(P2.y)/d(Ls1);2*r(P2).y" -o "$svg" --json
exits 0 gradient $model $short --columns P2 --wrt Ls1 -o "$folder/rows.csv" --quiet
exits 0 plot $model $short --y "P2.y,P2.x;d(P2.y)/d(Ls1);2*r(P2).y" -o "$svg" --json
prints '{"label": "P2.y", "values": 21,'
prints '"label": "d(P2.y)/d(Ls1)"'
# the ranges that JSON names against the columns of the file
range() { awk -F , -v name="$1" -v times="$2" 'NR == 1 { for (j = 1; j <= NF; ++j) if ($j == name) k = j; next }
  { v = times * $k; if (NR == 2 || v < low) low = v; if (NR == 2 || v > high) high = v }
  END { printf "%.9f %.9f\n", low, high }' "$folder/rows.csv"; }
drawn() { sed -n "s/.*{\"label\": \"$1\", [^}]*\"y\": \[\([^],]*\), \([^]]*\)\].*/\1 \2/p" "$folder/out" |
  awk '{ printf "%.9f %.9f\n", $1, $2 }'; }
[ "$(drawn 'd(P2.y).d(Ls1)')" = "$(range 'd(P2.y)/d(Ls1)' 1)" ] || fail 'the derivative drawn is that of gradient'
[ "$(drawn "2\*r(P2).y")" = "$(range 'P2.y [m]' 2)" ] || fail 'the expression drawn is twice the column'
checks=$((checks + 2))
# several values of a parameter, several models, patterns, paths
exits 0 plot $model $short --y P2.y --vary Ls1=2.1,2.2,2.3 -o "$svg"
prints '1 panel, 3 curves'
grep -q '>Ls1 = 2.2</text>' "$svg" || fail 'the legend has the value'
exits 0 plot $model $short --y P2.y --vary Ls1=2.1,2.2 --vary formulation=index1,penalty -o "$svg"
prints '1 panel, 4 curves'
grep -q '>Ls1 = 2.2, formulation = index1</text>' "$svg" || fail 'the legend has both'
exits 0 plot $model models/five_bar_impact.yaml $short --y 'P2.y;P*.x' -o "$svg"
prints '2 panels, 8 curves'
exits 0 plot $model $short --x P2.x --y P2.y --equal -o "$svg"
exits 0 plot $model $short --y 'd(psi1)/d(*)' -o "$svg"
prints '1 panel, 5 curves'
exits 0 plot models/driven_slider_crank.yaml --kinematics --end 0.1 --y objectives -o "$svg"
# events are marked with their names; derivatives are interrupted there, where they are not those at a fixed time
exits 0 plot models/bouncing_ball.yaml --y 'P.y;d(P.y)/d(e)' -o "$svg" --json
prints '{"name": "floor", "time": 0.67'
grep -q '>floor</text>' "$svg" || fail 'events have their names'
[ "$(lines '#999999' | awk 'NF { y[n++] = $2 } END { print (y[1] - y[0] > 100) }')" = 1 ] || fail 'events are lines'
exits 0 plot models/designs/crane_control.yaml --y place -o "$svg"
lines '#999999' | holds 'a hundred events are ticks at the bottom' 'NF { if (n % 2 && $2 - last > 6) exit 1; last = $2; ++n } END { if (n < 180) exit 1 }' || exit 1
! grep -q 'coordinate_force' "$svg" || fail 'and have no names'
# ranked: (Ls1 / psi1) dpsi1/dLs1
exits 0 gradient $model --end 1 --objective psi1 --json
wanted=$(sed -n 's/.*"psi1": {"value": \([^,]*\), "gradient": {"Ls1": \([^,}]*\).*/\1 \2/p' "$folder/out" |
  awk '{ printf "%.10g", 2.23606797749979 * $2 / $1 }')
exits 0 plot $model --end 1 --objective psi1 --bars -o "$svg" --json
sed -n 's/.*"psi1": {.*"Ls1": \([^,}]*\).*/\1/p' "$folder/out" >"$folder/ranked"
[ "$(awk '{ printf "%.10g", $1 }' "$folder/ranked")" = "$wanted" ] || fail "the bar of Ls1 is not $wanted"

# ---- PNG and PDF, or why not ----
for kind in png pdf; do
  run plot $model $short --y P2.y -o "$folder/out.$kind" --quiet
  if [ "$status" -eq 0 ]; then
    head -c 5 "$folder/out.$kind" | grep -q 'PNG\|%PDF-' || fail "out.$kind is none"
  else
    complains 'without cairo' plot $model $short --y P2.y -o "$folder/out.$kind"
    [ ! -e "$folder/out.$kind" ] || fail 'no file without a picture'
  fi
  checks=$((checks + 1))
done

# ---- bad input: a sentence, and the older picture stays ----
echo precious >"$svg"
complains 'needs -o FILE.svg' plot $model
complains 'must end in .svg, .png or .pdf' plot $model -o "$folder/out.txt"
complains 'no column "psi4"' plot $model --y psi4 -o "$svg"
complains 'did you mean' plot $model --y P22 -o "$svg"
complains 'as an expression it is wrong' plot $model --y 'r(P2).x + zz' -o "$svg"
complains 'no parameter "zz"' plot $model --y 'd(P2.y)/d(zz)' -o "$svg"
complains 'histories of method adjoint have no such derivative' plot $model $short --method adjoint \
  --y 'd(P2.y)/d(Ls1)' -o "$svg"
complains '"P2" means 2 columns' plot $model --x P2 --y psi1 -o "$svg"
complains 'no positive values to show on a logarithmic axis' plot $model $short --y P2.y --log y -o "$svg"
complains 'word 2 of "P1.x,,P2.x" is empty' plot $model --y P1.x,,P2.x -o "$svg"
complains '--log: must be x, y or xy' plot $model --log z -o "$svg"
complains 'two linear axes' plot $model --log x --equal -o "$svg"
complains '--size: must be' plot $model --size 10x10 -o "$svg"
complains '--vary: must be' plot $model --vary Ls1 -o "$svg"
complains 'no column "Q9" in histories of models/five_bar.yaml; mbsens simulate MODEL --columns all' plot $model --y Q9 -o "$svg"
complains '--by: groups rows of a .csv file' plot $model --by x -o "$svg"
complains 'takes one model' plot $model --bars --y P2.y -o "$svg"
complains 'relative' plot $model --bars --wrt xG --set xG=0 --end 0.1 -o "$svg"
complains 'column "c" of' plot "$csv" --y c -o "$svg"
complains 'no column "e"' plot "$csv" --y e -o "$svg"
complains '--step: is for models' plot "$csv" --y b --step 0.1 -o "$svg"
complains 'No such file' plot "$folder/none.csv" -o "$svg"
complains 'check takes one MODEL' check $model $model
table() {  # table MESSAGE CONTENT: a file with this is refused
  printf "$2" >"$csv"
  complains "$1" plot "$csv" -o "$svg"
}
table 'in.csv:2:3: error: a row with more fields' 'a,b\n1,2,3\n'
table 'in.csv:3:1: error: a row with fewer fields' 'a,b\n1,2\n3\n'
table 'in.csv:1:1: error: the first line has numbers' '1,2\n1,2\n'
table 'in.csv:1:3: error: the quote that begins here does not end' 'a,"b\n1,2\n'
table 'in.csv:2:4: error: a comma or the end' 'a,b\n"1"2,2\n'
table 'in.csv:4:3: error: a row with more fields' '# made elsewhere\n"a;""1""" ;b\n\n1;2;3\n'
printf '# made elsewhere\n"a, ""1""";b [N]\n\n1 ; 2\n 3;4\n' >"$csv"
exits 0 plot "$csv" -o "$folder/other.svg"
grep -qF '>a, &quot;1&quot;<' "$folder/other.svg" || fail 'a name in quotes has a comma and quotes'
table 'has names of columns, but no rows' 'a,b\n'
table 'is empty' ''
table 'no finite values' 'a,b\n1,\n2,\n'
[ "$(cat "$svg")" = precious ] || fail 'an error must leave the old picture alone'
for file in "$folder"/*partial*; do
  [ ! -e "$file" ] || fail "left behind: $file"
done

done_well

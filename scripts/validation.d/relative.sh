# Relative coordinates: P3's Table 1, the same motion in both coordinates, momentum in free flight. A part of
# scripts/validation.
model=models/five_bar.yaml

heading "The shipped models in natural and in relative coordinates: coordinates, constraints" model natural "" relative ""
for shipped in models/*.yaml; do
  run n check "$shipped"
  run r check "$shipped" --coordinates relative
  echo "| $(basename "$shipped" .yaml) | $(value n coordinates) | $(value n constraints) | $(value r coordinates) | $(value r constraints) |"
  require "freedoms of $shipped" "$(value n degrees_of_freedom) == $(value r degrees_of_freedom)"
done

heading "P3 Table 1 in relative coordinates, h = 1e-3: direct, and the relative error of each formulation" "" "P3 direct" \
  "P3 adjoint" reference derived "matrix-r, angles" "error: matrix-r, angles" "its adjoint" "matrix-r, x2 and y2" \
  "its adjoint" ali3p ali3p\'s\ adjoint penalty index1
gradient angles --coordinates relative --formulation matrix-r --step 1e-3
gradient angles_b --coordinates relative --formulation matrix-r --step 1e-3 --method adjoint
gradient point --coordinates relative --formulation matrix-r --step 1e-3 --independent "r(P2).x,r(P2).y"
gradient point_b --coordinates relative --formulation matrix-r --step 1e-3 --independent "r(P2).x,r(P2).y" --method adjoint
gradient ali3p --coordinates relative --formulation ali3p --step 1e-3
gradient ali3p_b --coordinates relative --formulation ali3p --step 1e-3 --method adjoint
gradient penalty --coordinates relative --formulation penalty --step 1e-3
gradient index1 --coordinates relative --formulation index1 --step 1e-3
for run in angles angles_b point point_b ali3p ali3p_b penalty index1; do
  for objective in psi1 psi2 psi3; do
    require "error of $run at 1e-3 for $objective" "$(worst $run $objective) <= 5e-4"
  done
done
paste -d ' ' "$work/reference" "$work/printed" >"$work/table"
while read -r objective parameter published derived direct adjoint; do
  at=objectives.$objective.gradient.$parameter
  line="| d $objective/d $parameter | $direct | $adjoint | $published | $derived | $(value angles "$at" | awk '{printf "%.10g", $1}')"
  for run in angles angles_b point point_b ali3p ali3p_b penalty index1; do
    line="$line | $(value $run "$at" | awk -v d="$derived" '{e = $1/d - 1; printf "%.1e", e < 0 ? -e : e}')"
  done
  echo "$line |"
done <"$work/table"

# usage: apart FILE FILE PATTERN  the largest relative difference of the numbers whose paths match, and their count
apart() {
  awk -v pattern="$3" '
    function size(x) {return x < 0 ? -x : x}
    $1 !~ pattern {next}
    NR == FNR {first[$1] = $2; next}
    {++n; if (size(first[$1] - $2) > w*size($2)) w = size(first[$1] - $2)/size($2)}
    END {printf("%.3e", (n > 0) ? w : 1e99)}' "$work/$1" "$work/$2"
}

heading "matrix-r with the same independent coordinates, natural against relative: largest relative difference, five-bar, h = 1e-3" \
  "independent coordinates" objectives "gradient, direct" "gradient, adjoint"
for independent in "angle(A1), angle(L12)" "r(P2).x, r(P2).y"; do
  line="| $independent"
  for method in direct adjoint; do
    gradient n --formulation matrix-r --step 1e-3 --method $method --independent "$independent"
    gradient r --formulation matrix-r --step 1e-3 --method $method --independent "$independent" --coordinates relative
    [ $method = adjoint ] || line="$line | $(apart n r '^objectives.*value')"
    line="$line | $(apart n r '^objectives.*gradient')"
    require "same steps, $independent, $method" "$(apart n r '^objectives.*gradient') <= 1e-11"
  done
  echo "$line |"
done

echo
echo "### Natural against relative coordinates over the step, index1: largest relative difference of objectives, and its order"
for case in "six_axis_arm 0.8 8e-3 4e-3 2e-3 1e-3" "stewart_platform 1 8e-3 4e-3 2e-3 1e-3" \
  "steered_wishbone 0.5 2e-3 1e-3 5e-4 2.5e-4" "flying_rotor 5 2e-2 1e-2 5e-3 2.5e-3"; do
  mechanism=${case%% *}
  steps=${case#* }
  end=${steps%% *}
  echo
  echo "$mechanism, $end s:"
  echo
  columns h difference order
  before=
  for h in ${steps#* }; do
    run n simulate "models/$mechanism.yaml" --formulation index1 --step "$h" --end "$end"
    run r simulate "models/$mechanism.yaml" --formulation index1 --step "$h" --end "$end" --coordinates relative
    now="$h $(apart n r '^objectives.*value')"
    orders "$now" "$before"
    [ -z "$before" ] || require "order of $mechanism at h = $h" "$(order 2 "$now" "$before") > 1.8"
    before=$now
  done
done

# usage: ends_apart KIND  n and r at the end: distance of points, or of reactions, of the largest of these; names have blanks
ends_apart() {
  awk -v kind="$1" '
    function size(x) {return x < 0 ? -x : x}
    index($0, "final." kind) != 1 || $0 ~ /(velocity|acceleration)[.0-9]* [^ ]*$/ {next}
    {path = $0; sub(/ [^ ]*$/, "", path)}
    NR == FNR {first[path] = $NF; next}
    {++n; if (size(first[path] - $NF) > w) w = size(first[path] - $NF); if (size($NF) > largest) largest = size($NF)}
    END {print n == 0 ? "" : w == 0 ? 0 : (kind == "points") ? w : w/largest}' "$work/n" "$work/r"
}

heading "Every shipped model, natural against relative coordinates, at the step h of the file and at h/2: how far points are apart at the end (m), reactions there (of the largest), and the order" \
  model formulation h points "h/2" order reactions "h/2" order
for shipped in models/*.yaml; do
  name=$(basename "$shipped" .yaml)
  formulation=index1
  case $name in bricard | n_four_bar*) formulation=ali3p ;; esac # redundant, or singular on the way
  run n simulate "$shipped" --formulation $formulation
  h=$(value n step | awk '{printf "%g", $1}')
  points= reactions=
  for step in "$h" "$(awk "BEGIN {printf \"%.17g\", $h/2}")"; do
    run n simulate "$shipped" --formulation $formulation --step "$step"
    run r simulate "$shipped" --formulation $formulation --step "$step" --coordinates relative
    points="$points $(ends_apart points)" reactions="$reactions $(ends_apart reactions)"
  done
  [ "$name" != bricard ] || reactions= # of a redundant constraint: open
  for kind in "$points" "$reactions"; do
    require "order of $name, natural against relative" "$(echo "$kind" | awk '{print (NF < 2 || $2 == 0 || log($1/$2)/log(2) > 1.5)}')"
    echo "$kind" | awk '{if (NF == 2) printf "| %.1e | %.1e | %s ", $1, $2, ($2 > 0) ? sprintf("%.2f", log($1/$2)/log(2)) : ""; else printf "| | | "}'
  done >"$work/line"
  echo "| $name | $formulation | $h $(cat "$work/line")|"
done

# momentum of the tumbling body with a rotor, as objectives
momentum() {
  for axis in x y z; do
    echo "  p$axis: {final: mh*v(C).$axis + mr*v(A).$axis}"
    echo "  L$axis: {final: \"mh*cross(r(C), v(C)).$axis + mr*cross(r(A), v(A)).$axis + Jt*omega(rotor).$axis"
    echo "    + Ix*dot(omega(hull), direction(hull.x))*direction(hull.x).$axis"
    echo "    + Iy*dot(omega(hull), direction(hull.y))*direction(hull.y).$axis"
    echo "    + Iz*dot(omega(hull), direction(hull.z))*direction(hull.z).$axis"
    echo "    + (Ja - Jt)*dot(omega(rotor), direction(rotor.z))*direction(rotor.z).$axis\"}"
  done
}
momentum >"$work/momentum"
sed "/^objectives:/r $work/momentum" models/flying_rotor.yaml >"$work/rotor.yaml"

heading "The tumbling body with a rotor, relative coordinates, ali3p: how far momentum is off at most after 10, 20, ... 100 s, and its order" \
  h "linear momentum (2.8 kg m/s)" order "angular momentum (1.66 kg m^2/s)" order
before=
for h in 4e-2 2e-2 1e-2 5e-3; do
  run first simulate "$work/rotor.yaml" --coordinates relative --formulation ali3p --step $h --end $h
  for end in 10 20 30 40 50 60 70 80 90 100; do
    run last simulate "$work/rotor.yaml" --coordinates relative --formulation ali3p --step $h --end $end
    cat "$work/last"
    require "Euler parameters of unit length at h = $h" "$(value last statistics.residual.position) < 1e-14"
  done >"$work/all"
  now=$h
  for kind in p L; do
    now="$now $(awk -v pattern="^objectives.$kind[xyz].value" '
      $1 !~ pattern {next}
      NR == FNR {first[$1] = $2; next}
      {e = first[$1] - $2; e = e < 0 ? -e : e; if (e > w) w = e}
      END {printf "%.3e", w}' "$work/first" "$work/all")"
  done
  orders "$now" "$before"
  [ -z "$before" ] || require "momentum at h = $h" "$(order 2 "$now" "$before") > 1.5 && $(order 3 "$now" "$before") > 1.5"
  before=$now
done

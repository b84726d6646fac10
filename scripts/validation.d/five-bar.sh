# The five-bar linkage: structure, gradients, orders, a moving start. A part of scripts/validation.
model=models/five_bar.yaml

heading "Structure of the five-bar" coordinates constraints redundant "degrees of freedom"
run check check "$model"
echo "| $(value check coordinates) | $(value check constraints) | $(value check redundant) | $(value check degrees_of_freedom) |"
require "structure" "$(value check coordinates) == 6 && $(value check constraints) == 4 && $(value check degrees_of_freedom) == 2"

heading "Fifteen gradients, h = 1e-3: ali3p, and the relative error of each formulation" "" published derived ali3p \
  "error: ali3p" ali1 index3 index1 penalty matrix-r
for formulation in ali3p ali1 index3 index1 penalty matrix-r; do
  gradient "g_$formulation" --formulation $formulation --step 1e-3
  for objective in psi1 psi2 psi3; do
    require "error of $formulation at 1e-3 for $objective" "$(worst "g_$formulation" $objective) <= 5e-4"
  done
done
while read -r objective parameter published derived; do
  at=objectives.$objective.gradient.$parameter
  line="| d $objective/d $parameter | $published | $derived | $(value g_ali3p "$at" | awk '{printf "%.10g", $1}')"
  for formulation in ali3p ali1 index3 index1 penalty matrix-r; do
    line="$line | $(value "g_$formulation" "$at" | awk -v d="$derived" '{e = $1/d - 1; printf "%.1e", e < 0 ? -e : e}')"
  done
  echo "$line |"
done <"$work/reference"

echo
echo "### The largest relative error of five derivatives, and its order, over the step"
for formulation in ali3p index3 index1 penalty; do
  echo
  echo "$formulation:"
  echo
  columns h psi1 order psi2 order psi3 order
  before=
  for h in 4e-3 2e-3 1e-3 5e-4 2e-4 1e-4; do
    gradient g --formulation $formulation --step $h
    now="$h $(worst g psi1) $(worst g psi2) $(worst g psi3)"
    orders "$now" "$before"
    for k in 2 3 4; do
      [ -z "$before" ] || [ $formulation = penalty ] || # the penalty's own error shows
        require "order of $formulation at h = $h" "$(order $k "$now" "$before") > 1.95"
    done
    before=$now
  done
done

heading "The penalty's own error: limit for h -> 0, from h = 2e-4 and 1e-4 by Richardson's extrapolation" alpha omega \
  psi1 psi2 psi3
for case in "1e5 10" "1e6 10" "1e7 10" "1e8 10" "1e9 10" "1e7 2" "1e7 50"; do
  alpha=${case% *}
  omega=${case#* }
  gradient coarse --formulation penalty --penalty "$alpha" --omega "$omega" --step 2e-4
  gradient fine --formulation penalty --penalty "$alpha" --omega "$omega" --step 1e-4
  awk 'NR == FNR {c[$1] = $2; next} $1 ~ /gradient/ {print $1, (4*$2 - c[$1])/3}' CONVFMT=%.17g OFMT=%.17g \
    "$work/coarse" "$work/fine" >"$work/limit"
  echo "| $alpha | $omega | $(worst limit psi1) | $(worst limit psi2) | $(worst limit psi3) |"
done

heading "Objectives and the end of the motion, h = 1e-4" "" derived ali3p index1 penalty
for formulation in ali3p index1 penalty; do
  run "s_$formulation" simulate "$model" --formulation $formulation --step 1e-4
done
while read -r name path derived; do
  line="| $name | $derived"
  for formulation in ali3p index1 penalty; do
    line="$line | $(value "s_$formulation" "$path" | awk '{printf "%.10g", $1}')"
  done
  echo "$line |"
done <<END_OF_VALUES
psi1 objectives.psi1.value 0.726877461313
psi2 objectives.psi2.value 7.34228779279
psi3 objectives.psi3.value 304.920693206
x2(5) final.points.P2.position.0 0.384031681698
y2(5) final.points.P2.position.1 -2.30378344423
vx2(5) final.points.P2.velocity.0 -0.912356916221
vy2(5) final.points.P2.velocity.1 1.12995255477
END_OF_VALUES

# The limit comes from the complex step of index1 at two steps by extrapolation: h^4 is left, 1e-8 and less.
model=tests/models/five_bar_moving.yaml
heading "A moving start ($model): relative errors of psi, and the largest of seven derivatives, h = 1e-3" "" limit ali3p \
  ali1 index3 index1 penalty matrix-r "ali3p, no projections" "index3, trapezoidal"
gradient coarse --formulation index1 --step 1e-3 --method complex-step
gradient fine --formulation index1 --step 5e-4 --method complex-step
awk 'NR == FNR {c[$1] = $2; next} $1 ~ /^objectives/ {print $1, (4*$2 - c[$1])/3}' CONVFMT=%.17g OFMT=%.17g \
  "$work/coarse" "$work/fine" >"$work/limit"
ways="ali3p ali1 index3 index1 penalty matrix-r none trapezoidal"
for way in $ways; do
  case $way in
    none) gradient m_none --formulation ali3p --projections none --step 1e-3 ;;
    trapezoidal) gradient m_trapezoidal --formulation index3 --integrator trapezoidal --step 1e-3 ;;
    *) gradient "m_$way" --formulation "$way" --step 1e-3 ;;
  esac
done
for objective in psi1 psi2 psi3; do
  for kind in value gradient; do
    label="| $objective | $(value limit "objectives.$objective.value" | awk '{printf "%.8g", $1}')"
    [ $kind = value ] || label="| its derivatives |"
    for way in $ways; do
      error=$(awk -v path="^objectives\\\\.$objective\\\\.$kind" '
        function size(x) {return x < 0 ? -x : x}
        $1 !~ path {next}
        NR == FNR {limit[$1] = $2; if (size($2) > largest) largest = size($2); next}
        {++n; e = size($2 - limit[$1])/(size(limit[$1]) > 0.01*largest ? size(limit[$1]) : 0.01*largest); if (e > w) w = e}
        END {printf "%.1e", n ? w : 1e99}' "$work/limit" "$work/m_$way")
      label="$label | $error"
      case $way-$objective in
        none-psi3 | trapezoidal-psi3) require "$way is off with a moving start" "$error > 1" ;;
        *) require "moving start, $way, $objective, $kind" "$error <= 1e-3" ;;
      esac
    done
    echo "$label |"
  done
done

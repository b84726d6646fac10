# Direct and adjoint gradients against the complex step. A part of scripts/validation.
formulations="ali3p ali1 index3 index1 penalty matrix-r"

# usage: apart FORMULATION  how far direct method and adjoint are apart at most, in the run of verify at hand
apart() {
  awk -v formulation="$1" '
    function size(x) {return x < 0 ? -x : x}
    $1 ~ /^rows\..*\.formulation$/ {is_ours = $2 == formulation}
    $1 ~ /^rows\..*\.method$/ {method = $2}
    $1 ~ /^rows\..*\.objective$/ {objective = $2}
    $1 ~ /^rows\..*\.parameter$/ {of = objective " " $2}
    $1 ~ /^rows\..*\.value$/ && is_ours {
      if (size($2) > largest[objective]) largest[objective] = size($2)
      value[method, of] = $2
      of_objective[of] = objective
    }
    END {
      for (of in of_objective) {
        scale = size(value["direct", of])
        floor = 1e-5*largest[of_objective[of]]
        scale = scale > floor ? scale : floor
        e = scale > 0 ? size(value["direct", of] - value["adjoint", of])/scale : 0
        if (e > worst) worst = e
      }
      printf "%.1e", worst
    }' "$work/verify"
}

for coordinates in natural relative; do
  heading "Direct and adjoint against the complex step, $coordinates coordinates, every derivative of every shipped model: largest relative difference" \
    model h end derivatives $formulations "run anew"
  for each in models/*.yaml; do
    name=$(basename "$each" .yaml)
    h=1e-2
    end=$(awk -F '[ ,{}:]+' '/^simulation:/ {for (i = 1; i < NF; ++i) if ($i == "end") print $(i + 1)}' "$each")
    case $name in # see the page's remarks
      andrews) h=1e-5 ;;
      bricard | rolling_coin_incline) h=1e-3 end=0.5 ;;
      steered_wishbone) h=2e-3 ;;
      n_four_bar_40) end=10 ;;
    esac
    # a failure shows in the bounds below
    run verify verify "$each" --coordinates $coordinates --step $h --end "$end" 2>"$work/errors" || true
    line="| $name | $h | $end"
    count= between=
    for formulation in $formulations; do
      # how many, the worst, and behind it the uncertainty where that was measured; then what passes
      found=$(awk -v formulation=$formulation '
        $1 ~ /^rows\..*\.formulation$/ {is_ours = $2 == formulation; n += is_ours}
        $1 ~ /^rows\..*\.method$/ && $2 == "run-anew" {n -= is_ours; is_ours = 0}
        $1 ~ /^rows\..*\.relative_error$/ && is_ours && $2 > w {w = $2; worst = $1; u = ""}
        $1 ~ /^rows\..*\.uncertainty$/ && is_ours && same(worst) == same($1) {u = sprintf(" (%.1e)", $2)}
        $1 ~ /^rows\..*\.pass$/ && is_ours {good += $2 == "true"}
        function same(path) {sub(/[^.]*$/, "", path); return path}
        END {printf "%d %.1e%s", n/2, w, u; print (good == n) > "'"$work/pass"'"}' "$work/verify")
      [ "${found%% *}" = 0 ] && found= || count=${count:-${found%% *}}
      rest="${rest:-} | ${found#* }"
      between="$between | ${found:+$(apart $formulation)}"
      case $name-$formulation in
        bricard-index1 | bricard-index3)
          require "$name leaves $formulation out" "${found:+1} + 0 == 0"
          continue
          ;;
        n_four_bar*-index1 | n_four_bar*-index3 | n_four_bar*-matrix-r) continue ;; # singular positions: mostly left out
      esac
      require "$name, $coordinates coordinates, $formulation" "${found:+1} + 0 == 1 && $(cat "$work/pass")"
    done
    # differences of the file run again with other numbers: the worst of them, and the worst of their own uncertainties
    anew=$(awk '
      $1 ~ /^rows\..*\.method$/ {is_anew = $2 == "run-anew"; n += is_anew}
      $1 ~ /^rows\..*\.relative_error$/ && is_anew && $2 > w {w = $2; worst = $1; u = ""}
      $1 ~ /^rows\..*\.uncertainty$/ && is_anew && same(worst) == same($1) {u = sprintf(" (%.1e)", $2)}
      $1 ~ /^rows\..*\.pass$/ && is_anew {good += $2 == "true"}
      function same(path) {sub(/[^.]*$/, "", path); return path}
      END {if (n) printf "%.1e%s", w, u; print (n > 0 && good == n) > "'"$work/pass"'"}' "$work/verify")
    require "$name, $coordinates coordinates, run anew" "$(cat "$work/pass")"
    echo "$line | $count$rest | $anew |"
    echo "$line$between |" >>"$work/between-$coordinates"
    rest=
  done
done
for coordinates in natural relative; do
  heading "Direct method against adjoint, $coordinates coordinates: largest relative difference in the same runs" \
    model h end $formulations
  cat "$work/between-$coordinates"
  require "direct method and adjoint agree to 1e-8, $coordinates coordinates" \
    "$(awk -F '|' '{for (i = 5; i < NF; ++i) if ($i + 0 > w) w = $i + 0} END {printf "%.1e", w}' \
      "$work/between-$coordinates") < 1e-8"
done

# Published mechanisms. A part of scripts/validation.
heading "Slider-crank in user coordinates (IDAS): G and its derivatives" "" h G error dG/dk error dG/dc error
echo "| published | | 3.33661556 | | 0.33346 | | -0.36375 | |"
echo "| derived | | 3.3366067994828 | | 0.333448106128 | | -0.363754033971 | |"
model=models/slider_crank.yaml
for formulation in ali3p index1 penalty; do
  for h in 1e-2 1e-3 2e-4; do
    gradient g --formulation $formulation --wrt k,c --step $h
    found=$(awk -v G="$(value g objectives.G.value)" -v k="$(value g objectives.G.gradient.k)" \
      -v c="$(value g objectives.G.gradient.c)" '
      function error(x, d) {x = x/d - 1; return x < 0 ? -x : x}
      BEGIN {printf "%.10f | %.1e | %.10f | %.1e | %.10f | %.1e", G, error(G, 3.3366067994828), k,
             error(k, 0.333448106128), c, error(c, -0.363754033971)}')
    echo "| $formulation | $h | $found |"
    for error in $(echo "$found" | awk -F ' [|] ' '{print $2, $4, $6}'); do
      require "slider-crank, $formulation, h = $h" "$error <= 1.0*$h^2 + 1e-8"
    done
  done
done


heading "Andrews' mechanism at t = 0.03 s: relative errors of the seven coordinates" "" h beta theta gamma phi delta omega \
  epsilon
andrews="beta 15.81077119629904 theta -15.75637105984298 gamma .04082224013073101 phi -.5347301163226948
delta .5244099658805304 omega .5347301163226948 epsilon 1.048080741042263"
echo "| published | | $(echo $andrews | awk '{print $2 " | " $4 " | " $6 " | " $8 " | " $10 " | " $12 " | " $14}') |"
for formulation in ali3p index1 penalty; do
  for h in 1e-4 1e-5 1e-6; do
    run s simulate models/andrews.yaml --formulation $formulation --step $h
    found=$(awk -v known="$(echo $andrews)" '
      {found[$1] = $2}
      END {
        n = split(known, word, " ")
        for (i = 1; i < n; i += 2) {
          e = found["objectives." word[i] ".value"]/word[i + 1] - 1
          printf "%s%.1e", (i > 1 ? " | " : ""), (e < 0 ? -e : e)
        }
      }' "$work/s")
    echo "| $formulation | $h | $found |"
    if [ $formulation != penalty ]; then
      for error in $(echo "$found" | tr -d '|'); do
        require "Andrews at h = $h" "$error <= 3e6*$h^2"
      done
    fi
  done
done


heading "N four-bar mechanism: distance of B_0 at 10 s from where it should be, and its order" h "N = 2, ali3p" order \
  penalty order index1 order "N = 40, ali3p" order penalty order index1 order
before=
for h in 1e-2 4e-3 2e-3 1e-3 5e-4 2e-4; do
  now=$h
  for case in "n_four_bar .32845811154081 .94451853817860" "n_four_bar_40 .18051222668673 .98357274058231"; do
    set -- $case
    for formulation in ali3p penalty index1; do
      run s simulate "models/$1.yaml" --formulation $formulation --step $h
      now="$now $(awk -v x="$(value s objectives.x.value)" -v y="$(value s objectives.y.value)" -v X="$2" -v Y="$3" \
        'BEGIN {printf "%.3e", sqrt((x - X)^2 + (y - Y)^2)}')"
    done
  done
  orders "$now" "$before"
  for k in 2 5; do
    [ -z "$before" ] || require "order of ali3p, N four-bar, h = $h" "$(order $k "$now" "$before") > 1.9"
  done
  before=$now
done
set -- $before
for k in 2 3 5 6; do
  require "N four-bar, column $k" "$(echo "$before" | awk -v k=$k '{print $k}') <= 5e-5"
done

# At every step: the statistics keep the worst.
heading "Residuals of the constraints with ali3p, the worst of all steps" model h position velocity acceleration \
  "energy drift"
for each in models/*.yaml; do
  name=$(basename "$each" .yaml)
  h=1e-2
  case $name in
    andrews) h=1e-5 ;;
    bricard | rolling_coin_incline) h=1e-3 ;;
  esac
  run s simulate "$each" --formulation ali3p --step $h
  line="| $name | $h"
  for level in position velocity acceleration; do
    residual=$(value s statistics.residual.$level)
    line="$line | $(echo "$residual" | awk '{printf "%.1e", $1}')"
    require "residual of $level of $name" "$residual <= 1e-10"
  done
  echo "$line | $(value s statistics.energy_drift | awk '{printf "%.1e", $1}') |"
done

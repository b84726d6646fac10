# The five-bar linkage that hits the ground: times of impacts and derivatives against the derived figures; index3 over
# four halvings. A part of scripts/validation.
model=models/five_bar_impact.yaml
cat >"$work/impact" <<IMPACT
objectives.y2.gradient.Ls1 1.31666313
objectives.vy2.gradient.Ls1 -23.77516493
objectives.zv.gradient.Ls1 1.31666313
objectives.za.gradient.Ls1 23.96625525
objectives.y2.gradient.Ls2 1.54226833
objectives.vy2.gradient.Ls2 121.8061426
objectives.zv.gradient.Ls2 1.54226833
objectives.za.gradient.Ls2 -89.9312174
events.0.time 0.3118276
events.1.time 1.77974387
events.2.time 2.45379318
events.0.gradient.Ls1 0.37236456
events.1.gradient.Ls1 1.37862206
events.2.gradient.Ls1 3.72716006
events.0.gradient.Ls2 -1.66758037
events.1.gradient.Ls2 -9.18691387
events.2.gradient.Ls2 -19.45357965
IMPACT

# usage: impact FILE  the largest errors: of the eight derivatives (relative), of the times (s), of their derivatives
impact() {
  awk '
    NR == FNR {derived[$1] = $2; next}
    !($1 in derived) {next}
    {
      ++n
      kind = $1 ~ /^objectives/ ? 1 : $1 ~ /time$/ ? 2 : 3
      e = kind == 2 ? $2 - derived[$1] : $2/derived[$1] - 1
      e = e < 0 ? -e : e
      if (e > w[kind]) w[kind] = e
    }
    END {if (n == 17) printf "%.3e %.3e %.3e", w[1], w[2], w[3]; else print "1e99 1e99 1e99"}' "$work/impact" "$work/$1"
}

heading "The five-bar hits the ground, h = 1e-3: the largest errors of eight derivatives, of three times (s), of their derivatives" \
  formulation coordinates "derivatives" "ratio to h = 2e-3" times ratio "derivatives of times"
for formulation in ali3p ali1 index3 index1 penalty matrix-r; do
  for coordinates in natural relative; do
    gradient coarse --formulation $formulation --coordinates $coordinates --step 2e-3
    gradient fine --formulation $formulation --coordinates $coordinates --step 1e-3
    errors=$(impact fine)
    echo "$errors $(impact coarse)" | awk -v w="| $formulation | $coordinates" '{
      printf "%s | %.1e | %.2f | %.1e | %.2f | %.1e |\n", w, $1, $4/$1, $2, $5/$2, $3}'
    require "impact: derivatives of $formulation" "$(echo "$errors" | cut -d' ' -f1) <= 3e-3"
    require "impact: times of $formulation" "$(echo "$errors" | cut -d' ' -f2) <= 3e-5"
    require "impact: $formulation falls by four" \
      "$(echo "$errors $(impact coarse)" | awk '{r = $4/$1; print (r > 3.8 && r < 4.2)}')"
  done
done

echo
echo "### index3 through the impacts: the largest errors over four halvings"
for coordinates in natural relative; do
  echo
  echo "$coordinates:"
  echo
  columns h derivatives order times order "derivatives of times" order
  before=
  for h in 4e-3 2e-3 1e-3 5e-4 2.5e-4; do
    gradient g --formulation index3 --coordinates $coordinates --step $h
    now="$h $(impact g)"
    orders "$now" "$before"
    [ -n "$before" ] || first=$now
    before=$now
  done
  require "impact: index3 over four halvings" "$(order 2 "$now" "$first") > 1.95 && $(order 3 "$now" "$first") > 1.95"
done

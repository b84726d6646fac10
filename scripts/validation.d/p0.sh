# The tables and studies of P0 sections 5 and 6 on the five-bar, and a driven mechanism. A part of scripts/validation.
model=models/five_bar.yaml

# usage: pair FILE [DIGITS]  d psi1/d Ls1, d psi1/d Ls2
pair() {
  awk -v digits="${2:-5}" '
    $1 == "objectives.psi1.gradient.Ls1" {a = $2}
    $1 == "objectives.psi1.gradient.Ls2" {b = $2}
    END {printf "%.*f, %.*f", digits, a, digits, b}' "$work/$1"
}

# usage: require_pair WHAT FILE A B LIMIT  both within LIMIT
require_pair() {
  a=$(value "$2" objectives.psi1.gradient.Ls1)
  b=$(value "$2" objectives.psi1.gradient.Ls2)
  require "$1" "($a - $3)^2 <= $5^2 && ($b - $4)^2 <= $5^2"
}

heading "P0 Table 1: d psi1/d(Ls1, Ls2) over the step, alpha = 1e7, tolerance 1e-12" h "ALI3-P, published" \
  "mbsens, ali3p" "penalty, published" "mbsens, penalty"
while read -r h a b c d; do
  for formulation in ali3p penalty; do
    gradient $formulation --formulation $formulation --penalty 1e7 --tolerance 1e-12 --objective psi1 --wrt Ls1,Ls2 \
      --step "$h"
  done
  echo "| $h | $a, $b | $(pair ali3p) | $c, $d | $(pair penalty) |"
  case $h in # the scheme's own exact gradient, derived; then the limit
    1e-1) require_pair "Table 1 at $h" ali3p -4.14535 3.04570 1e-5 ;;
    5e-2) require_pair "Table 1 at $h" ali3p -4.23381 3.18531 1e-5 ;;
    1e-2) require_pair "Table 1 at $h" ali3p -4.22936 3.21102 1e-5 ;;
    5e-3) require_pair "Table 1 at $h" ali3p -4.22895 3.21146 1e-5 ;;
    *) require_pair "Table 1 at $h" ali3p -4.228810855 3.211604103 1e-5 ;;
  esac
done <<END_OF_TABLE
1e-1 -4.1458 3.0476 NaN NaN
5e-2 -4.2340 3.1865 -4.3059 4.1385
1e-2 -4.2294 3.2112 -4.2294 3.2111
5e-3 -4.2290 3.2116 -4.2290 3.2115
1e-3 -4.2291 3.2115 -4.2293 3.2112
5e-4 -4.2296 3.2108 -4.2305 3.2196
1e-4 -4.2313 3.2063 -4.2278 3.2435
5e-5 -4.2334 3.2002 -4.2658 3.3159
1e-5 -4.2271 3.2063 -3.5680 2.3032
END_OF_TABLE

heading "P0 Table 2: d psi1/d(Ls1, Ls2) over the tolerance, h = 1e-2, alpha = 1e7" tolerance "ALI3-P, published" \
  "mbsens, ali3p" "iterations" "penalty, published" "mbsens, penalty" "iterations"
while read -r tolerance a b c; do
  for formulation in ali3p penalty; do
    gradient $formulation --formulation $formulation --penalty 1e7 --tolerance "$tolerance" --objective psi1 \
      --wrt Ls1,Ls2
  done
  echo "| $tolerance | $a, $b | $(pair ali3p 6) | $(value ali3p statistics.iterations) | $c | $(pair penalty 6) |" \
    "$(value penalty statistics.iterations) |"
  require_pair "Table 2 at $tolerance" ali3p -4.229360500 3.211021358 1e-8
  require_pair "Table 2 at $tolerance" penalty -4.229310856 3.210835994 1e-8
done <<END_OF_TABLE
1e-12 -4.2294 3.2112 -4.2294, 3.2111
1e-11 -4.2297 3.2117 -4.2287, 3.2110
1e-10 -4.2297 3.2115 -4.2298, 3.2157
1e-9 -4.2400 3.2113 -4.1707, 3.2049
1e-8 -4.3320 3.2303 -4.3133, 3.3029
1e-7 -4.3320 3.2304 did not converge
END_OF_TABLE

heading "With and without projections (P0 section 5.1), ali3p" h projections "d psi1/d(Ls1, Ls2)" \
  "d psi3/d(Ls1, Ls2)" "residual of accelerations"
for h in 1e-2 1e-3 1e-4 1e-5; do
  for projections in auto none; do
    gradient g --formulation ali3p --projections $projections --objective psi1,psi3 --wrt Ls1,Ls2 --step $h
    awk -v start="| $h | $projections | $(pair g) |" -v a="$(value g objectives.psi3.gradient.Ls1)" \
      -v b="$(value g objectives.psi3.gradient.Ls2)" -v r="$(value g statistics.residual.acceleration)" \
      'BEGIN {printf "%s %.3f, %.3f | %.1e |\n", start, a, b, r}'
    [ $projections = none ] || require "residual at h = $h" "$(value g statistics.residual.acceleration) <= 1e-12"
  done
done

# P0 Fig. 9: what the projections change in the history of d x2''/d Ls
for projections in auto none; do
  "$command" gradient "$model" --formulation ali3p --projections $projections --objective psi1 --wrt Ls1,Ls2 \
    -o "$work/$projections.csv" >"$work/out"
done
heading "P0 Fig. 9: largest change of the history d x2''/d Ls without projections, ali3p, h = 1e-2" parameter \
  "largest value" "largest change"
paste -d, "$work/auto.csv" "$work/none.csv" | awk -F, '
  function size(x) {return x < 0 ? -x : x}
  NR == 1 {for (i = 1; i <= NF/2; ++i) name[$i] = i; next}
  {
    for (p = 1; p <= 2; ++p) {
      i = name["d(P2.x" "\047\047" ")/d(Ls" p ")"]
      if (size($i) > value[p]) value[p] = size($i)
      if (size($i - $(i + NF/2)) > change[p]) change[p] = size($i - $(i + NF/2))
    }
  }
  END {for (p = 1; p <= 2; ++p) printf "| Ls%d | %.4g | %.4g |\n", p, value[p], change[p]}'

heading "Iterations of each projection, ali3p, h = 1e-2, alpha = 1e7" iterations "d psi1/d(Ls1, Ls2)" \
  "residual of velocities" "residual of accelerations"
for projections in 1 2 3 5; do
  gradient g --formulation ali3p --penalty 1e7 --projections $projections --objective psi1 --wrt Ls1,Ls2
  velocity=$(value g statistics.residual.velocity)
  acceleration=$(value g statistics.residual.acceleration)
  echo "$velocity $acceleration" | awk -v start="| $projections | $(pair g 9) |" '{printf "%s %.1e | %.1e |\n", start, $1, $2}'
  require_pair "projections: $projections" g -4.229360500 3.211021358 2e-9
  [ $projections = 1 ] || require "two projections suffice" "$velocity <= 1e-14 && $acceleration <= 1e-13"
done

heading "Penalty factors, h = 1e-2: d psi1/d(Ls1, Ls2)" alpha ali3p "mbsens, penalty"
for alpha in 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10 1e12 1e14; do
  for formulation in ali3p penalty; do
    gradient $formulation --formulation $formulation --penalty $alpha --objective psi1 --wrt Ls1,Ls2
  done
  echo "| $alpha | $(pair ali3p 6) | $(pair penalty 6) |"
  require_pair "ali3p with alpha = $alpha" ali3p -4.229360500 3.211021358 1e-7
done

heading "P0 Fig. 17: Newton iterations per step over xi and omega, penalty, h = 1e-2, alpha = 1e7, tolerance 1e-12" xi omega \
  "exact tangent" "approximate tangent" "d psi1/d(Ls1, Ls2)"
for case in "1 2" "1 5" "1 10" "1 25" "1 50" "1 100" "0.5 10" "2 10" "5 10"; do
  set -- $case
  for tangent in exact approximate; do
    gradient $tangent --formulation penalty --penalty 1e7 --tolerance 1e-12 --xi "$1" --omega "$2" --tangent $tangent \
      --objective psi1 --wrt Ls1,Ls2
  done
  exact=$(value exact statistics.iterations)
  approximate=$(value approximate statistics.iterations)
  echo "$exact $approximate" | awk -v start="| $1 | $2 |" -v end="$(pair exact)" '{printf "%s %.2f | %.2f | %s |\n", start, $1/500, $2/500, end}'
  require "iterations with xi = $1, omega = $2" "$exact <= 1000 && $approximate <= 2000"
done

# kinematics gives the motion of a mechanism without freedoms exactly, at the same times
driven=models/driven_slider_crank.yaml
model=$work/driven.yaml
sed "s/^objectives:/&\n  whole: {integral: \"(lambda(motor) + kappa(motor))^2\"}/" "$driven" >"$model"
heading "A driven mechanism ($driven): x = int a^2 dt and its derivative, ali3p with and without projections" h \
  "x, kinematics" ali3p "without projections" "dx/dLc, kinematics" ali3p "without projections"
for h in 1e-2 1e-3 1e-4; do
  run "k_$h" kinematics "$driven" --method direct --step $h
  gradient "a_$h" --formulation ali3p --step $h
  run none gradient "$driven" --formulation ali3p --projections none --step $h
  line="| $h"
  for at in objectives.x.value objectives.x.gradient.Lc; do
    for file in "k_$h" "a_$h" none; do
      line="$line | $(value "$file" $at | awk '{printf "%.6f", $1}')"
    done
    require "driven mechanism, $at" "($(value "a_$h" $at)/$(value "k_$h" $at) - 1)^2 <= (5*$h^2)^2"
    require "projections matter, $at" "$(value none $at)/$(value "k_$h" $at) > 2"
  done
  echo "$line |"
done

heading "The motor's torque there, ali3p: relative error of int lambda*^2 dt and of int (lambda* + kappa)^2 dt" h \
  "lambda*" "lambda* + kappa"
for h in 1e-2 1e-3 1e-4; do
  reference=$(value "k_$h" objectives.torque.value)
  line="| $h"
  for name in torque whole; do
    line="$line | $(value "a_$h" objectives.$name.value | awk -v k="$reference" '{e = $1/k - 1; printf "%.1e", e < 0 ? -e : e}')"
  done
  echo "$line |"
  require "the motor's torque" "($(value "a_$h" objectives.whole.value)/$reference - 1)^2 <= 1e-24"
done

# Nonholonomic systems. A part of scripts/validation.
model=models/two_point_mass.yaml
formulations="ali3p index3 ali1 index1 penalty matrix-r"
# the digits of the reference end at 1e-8
cat >"$work/two" <<END
xA 5.88514609 -0.20993521
yA 1.84021782 0.76550729
theta 0.42041811 0.36505543
vxA 0.91291837 -0.14899452
vyA 0.40814218 0.33326581
vtheta 0.10530253 0.06404493
axA -0.04297841 -0.06123317
ayA 0.09613262 0.0427783
atheta -0.00774567 -0.02440819
END

heading "Two point masses with a knife edge (P0 section 4.2): end values, derivatives with respect to fB, h = 1e-3" "" \
  derived $formulations
for formulation in $formulations; do
  gradient "m_$formulation" --formulation $formulation --step 1e-3
done
while read -r name value derivative; do
  for kind in value gradient.fB; do
    derived=$value
    label=$name
    [ $kind = value ] || { derived=$derivative && label="d $name/d fB"; }
    line="| $label | $derived"
    for formulation in $formulations; do
      found=$(value "m_$formulation" "objectives.$name.$kind")
      line="$line | $(awk -v x="$found" 'BEGIN {printf "%.9f", x}')"
      # 2e-3 relative or 4e-5 absolute are wanted
      require "two point masses, $label, $formulation" "($found - $derived)^2 <= 1e-7^2"
    done
    echo "$line |"
  done
done <"$work/two"

# usage: largest_error FILE KIND  of the nine values (value) or derivatives (gradient.fB)
largest_error() {
  awk -v kind="$2" '
    NR == FNR {derived["objectives." $1 "." kind] = kind == "value" ? $2 : $3; next}
    $1 in derived {++n; e = $2 - derived[$1]; e = e < 0 ? -e : e; if (e > w) w = e}
    END {printf "%.4e", n == 9 ? w : 1e99}' "$work/two" "$work/$1"
}

heading "Two point masses, ali3p: largest error of nine end values and of their derivatives, and its order" h \
  "coupled: values" order derivatives order "projected: values" order derivatives order
before=
for h in 1e-1 1e-2 1e-3 1e-4 1e-5; do
  now=$h
  for way in coupled projected; do
    gradient $way --formulation ali3p --nonholonomic $way --step $h
    now="$now $(largest_error $way value) $(largest_error $way gradient.fB)"
  done
  orders "$now" "$before"
  case $h in # below, the reference's own digits show
    1e-2 | 1e-3 | 1e-4) for k in 4 5; do require "order of projected at $h" "(1 - $(order $k "$now" "$before"))^2 <= 0.01"; done ;;
  esac
  [ $h != 1e-2 ] || for k in 2 3; do require "order of coupled" "$(order $k "$now" "$before") > 1.95"; done
  before=$now
done
set -- $before
require "coupled at 1e-5" "$2 <= 1e-8 && $3 <= 1e-8"

# usage: history FILE ARGUMENTS...  d ayA/d fB over the run
history() {
  file=$1
  shift
  "$command" gradient "$model" --objective ayA -o "$work/history.csv" "$@" >"$work/out"
  awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "d(A.y\047\047)/d(fB)") at = i; next} {print $at}' \
    "$work/history.csv" >"$work/$file"
}

heading "P0 Fig. 16 and 11, two point masses: largest difference of the history d ayA/d fB from that of ali3p" formulation alpha \
  "h = 1e-3" "h = 1e-4"
for h in 1e-3 1e-4; do
  history "reference_$h" --formulation ali3p --step $h
done
for case in "index1 auto" "penalty 1e4" "penalty 1e5" "penalty 1e6" "penalty 1e7" "penalty 1e8" "penalty 1e10" \
  "ali3p 1e4" "ali3p 1e7" "ali3p 1e10"; do
  set -- $case
  line="| $1 | $2"
  for h in 1e-3 1e-4; do
    history h --formulation "$1" --penalty "$2" --step $h
    error=$(paste "$work/reference_$h" "$work/h" | awk '{e = $1 - $2; e = e < 0 ? -e : e; if (e > w) w = e} END {printf "%.1e", (NR > 10 ? w : 1e99)}')
    line="$line | $error"
    require "history with $case, h = $h" "$error <= 1e-4"
  done
  echo "$line |"
done

heading "Sleigh and rolling disc against closed forms, index1, h = 1e-4" "" "closed form" mbsens error
cat >"$work/sleigh.yaml" <<END
mbsens: 1
name: sleigh on an incline, its knife edge under the centre of mass
gravity: [G, 0]
parameters: {G: 2.5, w: 1.5, m: 1.7}
ground: {points: {O: [0, 0]}}
bodies: {sleigh: {mass: m, inertia: 0.3, points: {P: [0, 0]}}}
joints: [{knife_edge: [ground.O, sleigh.P], edge: [1, 0], name: edge}]
initial:
  independent:
    - {coordinate: r(P).x, value: 0, velocity: 0}
    - {coordinate: r(P).y, value: 0}
    - {coordinate: angle(sleigh), value: 0, velocity: w}
objectives: {x: {final: r(P).x}, y: {final: r(P).y}, side: {final: lambda(edge)}}
simulation: {end: 2}
END
cat >"$work/turn.yaml" <<END
mbsens: 1
name: disc in a steady turn
dimension: 3
gravity: [0, 0, -9.81]
constants: {m: 2, R: 0.3, Ia: 0.09, Id: 0.045, B: 0.35, W: 1.9,
            r: (m*9.81*R*tan(B)/W^2 - Id*sin(B))/(Ia/R + m*R), spin: -W*(r/R + sin(B))}
ground: {points: {O: [0, 0, 0]}}
bodies:
  disc: {mass: m, inertia: [Id, Ia, Id], points: {C: [0, 0, 0], U: [0, 1, 0], P: [R, 0, 0]}, rotation: [0.35, 0, 0]}
joints: [{rolling: [ground.O, disc.C], normal: [0, 0, 1], axle: [0, 1, 0], radius: R, name: road}]
initial:
  independent:
    - {coordinate: r(C).x, value: 0}
    - {coordinate: r(C).y, value: r}
    - {coordinate: r(U).x - r(C).x, value: 0, velocity: -W*cos(B)}
    - {coordinate: r(U).z - r(C).z, value: sin(B), velocity: 0}
    - {coordinate: r(P).z - r(C).z, value: 0, velocity: -R*spin*cos(B)}
objectives: {x: {final: r(C).x}, y: {final: r(C).y}, z: {final: r(C).z}, load: {final: lambda(road)}}
simulation: {end: 1.2}
END
cat >"$work/straight.yaml" <<END
mbsens: 1
name: disc down an incline
dimension: 3
gravity: [0, 0, -9.81]
parameters: {A: 0.3, R: 0.5, m: 2, I: 0.25}
ground: {points: {O: [0, 0, 0]}}
bodies:
  disc: {mass: m, inertia: [0.125, I, 0.125], points: {C: [0, 0, 0], U: [0, 1, 0], P: [R, 0, 0]}, position: [0, 0, 0.5]}
joints: [{rolling: [ground.O, disc.C], normal: [sin(A), 0, cos(A)], axle: [0, 1, 0], radius: R, name: road}]
initial:
  independent:
    - {coordinate: "dot(r(C), [cos(A), 0, -sin(A)])", value: 0, velocity: 0}
    - {coordinate: r(C).y, value: 0}
    - {coordinate: "dot(r(U) - r(C), [cos(A), 0, -sin(A)])", value: 0, velocity: 0}
    - {coordinate: "dot(r(U) - r(C), [sin(A), 0, cos(A)])", value: 0, velocity: 0}
    - {coordinate: r(P).z - r(C).z, value: 0}
objectives: {way: {final: "dot(r(C), [cos(A), 0, -sin(A)])"}}
simulation: {end: 1}
END
: >"$work/all"
for name in sleigh turn straight; do
  case $name in turn) what=simulate ;; *) what=gradient ;; esac
  run n $what "$work/$name.yaml" --formulation index1 --step 1e-4
  sed "s/^objectives/$name/" "$work/n" >>"$work/all"
done
# x = G/(2 w^2) sin^2(w t), y = G/(2 w^2) (w t - sin(2 w t)/2), -2 m G sin(w t) on the edge; a circle of radius r;
# g sin A t^2/2 divided by 1 + I/(m R^2)
closed_forms '
  G = 2.5; w = 1.5; m = 1.7; t = 2; f = w*t; k = G/(2*w^2)
  check("sleigh, x", "sleigh.x.value", k*sin(f)^2)
  check("d x/d w", "sleigh.x.gradient.w", k*(t*sin(2*f) - 2/w*sin(f)^2))
  check("sleigh, y", "sleigh.y.value", k*(f - sin(2*f)/2))
  check("d y/d w", "sleigh.y.gradient.w", k*(t - t*cos(2*f) - 2/w*(f - sin(2*f)/2)))
  check("d y/d G", "sleigh.y.gradient.G", (f - sin(2*f)/2)/(2*w^2))
  check("force on the edge", "sleigh.side.value", -2*m*G*sin(f))
  m = 2; R = 0.3; Ia = 0.09; Id = 0.045; B = 0.35; W = 1.9; g = 9.81
  r = (m*g*R*sin(B)/cos(B)/W^2 - Id*sin(B))/(Ia/R + m*R)
  check("steady turn, x", "turn.x.value", -r*sin(W*1.2))
  check("steady turn, y", "turn.y.value", r*cos(W*1.2))
  check("steady turn, height", "turn.z.value", R*cos(B))
  check("normal force", "turn.load.value", -m*g)
  A = 0.3; R = 0.5; I = 0.25; n = 1 + I/(m*R^2)
  check("disc down an incline", "straight.way.value", g*sin(A)/2/n)
  check("d way/d A", "straight.way.gradient.A", g*cos(A)/2/n)
  check("d way/d I", "straight.way.gradient.I", -g*sin(A)/2/n^2/(m*R^2))
  check("d way/d R", "straight.way.gradient.R", g*sin(A)/2/n^2*2*I/(m*R^3))
' "$work/all" 5e-6

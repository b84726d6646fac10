# Kinematics, gear, rack, bushing, reactions. A part of scripts/validation.
heading "Kinematics of the driven slider-crank: gradients against the complex step" objective "closed form" mbsens \
  "largest derivative" "largest difference, direct - complex step"
run k kinematics models/driven_slider_crank.yaml --compare complex-step
# turn = 0.5 + w t + amp sin 2t, end = Lc cos(turn) + sqrt(Lr^2 - Lc^2 sin(turn)^2), at t = 2
awk '
  function size(x) {return x < 0 ? -x : x}
  $1 ~ /^objectives\..*\.value$/ {split($1, part, "."); value[part[2]] = $2; order[++n] = part[2]}
  $1 ~ /^objectives\..*\.gradient\./ {direct[$1] = $2}
  $1 ~ /^comparison\.objectives\..*\.gradient\./ {
    key = substr($1, 12)
    split(key, part, ".")
    e = size(direct[key] - $2)
    if (e > difference[part[2]]) difference[part[2]] = e
    if (size($2) > largest[part[2]]) largest[part[2]] = size($2)
  }
  END {
    turn = 0.5 + 7*2 + 0.4*sin(4)
    closed["turn"] = turn
    closed["end"] = 0.3*cos(turn) + sqrt(0.9^2 - (0.3*sin(turn))^2)
    for (i = 1; i <= n; ++i) {
      o = order[i]
      is_closed = o in closed
      printf "| %s | %s | %.12g | %.5g | %.1e |\n", o, (is_closed ? sprintf("%.12g", closed[o]) : ""), value[o], largest[o], difference[o]
      if (!(largest[o] > 0 && difference[o] <= 1e-13*largest[o])) bad = 1
      if (is_closed && size(value[o] - closed[o]) > 1e-12) bad = 1
    }
    exit bad || n != 4
  }' "$work/k" || {
  echo "validation: kinematics does not hold" >&2
  status=1
}

heading "Gear, rack and bushing against closed forms, index1, h = 1e-4" "" "closed form" mbsens error
cat >"$work/gears.yaml" <<END
mbsens: 1
name: gear, rack and bushing
parameters: {I1: 0.5, I2: 0.2, n: -3, r: 0.4, m: 2, T: 3, k: 50, M: 1.5, x0: 0.1}
ground: {points: {A: [0, 0], B: [2, 0], C: [0, 1], D: [5, 0]}}
bodies:
  wheel: {inertia: I1, mass: 1, points: {A: [0, 0], p: [1, 0]}}
  pinion: {inertia: I2, mass: 1, points: {B: [0, 0], p: [1, 0]}}
  bar: {inertia: 0.1, mass: m, points: {C: [0, 0]}}
  block: {inertia: 0.3, mass: M, points: {D: [0, 0]}}
joints:
  - {revolute: [ground.A, wheel.A], name: first}
  - {revolute: [ground.B, pinion.B], name: second}
  - {prismatic: [ground.C, bar.C], axis: [1, 0], name: guide}
  - {gear: [first, second], ratio: n}
  - {rack: [second, guide], radius: r}
forces:
  - {torque: wheel, value: T}
  - {bushing: [ground.D, block.D], stiffness: [k, 2*k], turning_stiffness: 4}
initial:
  independent:
    - {coordinate: angle(wheel), value: 0}
    - {coordinate: r(block.D).x, value: 5 + x0}
    - {coordinate: r(block.D).y, value: 2*x0}
    - {coordinate: angle(block), value: 0.3}
objectives:
  turn: {final: angle(wheel)}
  way: {final: r(bar.C).x}
  x: {final: r(block.D).x - 5}
  y: {final: r(block.D).y}
  phi: {final: angle(block)}
simulation: {end: 1, step: 0.001}
END
run g gradient "$work/gears.yaml" --formulation index1 --step 1e-4
# a torque T on the wheel turns all that it drives, I = I1 + n^2 (I2 + r^2 m); the block swings along and about each axis
closed_forms '
  I2 = 0.2; n = -3; r = 0.4; m = 2; T = 3; k = 50; M = 1.5; x0 = 0.1
  I = 0.5 + n^2*(I2 + r^2*m)
  check("turn", "objectives.turn.value", T/(2*I))
  check("d turn/d n", "objectives.turn.gradient.n", -T*n*(I2 + r^2*m)/I^2)
  check("d turn/d r", "objectives.turn.gradient.r", -T*n^2*r*m/I^2)
  check("way of the rack", "objectives.way.value", n*r*T/(2*I))
  check("x of the block", "objectives.x.value", x0*cos(sqrt(k/M)))
  check("d x/d k", "objectives.x.gradient.k", -x0*sin(sqrt(k/M))/(2*sqrt(k*M)))
  check("y of the block", "objectives.y.value", 2*x0*cos(sqrt(2*k/M)))
  check("angle of the block", "objectives.phi.value", 0.3*cos(sqrt(4/0.3)))
' "$work/g" 2e-6

heading "Reactions against closed forms, index1, h = 1e-4" "" "closed form" mbsens error
cat >"$work/cone.yaml" <<END
mbsens: 1
name: conical pendulum
dimension: 3
gravity: [0, 0, -9.81]
constants: {m: 1.3, L: 0.8, theta: 0.7}
ground: {points: {O: [0, 0, 0]}}
bodies: {ball: {mass: m, points: {P: [0, 0, 0]}, position: [L*sin(theta), 0, -L*cos(theta)]}}
joints: [{distance: [ground.O, ball.P], length: L, name: string}]
initial:
  independent:
    - {coordinate: r(P).x, value: L*sin(theta)}
    - {coordinate: r(P).y, value: 0, velocity: sin(theta)*sqrt(9.81*L/cos(theta))}
objectives:
  tension: {final: norm(force(string))}
  weight: {final: force(string).z}
simulation: {end: 1}
END
cat >"$work/rotor.yaml" <<END
mbsens: 1
name: rotor with its centre of mass off the axis
dimension: 3
gravity: [0, 0, -9.81]
parameters: {m: 2, c: 0.3, h: -0.2, Ixz: 0.03, w: 3}
ground: {points: {O: [0, 0, 0]}}
bodies:
  rotor: {mass: m, com: [c, 0, h], inertia: [0.2, 0.25, 0.3, 0, Ixz, 0], points: {O: [0, 0, 0], P: [0.5, 0.1, 0.2]}}
joints:
  - {revolute: [ground.O, rotor.O], axis: [0, 0, 1], name: bearing}
  - {driver: angle(bearing), value: w*t}
objectives:
  force: {final: "force(bearing, rotor).x"}
  torque: {final: "torque(bearing, rotor).y"}
simulation: {end: 1}
END
run c simulate "$work/cone.yaml" --formulation index1 --step 1e-4
run r gradient "$work/rotor.yaml" --formulation index1 --step 1e-4
sed 's/^objectives/rotor/' "$work/r" >>"$work/c"
# the string carries m g/cos(theta); the rotor's bearing -m c w^2 and, about its point, (Ixz - m c h) w^2 - m g c
closed_forms '
  m = 2; c = 0.3; h = -0.2; Ixz = 0.03; w = 3; g = 9.81
  check("conical pendulum, tension", "objectives.tension.value", 1.3*g/cos(0.7))
  check("conical pendulum, upwards", "objectives.weight.value", 1.3*g)
  check("rotor, force", "rotor.force.value", -m*c*w^2)
  check("d force/d c", "rotor.force.gradient.c", -m*w^2)
  check("d force/d w", "rotor.force.gradient.w", -2*m*c*w)
  check("rotor, torque", "rotor.torque.value", (Ixz - m*c*h)*w^2 - m*g*c)
  check("d torque/d m", "rotor.torque.gradient.m", -c*h*w^2 - g*c)
  check("d torque/d Ixz", "rotor.torque.gradient.Ixz", w^2)
  check("d torque/d h", "rotor.torque.gradient.h", -m*c*w^2)
  check("d torque/d w", "rotor.torque.gradient.w", 2*w*(Ixz - m*c*h))
' "$work/c" 1e-11

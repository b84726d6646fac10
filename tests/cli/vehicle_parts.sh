#!/bin/sh
# Parts of vehicles: kinematics and compliance of an axle, the box truck, driver, brakes and differential, ride comfort, roads.
# shellcheck disable=SC1091,SC2086,SC2154  # names come from ensure.inc and vehicles.inc
. "$(dirname "$0")/ensure.inc"
. "$(dirname "$0")/vehicles.inc"

# the front axle: the roll centre from the instant centre of two wishbones in one plane; gradients by hardpoints and bushings
exits 0 kinematics $vehicles/front_axle.yaml --set upper_rear.z=0.4 --set upper_ball.x=0 --set lower_ball.x=0 --end 0.5
near left_motion_roll_centre 0.102693742230 1e-8
near left_wheel_kingpin 0.124354995 1e-8   # atan(0.03/0.24)
near left_wheel_scrub 0.0775 1e-8
exits 0 kinematics $vehicles/front_axle.yaml --method adjoint --wrt tie_inner.z,upper_ball.x,centre.y --compare complex-step
prints 'largest relative difference between .*e-\(0[89]\|1[0-9]\)$'
exits 0 equilibrium $vehicles/front_axle_compliance.yaml --wrt axial,radial,side_force,brake_force,drive_force,align,bump,steer,tie_outer.z --compare complex-step
prints 'largest relative difference between .*e-\(0[89]\|1[0-9]\)$'
exits 0 optimize $vehicles/bump_steer.yaml --step 0.1
prints '^  bump_steer  *0\.009[0-9]* *[0-9.]*e-06$'

# McPherson strut: the line of the strut goes through its mount and touches a circle around the ball joint, whose arm turns; with
# all of it in one plane that gives camber and instant centre at 64 mm of bump
exits 0 kinematics $vehicles/strut_axle.yaml --end 0.9 --set top.x=0 --set seat.x=0 --set tie_inner.y=0.33 --set tie_inner.z=0.2 --set tie_outer.y=0.68 \
  --set tie_outer.z=0.18
near camber -0.010026501933512844 1e-9
near moving_roll_centre -0.08698236867882089 1e-9
exits 0 kinematics $vehicles/strut_axle.yaml --step 0.25 --method direct --wrt hardpoints --compare complex-step
prints 'largest relative difference between .*e-\(0[89]\|1[0-9]\)$'

# struts on bushings: with stiff ones the kinematics above, the right side a mirror image of the left one, compliance over 1/stiffness
exits 0 kinematics $vehicles/strut_axle.yaml --end 0.8125 --step 0.8125
camber=$(awk '$1 == "camber" {print $2}' "$folder/out") toe=$(awk '$1 == "toe" {print $2}' "$folder/out")
stiff() {
  echo "--set axial=$1 --set radial=$1 --set top_axial=$1 --set top_radial=$1"
}
exits 0 equilibrium $vehicles/strut_axle_compliance.yaml --wrt side_force --set bump=0.05 $(stiff 1e11)
for side in left right; do
  near ${side}_camber $camber 1e-5
  near ${side}_toe $toe 1e-5
done
for k in 1e9 1e10; do
  exits 0 equilibrium $vehicles/strut_axle_compliance.yaml --wrt side_force --objective left_toe,right_toe,left_camber,right_camber $(stiff $k)
  awk '$1 == "side_force" {print $2, $3, $4, $5}' "$folder/out"
done >"$folder/steer"
awk 'NR == 1 {split($0, d)} NR == 2 {for (i = 1; i <= 4; ++i) {e = d[i]/(10*$i) - 1; m = d[i]/d[i % 2 ? i + 1 : i - 1] - 1
  good += d[i] != 0 && e*e < 1e-8 && m*m < 1e-18}} END {exit good != 4}' "$folder/steer" || fail "compliance steer: $(cat "$folder/steer")"
exits 0 equilibrium $vehicles/strut_axle_compliance.yaml --wrt side_force,align,top_radial,radial,seat.y,tie_outer.z,bump --compare complex-step
prints 'largest relative difference between .*e-\(0[89]\|1[0-9]\)$'

# the car on its circle: the gradient by the speed against the circle found again, and a run that stays on it; its step of
# steering; parked
exits 0 equilibrium $vehicles/car_circle.yaml --wrt speed,bar_front --method adjoint --compare complex-step
prints 'largest relative difference between .*e-\(0[89]\|1[0-9]\)$'
slope=$(awk '$2 == "adjoint" {at = $1} $1 == "speed" && at == "steer_front" {print $2}' "$folder/out")
for speed in 8.001 7.999; do
  exits 0 equilibrium $vehicles/car_circle.yaml --wrt none --set speed=$speed
  awk '$1 == "steer_front" {print $2}' "$folder/out"
done >"$folder/steer"
awk -v slope="$slope" 'NR == 1 {a = $1} NR == 2 {e = (a - $1)/0.002/slope - 1; good = slope != 0 && e*e < 1e-8} END {exit !good}' "$folder/steer" ||
  fail "d steer/d speed is not $slope"
exits 0 simulate $vehicles/car_circle.yaml --end 0.25
awk '$1 == "off_circle" {good = $2*$2 < 1e-15} END {exit !good}' "$folder/out" || fail "it leaves its circle"
agrees relative matrix-r direct $vehicles/car_step_steer.yaml --set at=0.005 --end 0.03 --objective end_yaw_rate,end_slip --wrt bar_front,LMUY,tie_outer.z
agrees relative ali3p adjoint $vehicles/car_parked.yaml --end 0.03 --objective moved --wrt slope,k_f,LMUX
exits 0 simulate $vehicles/car_parked.yaml --end 6 --step 0.02
awk '$1 == "speed_left" {good = $2 < 1e-5} END {exit !good}' "$folder/out" || fail "a parked car moves"

# with a caravan: in steady motion nothing sways; the gradient against the file run again with its load elsewhere
exits 0 simulate $vehicles/car_caravan.yaml --set steer=0 --end 0.2
awk '$1 == "most" {good = $2 < 1e-12} END {exit !good}' "$folder/out" || fail "a caravan sways by itself"
exits 0 gradient $vehicles/car_caravan.yaml --end 1 --step 0.01 --objective sway --wrt forward
slope=$(awk '$1 == "forward" && NF == 2 {print $2}' "$folder/out")
for forward in 0.121 0.119; do
  exits 0 simulate $vehicles/car_caravan.yaml --end 1 --step 0.01 --set forward=$forward
  awk '$1 == "sway" {print $2; exit}' "$folder/out"
done >"$folder/sway"
awk -v slope="$slope" 'NR == 1 {a = $1} NR == 2 {e = (a - $1)/0.002/slope - 1; good = slope != 0 && e*e < 1e-8} END {exit !good}' "$folder/sway" ||
  fail "d sway/d forward is not $slope"

# onto a kerb as a disc, whose path begins 0.17 m before it; and on a measured road, by a number of its table
agrees relative ali3p direct $vehicles/car_kerb.yaml --set edge=1.3 --end 0.06 --step 0.01 --objective end_speed --wrt kerb,speed
agrees relative ali3p adjoint $vehicles/car_profile.yaml --end 0.06 --step 0.01 --objective rms --wrt "left_track.y[22],k_f"

# the box truck, the driver, brakes and differential
exits 0 check $vehicles/box_truck.yaml
prints '9 bodies, 24 relative coordinates, 7 constraints (0 redundant), 17 degrees of freedom'
agrees relative matrix-r direct $vehicles/box_truck.yaml --set bump_start=0.05 --end 0.1 --objective comfort,height --wrt k_rear,c_front
agrees relative ali3p adjoint $vehicles/buggy_driver.yaml --set x0=14 --end 0.2 --step 0.02 --objective effort --wrt gain,look,lag,bar_front
agrees relative ali3p direct $vehicles/buggy_brake_in_turn.yaml --set brake_at=0.05 --end 0.2 --step 0.02 --objective end_speed --wrt drive,brake,brake_front
# a braked wheel cannot push the car: with twice the torque it is slower, and drive makes it faster
exits 0 gradient $vehicles/buggy_brake_in_turn.yaml --set brake_at=0.05 --end 0.2 --step 0.02 --objective end_speed --wrt drive,brake
awk '$1 == "drive" && $2 > 0 {good += 1} $1 == "brake" && $2 < 0 {good += 1} END {exit good != 2}' "$folder/out" || fail "drive and brake"

# what cannot be: a cliff that a wheel does not follow, a start below the road, a manoeuvre that ends before the run
# usage: variant MODEL YAML    in $folder/variant.yaml
variant() {
  printf 'mbsens: 1\ninclude: %s/%s/%s.yaml\n%s\n' "$PWD" $vehicles "$1" "$2" >"$folder/variant.yaml"
}
variant buggy_step 'functions: {"road(x, y)": "0.4*step(x - 1)"}'
exits 3 simulate "$folder/variant.yaml"
grep -q 'validity "f[lr]_tyre_contact_above_road": the centre of the wheel is not above the road at t = 0.50' "$folder/err" || fail "a cliff"
variant buggy_step 'functions: {"road(x, y)": "0.3 + 0*x"}
initial: {equilibrium: no}'
exits 2 check "$folder/variant.yaml"
grep -q 'validity "fl_tyre_contact_above_road": the centre of the wheel is not above the road; start elsewhere' "$folder/err" || fail "below the road"
variant buggy_lane_change 'tables: {way: {x: [0, 0.1, 0.15], y: [0, 0, 0.02]}}
functions: {rack_travel(s): -way(s)}'
exits 3 simulate "$folder/variant.yaml" --end 1
grep -q 'table "way" is left at t = 0.15: its argument goes beyond 0.15' "$folder/err" || fail "the end of a manoeuvre"

# and where a run goes on: warnings with names and times, after the adjoint's way back too
# usage: warns PATTERN COMMAND OPTION...    of the last variant
warns() {
  pattern=$1 verb=$2
  shift 2
  exits 0 "$verb" "$folder/variant.yaml" "$@"
  grep -q "^warning: .*$pattern" "$folder/out" || fail "no warning \"$pattern\""
}
variant buggy_step 'functions: {"road(x, y)": "0.16*step(x - 1)"}'
warns 'validity "fr_tyre_contact_deep" at t = 0.504[0-9]* (after 3 steps, the last at t = 0.51): the tyre is pressed in' simulate --end 0.53
warns 'validity "fl_tyre_contact_far" at t = 0.57 (after 3 steps, the last at t = 0.59): the road is more than a radius below' simulate --end 0.59
variant buggy_step 'functions: {"road(x, y)": "road_step(x, 1, 0.05, 0.08)"}'
warns 'validity "fl_tyre_contact_steep" at t = 0.51 (after 2 steps, the last at t = 0.52): the road is steeper than 60' simulate --end 0.53
variant buggy_step 'functions: {"road(x, y)": "0.15 + 0*x"}
initial: {equilibrium: no}'
warns 'validity "rr_tyre_contact_deep" at t = 0: the tyre is pressed in' simulate --end 0.02
variant buggy_step 'parameters: {speed: 0.1}'
warns 'validity "rl_tyre_fast" at t = 0 (after 3 steps, the last at t = 0.02): the wheel is slower than' simulate --end 0.02
variant buggy_lane_change 'tables: {way: {x: [0, 0.1, 0.15], y: [0, 0, 0.02], outside: hold}}
functions: {rack_travel(s): -way(s)}'
warns 'table "way" at t = 0.165 (after 3 steps, the last at t = 0.195): its points go from 0 to 0.15, and what is beyond them is held' gradient \
  --method adjoint --wrt k_f --end 0.195
exits 0 simulate "$folder/variant.yaml" --end 0.15
grep -q '^warning: .*table' "$folder/out" && fail "the table is not left"
variant iltis_quarter 'parameters: {drop: 0.9}'
warns 'validity "wheel_tyre_far" at t = 1.19998.*: the road is more than two radii below the tyre' simulate --end 1.25

# SAE's axes: some outputs have the other sign
variant box_truck 'constants: {sae: 1}'
exits 0 simulate "$folder/variant.yaml" --end 0.01
awk '$1 == "front_left_tyre_Fz" && $2 < -1e4 {good += 1} $1 == "z" && $2 < -0.7 {good += 1} $1 == "roll" {good += 1} END {exit good != 3}' "$folder/out" ||
  fail "axes of SAE"

# filters of ISO 2631-1 on a shaker against their transfer functions at 5 Hz (its table: 1.039 for Wk, 0.409 for Wd); the random
# road of class C over 4 km: rms sqrt(256e-6*0.1^2*(1/0.05 - 1/2)), and left and right apart
cat >"$folder/shaker.yaml" <<MODEL
mbsens: 1
include: [$PWD/models/parts/comfort.yaml, $PWD/models/parts/roads.yaml]
gravity: [0, 0]
parameters: {f: 5}
functions: {"left(s)": "road_random(200*s, 0.8, 3, 256e-6, 1.6)", "right(s)": "road_random(200*s, -0.8, 3, 256e-6, 1.6)"}
ground: {points: {O: [0, 0]}}
bodies: {seat: {mass: 1, inertia: 1, points: {P: [0, 0]}}}
joints:
  - {prismatic: [ground.O, seat.P], axis: [0, 1], name: guide}
  - {driver: slide(guide), value: "-sin(2*pi*f*t)/(2*pi*f)^2"}
assemblies:
  - {template: ride_comfort, name: up, with: {speed: v(seat.P).y, start: -1/(2*pi*f)}}
  - {template: ride_comfort, name: across, with: {speed: v(seat.P).y, start: -1/(2*pi*f), f3: 2, f5: 1, f6: 1}}
objectives: {level: {rms: left(t)}, both: {rms: (left(t) + right(t))/2}}
simulation: {end: 20, step: 0.004}
MODEL
exits 0 simulate "$folder/shaker.yaml"
near up_rms 0.73456 0.003
near across_rms 0.28930 0.005
near level 0.0070654 0.05
awk '$1 == "level" {l = $2} $1 == "both" {b = $2} END {exit !(b < 0.98*l && b > 0.6*l)}' "$folder/out" || fail "left and right are alike"
done_well

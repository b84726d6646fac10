# The vehicles of models/vehicles: the Iltis beside its reference, tables shaped like P0's Table 4 and P3's Tables 2 and 3 on a
# buggy of our own, and every vehicle and manoeuvre against the complex step. A part of scripts/validation.
vehicles=models/vehicles

heading "The Iltis in equilibrium" "" reference mbsens "relative difference"
run equilibrium equilibrium $vehicles/iltis.yaml --wrt none
while read -r name path reference; do
  found=$(value equilibrium "objectives.$path.value")
  echo "| $(echo "$name" | tr _ " ") | $reference | $(awk "BEGIN {printf \"%.7g\", $found}") | $(awk "BEGIN {e = $found/($reference) - 1; printf \"%.1e\", e < 0 ? -e : e}") |"
  require "$name of the Iltis" "($found/($reference) - 1)^2 <= 1e-8"
done <<FORCES
heave_(m) dz -0.007083
front_tyre_(N) fl_tyre_load 3831.31
rear_tyre_(N) rl_tyre_load 3591.91
front_shock_absorber_(N) fl_shock_force -335.29
rear_shock_absorber_(N) rl_shock_force -241.64
front_leaf_spring_(N) fl_leaf_load -3068.62
rear_leaf_spring_(N) rl_leaf_load -2885.51
front_rod_(N) fl_rod_force -1408.51
rear_rod_(N) rl_rod_force -1335.52
FORCES

heading "The Iltis over the bump in phase, 5 m/s, h = 1e-3: extrema" "" reference mbsens "relative difference"
run bump simulate $vehicles/iltis_bump.yaml --step 1e-3
while read -r name reference; do
  found=$(value bump "objectives.$name.value")
  echo "| $(echo "$name" | tr _ " ") | $reference | $(awk "BEGIN {printf \"%.7g\", $found}") | $(awk "BEGIN {e = $found/($reference) - 1; printf \"%.1e\", e < 0 ? -e : e}") |"
  require "$name of the Iltis" "($found/($reference) - 1)^2 <= 1e-4"
done <<EXTREMA
lowest 0.547494
highest 0.690687
nose_up -0.110899
nose_down 0.133343
front_load 6202.4
rear_load 5664.2
front_least 1300.5
rear_least 1360.1
EXTREMA

quarter=$vehicles/iltis_quarter.yaml
heading "A quarter of the Iltis over a step (P2 Table 5): d/d(leaf) of int z'^2 dt; by the speed, and from runs at 5.01 and 4.99 m/s" "t, s" \
  "P2" "radau-5, h = 5 ms" "shock absorber as P2 prints it" "h = 1 ms" "by the speed" "runs again"
while read -r end published; do
  run quarter gradient $quarter --end "$end" --objective psi --wrt leaf,speed
  run printed gradient $quarter --end "$end" --objective psi --wrt leaf --set shock.x=-0.075 --set shock_arm.x=-0.075
  run fine gradient $quarter --end "$end" --objective psi --wrt leaf,speed --step 1e-3
  run faster simulate $quarter --end "$end" --set speed=5.01
  run slower simulate $quarter --end "$end" --set speed=4.99
  by_speed=$(value quarter objectives.psi.gradient.speed)
  again=$(awk "BEGIN {printf \"%.5g\", ($(value faster objectives.psi.value) - $(value slower objectives.psi.value))/0.02}")
  echo "| $end | $published | $(value quarter objectives.psi.gradient.leaf | awk '{printf "%.5g", $1}') | $(value printed objectives.psi.gradient.leaf | awk '{printf "%.5g", $1}') | $(value fine objectives.psi.gradient.leaf | awk '{printf "%.5g", $1}') | $(awk "BEGIN {printf \"%.5g\", $by_speed}") | $again |"
  require "leaf of the quarter car at $end s" "($(value quarter objectives.psi.gradient.leaf)/($(value fine objectives.psi.gradient.leaf)) - 1)^2 <= 1e-6"
  require "speed of the quarter car at $end s" "($by_speed - $again)^2 <= 1e-7"
done <<TIMES
1 -1.487e-7
1.5 1.685e-6
3 4.730e-6
5 4.730e-6
TIMES

parameters="k_f c_f k_r c_r m_c"
wrt=k_f,c_f,k_r,c_r,m_c
step=$vehicles/buggy_step.yaml
lane=$vehicles/buggy_lane_change.yaml

# usage: row TEXT RUN OBJECTIVE
row() {
  line="| $1"
  for parameter in $parameters; do
    line="$line | $(value "$2" "objectives.$3.gradient.$parameter" | awk '{printf "%.5g", $1}')"
  done
  echo "$line |"
}
# usage: apart_of RUN RUN OBJECTIVE    the largest relative difference of the five derivatives
apart_of() {
  awk -v at="objectives.$3.gradient." 'index($1, at) != 1 {next} NR == FNR {a[$1] = $2; next}
    {e = a[$1]/$2 - 1; e = e < 0 ? -e : e; if (e > w) w = e; ++n} END {print n == 5 ? w : 1e99}' "$work/$1" "$work/$2"
}

heading "The buggy descends a step (as P0 Table 4, psi_p0 = int z''^4 dt): gradient by the direct method" "formulation, coordinates, h" \
  $parameters
for h in 1e-2 1e-3; do
  for way in "ali3p natural" "ali3p relative" "matrix-r natural" "matrix-r relative"; do
    formulation=${way% *} coordinates=${way#* }
    run "step_${formulation}_${coordinates}_$h" gradient $step --step $h --formulation "$formulation" --coordinates "$coordinates" --wrt $wrt
    row "$formulation, $coordinates, $h" "step_${formulation}_${coordinates}_$h" psi_p0
  done
done

run reference gradient $step --step 2.5e-4 --formulation ali3p --coordinates relative --wrt $wrt
heading "The buggy descends a step (as P3 Table 2, psi_p3 = int r1z''^2 dt, h = 1e-3); reference: h = 2.5e-4" "" $parameters
for way in "relative direct" "relative adjoint" "natural direct" "natural adjoint"; do
  run "table_${way#* }" gradient $step --step 1e-3 --formulation matrix-r --coordinates "${way% *}" --method "${way#* }" --wrt $wrt
  row "matrix-r, ${way% *}, ${way#* }" "table_${way#* }" psi_p3
  [ "${way#* }" = direct ] || require "direct and adjoint of the step" "$(apart_of table_direct table_adjoint psi_p3) <= 1e-6"
done
row "reference" reference psi_p3

heading "Formulations of the step descent come together as h falls: largest relative difference from ali3p in relative coordinates" \
  h "ali3p, natural" "matrix-r, natural" "matrix-r, relative"
for h in 1e-2 1e-3; do
  line="| $h"
  for run in ali3p_natural matrix-r_natural matrix-r_relative; do
    line="$line | $(apart_of "step_${run}_$h" "step_ali3p_relative_$h" psi_p3 | awk '{printf "%.1e", $1}')"
    [ $h = 1e-2 ] || require "differences of $run fall" "10*$(apart_of "step_${run}_$h" "step_ali3p_relative_$h" psi_p3) <= $(apart_of "step_${run}_1e-2" step_ali3p_relative_1e-2 psi_p3)"
  done
  echo "$line |"
done

heading "The buggy changes lanes (as P3 Table 3, psi_roll = int (roll rate)^2 dt, h = 15 ms); reference: h = 1 ms" "" $parameters
for way in "relative direct" "relative adjoint" "natural direct" "natural adjoint"; do
  run "table_${way#* }" gradient $lane --objective psi_roll --formulation matrix-r --coordinates "${way% *}" --method "${way#* }" --wrt $wrt
  row "matrix-r, ${way% *}, ${way#* }" "table_${way#* }" psi_roll
  [ "${way#* }" = direct ] || require "direct and adjoint of the lane change" "$(apart_of table_direct table_adjoint psi_roll) <= 1e-6"
done
run reference gradient $lane --step 1e-3 --objective psi_roll --formulation ali3p --coordinates relative --wrt $wrt
row "reference" reference psi_roll

heading "Every vehicle and manoeuvre against the complex step: largest relative difference of a gradient" "model (until, by)" \
  "natural: ali3p direct" adjoint "matrix-r direct" adjoint "relative: ali3p direct" adjoint "matrix-r direct" adjoint
# usage: against MODEL END WRT OPTION...
against() {
  name=$1 end=$2 wrt=$3
  shift 3
  line="| $name ($end s, $(echo "$wrt" | sed 's/,/, /g'))"
  for coordinates in natural relative; do
    for formulation in ali3p matrix-r; do
      "$command" gradient "$vehicles/$name.yaml" --end "$end" --wrt "$wrt" "$@" --coordinates $coordinates --formulation $formulation --compare \
        complex-step >"$work/direct"
      "$command" gradient "$vehicles/$name.yaml" --end "$end" --wrt "$wrt" "$@" --coordinates $coordinates --formulation $formulation --method \
        adjoint --compare complex-step >"$work/adjoint"
      for method in direct adjoint; do
        found=$(awk '/^largest relative difference/ {print $NF}' "$work/$method")
        require "$name, $coordinates, $formulation, $method" "$found <= 1e-6"
        line="$line | $found"
      done
    done
  done
  echo "$line |"
}
against iltis_bump 1 tyre,leaf,height,speed,shock.z --step 0.005 --objective comfort,end_pitch,front_load
against iltis_bump 1 tyre,leaf,height --step 0.005 --set antiphase=1 --set height=0.1 --objective comfort,end_pitch
against iltis_ramp_steer 1 rack_rate,speed,tie_hub.z --objective side,end_yaw
against iltis_sine_steer 1 amplitude,frequency,tie_hub.z --objective path,end_yaw
against iltis_quarter 1.5 leaf,speed,drop --objective psi --integrator trapezoidal --step 0.002
against buggy_step 0.2 k_f,c_f,k_r,c_r,m_c --set x0=4.25 --step 0.005
against buggy_lane_change 0.3 k_f,c_f,k_r,c_r,m_c --set first=0 --objective psi_roll --step 0.0075
against buggy_driver 0.1 gain,look,lag,bar_front --set x0=14.5 --step 0.005 --objective off_path,effort
against buggy_brake_in_turn 0.1 drive,brake,bar,k_f --set brake_at=0.03 --step 0.005 --objective end_speed
against car_step_steer 0.1 bar_front,LMUY,tie_outer.z --set at=0.02 --objective end_yaw_rate,end_slip
against car_kerb 0.06 kerb,speed --set edge=1.3 --step 0.005 --objective end_speed
against car_parked 0.1 slope,k_f,LMUX --objective moved
against box_truck 0.3 k_rear,m_box,c_front,bump --set bump_start=0.1 --objective height,comfort
against box_truck_comfort 0.1 k_front,c_rear,roughness --objective seat_vertical_rms

heading "P4's study on the box truck: dz/dk_rear over 3 s, by the direct method, exact forward differentiation in complex numbers, and differences" \
  "coordinates" "largest size of dz/dk_rear" "complex step off by" "central difference off by" "seconds: direct" "complex step" "central difference"
for coordinates in natural relative; do
  for method in direct complex-step finite-difference; do
    run "truck-$method" gradient $vehicles/box_truck.yaml --coordinates $coordinates --wrt k_rear --objective height --columns outputs --method $method \
      -o "$work/$method.csv"
    value "truck-$method" statistics.seconds.sensitivity | awk '{printf "%.2g", $1}' >"$work/seconds-$method"
  done
  off=$(for method in complex-step finite-difference; do
    awk -F , 'FNR == 1 {for (k = 1; k <= NF; ++k) if ($k ~ /^d\(z\)\/d\(k_rear\)/) at = k; next}
      NR == FNR {a[FNR] = $at; if ($at*$at > big*big) big = $at < 0 ? -$at : $at; next}
      {e = a[FNR] - $at; e = e < 0 ? -e : e; if (e > w) w = e}
      END {printf "%.4g %.1e\n", big, w/big}' "$work/direct.csv" "$work/$method.csv"
  done | tr '\n' ' ')
  # shellcheck disable=SC2086
  set -- $off
  require "dz/dk_rear, $coordinates" "$2 <= 1e-9 && $4 <= 1e-5"
  echo "| $coordinates | $1 | $2 | $4 | $(cat "$work/seconds-direct") | $(cat "$work/seconds-complex-step") | $(cat "$work/seconds-finite-difference") |"
done

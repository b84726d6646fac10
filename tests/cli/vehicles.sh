#!/bin/sh
# The vehicles of models/vehicles: the Iltis against the sheet of its benchmark, gradients of every manoeuvre against the
# complex step.
# shellcheck disable=SC1091,SC2086,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

. "$(dirname "$0")/vehicles.inc"

# the Iltis in equilibrium: every digit of the sheet
exits 0 equilibrium $vehicles/iltis.yaml --wrt none
near dz -0.007083 1e-4
near rest_pitch 0.1465 3e-4
near fl_tyre_load 3831.31 3e-6
near rl_tyre_load 3591.91 3e-6
near fr_shock_force -335.29 1e-5
near rr_shock_force -241.64 3e-5
near fl_leaf_load -3068.62 3e-6
near rr_leaf_load -2885.51 3e-6
near fr_rod_force -1408.51 3e-6
near rl_rod_force -1335.52 3e-6

# over the bump: extrema within half a per cent of the reference
exits 0 simulate $vehicles/iltis_bump.yaml --step 0.005
near lowest 0.547494 0.005
near highest 0.690687 0.005
near nose_up -0.110899 0.005
near nose_down 0.133343 0.005
near front_load 6202.4 0.005
near rear_load 5664.2 0.005
near front_least 1300.5 0.005
near rear_least 1360.1 0.005

agrees natural ali3p direct $vehicles/iltis_bump.yaml --end 0.04 --step 0.005 --objective comfort,end_pitch,front_load --wrt tyre,leaf,height,shock.z
agrees relative matrix-r adjoint $vehicles/iltis_bump.yaml --set antiphase=1 --set height=0.5 --end 0.06 --step 0.005 --objective comfort,end_pitch --wrt speed,ball.y
agrees relative ali3p adjoint $vehicles/iltis_ramp_steer.yaml --set start=0.012 --set rack_time=0.011 --end 0.04 --step 0.005 --objective side,end_yaw --wrt rack_rate,tie_hub.z,speed
agrees natural matrix-r direct $vehicles/iltis_sine_steer.yaml --set start=0.012 --end 0.04 --step 0.005 --objective path,end_yaw --wrt amplitude,tie_hub.z

# a quarter of it: P2's Table 5, and the derivative by the speed, through the event of the road's edge and the landing, against
# the file run again with other speeds
exits 0 gradient $vehicles/iltis_quarter.yaml --end 1 --objective psi --wrt leaf
near leaf -1.97991e-07 1e-5
exits 0 gradient $vehicles/iltis_quarter.yaml --end 3 --objective psi --wrt leaf
near leaf 4.6737e-06 1e-4
exits 0 gradient $vehicles/iltis_quarter.yaml --objective psi --wrt speed
slope=$(awk '$1 == "speed" && NF == 2 {print $2}' "$folder/out")
for speed in 5.01 4.99; do
  exits 0 simulate $vehicles/iltis_quarter.yaml --set speed=$speed
  awk '$1 == "psi" {print $2}' "$folder/out"
done >"$folder/psi"
awk -v slope="$slope" 'NR == 1 {a = $1} NR == 2 {e = (a - $1)/0.02/slope - 1; good = slope != 0 && e*e < 1e-6} END {exit !good}' "$folder/psi" ||
  fail "d psi/d speed is not $slope"
# an edge exactly at the start, or nearly; a wheel that exactly touches the road there: guards that are zero but for rounding
for coordinates in natural relative; do
  for edge in 0 1e-9; do
    exits 0 simulate $vehicles/iltis_quarter.yaml --coordinates $coordinates --set edge=$edge --end 0.2
    near psi 0.162153 1e-5
  done
  exits 0 simulate $vehicles/iltis_quarter.yaml --coordinates $coordinates --set rear_radius=0.356 --end 0.2
  near psi 0.00309710 1e-5
done
agrees natural matrix-r adjoint $vehicles/iltis_quarter.yaml --integrator trapezoidal --set edge=0.2 --end 0.08 --objective psi --wrt leaf,speed

# the buggy: 18 bodies and 14 degrees of freedom, as P3's; down the step, and steered
exits 0 check $vehicles/buggy_step.yaml --coordinates natural
prints '18 bodies, 156 natural coordinates, 142 constraints (0 redundant), 14 degrees of freedom'
agrees natural matrix-r direct $vehicles/buggy_step.yaml --set x0=4.25 --end 0.05 --step 0.005 --objective psi_p3,psi_p0 --wrt k_f,c_r,m_c
# coarse steps: what Newton's iteration predicts is beyond the grip of the tyres, whose slopes lead it astray
agrees natural matrix-r adjoint $vehicles/buggy_step.yaml --step 0.02 --end 0.08 --objective psi_p3 --wrt k_f
agrees relative ali3p adjoint $vehicles/buggy_lane_change.yaml --set first=0 --end 0.12 --objective psi_roll --wrt c_f,m_c

done_well

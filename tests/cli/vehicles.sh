#!/bin/sh
# The vehicles of models/vehicles: the Iltis against the sheet of its benchmark, gradients of every manoeuvre against the
# complex step.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

vehicles=models/vehicles

# usage: near NAME VALUE SHARE    the objective of the last run, relative
near() {
  awk -v name="$1" -v wanted="$2" -v share="$3" '
    $1 == name && !found {found = 1; e = $2/wanted - 1; good = (e < 0 ? -e : e) <= share; if (!good) print name, $2, "is not", wanted}
    END {exit !(found && good)}' "$folder/out" || fail "$1 is not $2 to $3"
}

# usage: agrees COORDINATES FORMULATION METHOD FILE OPTION...    with the complex step (all ways: scripts/validation.d/vehicles.sh)
agrees() {
  ways="--coordinates $1 --formulation $2 --method $3"
  shift 3
  # shellcheck disable=SC2086
  exits 0 gradient "$@" $ways --compare complex-step
  grep -q 'largest relative difference between .*: \(0\|.*e-\(0[7-9]\|1[0-9]\)\)$' "$folder/out" || fail "$* $ways: $(grep largest "$folder/out")"
}

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

# a quarter of it: P2's Table 5, and the derivative by the speed through the event of the road's edge
exits 0 gradient $vehicles/iltis_quarter.yaml --end 1 --objective psi --wrt leaf
near leaf -1.98e-7 0.01
exits 0 gradient $vehicles/iltis_quarter.yaml --end 3 --objective psi --wrt leaf
near leaf 4.61e-6 0.01
agrees natural matrix-r adjoint $vehicles/iltis_quarter.yaml --set edge=0.2 --end 0.08 --step 0.005 --objective psi --wrt leaf,speed

# the buggy: 18 bodies and 14 degrees of freedom, as P3's; down the step, and steered
exits 0 check $vehicles/buggy_step.yaml --coordinates natural
prints '18 bodies, 156 natural coordinates, 142 constraints (0 redundant), 14 degrees of freedom'
agrees natural matrix-r direct $vehicles/buggy_step.yaml --set x0=4.25 --end 0.05 --step 0.005 --objective psi_p3,psi_p0 --wrt k_f,c_r,m_c
agrees relative ali3p adjoint $vehicles/buggy_lane_change.yaml --set first=0 --end 0.12 --objective psi_roll --wrt c_f,m_c

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
done_well

# Accelerations of a steady motion that the adjoint leaves out.
# source: src/kinematics/equilibrium.c
# test: test_equilibrium
# expect: expected
/mbs_initial_transpose(initial, state, MBS_START_AT_UNKNOWNS, MBS_OF_ACCELERATION, &own);/d

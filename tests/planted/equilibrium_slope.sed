# What the unknowns of an equilibrium do to its parameters' derivatives: a sign.
# source: src/kinematics/equilibrium.c
# test: test_equilibrium
# expect: expected
s/equilibrium->step\[i\] = -equilibrium->trial\[equilibrium->rows\[i\]\];/equilibrium->step[i] = equilibrium->trial[equilibrium->rows[i]];/

# Trim: the adjoint leaves out what the start's own place does to what is solved for.
# source: src/kinematics/equilibrium_trim.c
# test: test_trim
# expect: expected
s/product(system->nq, bar->q, equilibrium->X + at)/0/

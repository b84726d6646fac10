# A step from a state of the caller's whose direction of velocities is lost.
# source: src/simulation/place.c
# test: test_step_map
# expect: ali3p, natural, trapezoidal: along the constraints
s/k == given->seed ? given->V\[i\] : 0/0/

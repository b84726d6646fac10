# What a row of a trajectory gives is lost where the row's step ends with an event.
# source: src/sensitivities/adjoint_events.c
# test: test_trajectory
# expect: received\[2\]
s/^  mbs_sweep_add_seed(sweep, step);$//

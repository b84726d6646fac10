# What shaken parameters move is no floor of errors.
# source: src/sensitivities/extrapolation_bridge.c
# test: test_accuracy
# expect: event->time_error > 4.4e-16
s/double moved = safety \*/double moved = 0 */

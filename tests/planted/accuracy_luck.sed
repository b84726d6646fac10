# A single ratio of differences is believed, whatever the one before was.
# source: src/sensitivities/extrapolation_bridge.c
# test: test_extrapolation
# expect: x.error\[0\] > 1.39e-5
s/fmax(1, fall->factor \/ part)/0 * fmax(1, fall->factor \/ part)/

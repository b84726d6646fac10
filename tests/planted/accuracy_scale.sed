# A level that explodes is the scale of all that follow.
# source: src/sensitivities/extrapolation_bridge.c
# test: test_extrapolation
# expect: x.reached > 1e-9
s/x->largest = largest;/x->largest = fmax(x->largest, largest);/

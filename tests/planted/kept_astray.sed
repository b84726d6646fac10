# Newton's iteration goes on from where factors of old led astray.
# source: src/integrators/newton.c
# test: test_kept_factors
# expect: spoiled by
# expect: does not converge\|of->tolerance
s/^        move(implicit, c0, c1, -1, state);$//

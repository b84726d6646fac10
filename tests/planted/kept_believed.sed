# Behind factors of old that led astray a prediction within the tolerance is believed, and corrected with them.
# source: src/integrators/newton.c
# test: test_kept_factors
# expect: spoiled by
# expect: of->tolerance
s/^        move(implicit, c0, c1, -1, state);$/&\
        factors = MBS_FACTORS_NEW;/

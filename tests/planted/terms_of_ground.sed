# The terms' transposed products without what ground points receive.
# source: src/sensitivities/state_products_bridge.c
# test: test_state_terms
# expect: both products, vector
s/mbs_system_fixed_transposed(system, terms->at.t, bar, bar->gradient);//

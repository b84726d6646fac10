# The turning of a ball's axes left out of the accelerations of its rotations in the tangent space.
# source: src/sensitivities/state_products_bridge.c
# test: test_state_motion
# expect: test_state_motion.c:.*A\[3 \* i + k\] = 
s/mbs_freedoms_turn(&terms->freedoms\[1\], all->q, terms->simulation->state.a, y);/(void)y;/

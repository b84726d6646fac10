# A bushing without the couple on its first body.
# source: src/forces/bushing.c
# test: test_rigid_motion
# expect: ^bushing: net torque: off by
s/= mbs_graph_negate(g, mbs_graph_multiply(g, N\[k\], rho.node\[i\]))/= mbs_graph_constant(g, 0)/

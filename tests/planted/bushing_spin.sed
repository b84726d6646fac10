# The turning damping of a bushing without the first body's spin.
# source: src/forces/bushing.c
# test: test_rigid_motion
# expect: ^bushing: the force after a rigid motion: off by
s/mbs_node_dot(g, 3, b->along\[0\]\[k\].node, omega\[0\].node)/mbs_graph_constant(g, 0)/

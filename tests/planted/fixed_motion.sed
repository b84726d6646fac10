# The third axis of a fixed joint's frame in space, negated: relative coordinates alone.
# source: src/joints/fixed.c
# test: test_same_mechanics
# expect: element_fixed_space.*.yaml:.* body "second" would be its own mirror image
s/axes\[2\]\[k\] = along.axes\[1\]\[k\];/axes[2][k] = mbs_graph_negate(blueprint->graph, along.axes[1][k]);/

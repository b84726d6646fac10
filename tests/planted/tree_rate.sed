# How the axes of joints turn with the body they are on, half of it.
# source: src/tree/tree_motion.c
# test: test_same_mechanics
# expect: the tree moves .*; the derivatives of its position are
s/mbs_bracket_add(d, 1, V_p, tree->b\[0\] + k \* size, rate)/mbs_bracket_add(d, 0.5, V_p, tree->b[0] + k * size, rate)/

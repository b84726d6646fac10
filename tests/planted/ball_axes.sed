# What a rate of the Euler parameters of a ball does to its axes: a sign.
# source: src/tree/tree_ball.c
# test: test_same_mechanics
# expect: the tree moves .*; the derivatives of its position are
s/e\[j\] = -2 \* p\[1 + i\];/e[j] = 2 * p[1 + i];/

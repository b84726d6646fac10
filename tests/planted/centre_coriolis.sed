# The Coriolis acceleration of a slide, with centres of mass as reference points.
# source: src/tree/tree_mass_centre.c
# test: test_same_mechanics
# expect: forces with centres of mass as reference points: natural and relative coordinates differ
s/mbs_cross_add(d, 2 \* tree->at.v\[k\], omega_p, axis, second)/mbs_cross_add(d, tree->at.v[k], omega_p, axis, second)/

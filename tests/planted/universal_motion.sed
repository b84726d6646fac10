# The second axis of a universal joint as the second axis of its frame: relative coordinates alone.
# source: src/joints/universal.c
# test: test_same_mechanics
# expect: element_universal_space.*: error: the start is a singular position
s/&u2, 0, &motion->on\[1\]/\&u2, 1, \&motion->on[1]/

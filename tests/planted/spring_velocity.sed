# A spring damped by the velocity of its second point alone.
# source: src/forces/spring.c
# test: test_rigid_motion
# expect: ^spring: the force after a rigid motion: off by
s/s.w\[k\] = in->v\[in->dimension + k\] - in->v\[k\];/s.w[k] = in->v[in->dimension + k];/

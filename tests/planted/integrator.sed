# Nothing wrong with any element: the integrator's transpose.
# source: src/integrators/implicit_transposed.c
# verify: models/pendulum.yaml --end 0.1
# expect: ^no suspect: every mass, constraint, force and objective by itself agrees
s/bar->v\[i\] = k.h \* q + v/bar->v[i] = 1.01 * k.h * q + v/

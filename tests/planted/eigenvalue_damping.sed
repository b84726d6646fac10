# Eigenvalues as objectives: what the size of the eigenvalue does to the damping ratio has a sign.
# source: src/sensitivities/eigenvalue_objectives_bridge.c
# test: test_eigenvalue_objectives
# expect: expected
s/-creal(slope) \/ size + creal(item->value)/-creal(slope) \/ size - creal(item->value)/

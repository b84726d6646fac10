# The weight of a body in the transposed product.
# source: src/terms/mass.c
# verify: tests/models/run_chain.yaml --end 0.1 --wrt m3,gy --objective velocity
# expect: mass of body "bob"  *natural  *parameter [gm][a-z0-9]*  *adjoint
# expect: mass of body "upper"
# expect: mass of body "lower"
s/coefficients\[\*index++\] -= mu\[mass->first\[i\] + k\]/&*1.001/

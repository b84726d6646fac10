# A damper whose force is differentiated by velocities wrongly.
# source: src/forces/spring.c
# verify: tests/models/run_chain.yaml --end 0.1 --wrt k,c --objective position
# expect: force "spring 2"  *natural  *velocities  *direct, adjoint, matrix  *9.9e-03
s/in->c\[1\] \* s.u\[i\] \* s.u\[j\], F_v/1.01 * &/

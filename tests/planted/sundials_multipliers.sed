# IDAS: the adjoint's equation of velocities lacks the multipliers of q' = v.
# source: src/sensitivities/sundials_idas_bridge.c
# verify: models/five_bar.yaml --sundials --coordinates natural --objective psi1 --wrt Ls1,LA1 --end 1
# expect: index1, natural  *idas-adjoint  d psi1 / d Ls1
# expect: index1  *natural  *idas-forward  .*pass
# expect: penalty  *natural  *cvodes-adjoint  .*pass
s/    r\[n + i\] = p_rate\[n + i\] + p\[i\] + bar->v\[i\];/    r[n + i] = p_rate[n + i] + bar->v[i];/

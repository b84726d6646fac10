# CVODES: the right-hand side of sensitivities has half of their rate where positions change.
# source: src/sensitivities/sundials_flow_bridge.c
# verify: models/five_bar.yaml --sundials --coordinates natural --objective psi1 --wrt Ls1,LA1 --end 1
# expect: penalty, natural   *cvodes-forward  d psi1 / d LA1
# expect: penalty  *natural  *cvodes-adjoint  .*pass
# expect: index1  *natural  *idas-forward  .*pass
s/    rate\[i\] = column_of(flow, 1, i, column);/    rate[i] = 0.5 * column_of(flow, 1, i, column);/

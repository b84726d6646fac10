# Trim: what multipliers change by has a sign, in conditions on reactions.
# source: src/kinematics/equilibrium_trim.c
# test: test_trim
# expect: test_trim
s/L\[k\] = row > 0 ? -f\[row - 1\] : 0;/L[k] = row > 0 ? f[row - 1] : 0;/

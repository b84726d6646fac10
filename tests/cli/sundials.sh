#!/bin/sh
# CVODES and IDAS on the command line: whether they are built in, what is refused; without them, that it says what to
# install. That an error is found: tests/planted/sundials_*.sed.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

exits 0 --version
if grep -q '^without SUNDIALS$' "$folder/out"; then
  complains 'apt-get install libsundials-dev' gradient $model --formulation penalty --method cvodes-forward
  complains 'apt-get install libsundials-dev' verify $model --sundials
  exits 0 list methods
  prints 'NOT built in: make test-all'
  echo "skipped: SUNDIALS is not built in (make test-all)"
  exit 77
fi
prints '^with SUNDIALS 6\.[0-9.]*$'

exits 0 gradient $model --formulation penalty --method cvodes-forward --objective psi1 --wrt Ls1 --sundials-tolerance 1e-6
prints '^five-bar linkage: penalty, natural coordinates, end = 5 s, cvodes-forward$'
prints '^  Ls1 *-4.2288'
loose=$(sed -n 's/^\([0-9]*\) steps.*/\1/p' "$folder/out")
exits 0 gradient $model --formulation penalty --method cvodes-forward --objective psi1 --wrt Ls1 --sundials-tolerance 1e-11
tight=$(sed -n 's/^\([0-9]*\) steps.*/\1/p' "$folder/out")
[ "$loose" -lt "$tight" ] || fail "a tolerance of 1e-6 takes $loose steps, and 1e-11 $tight"
exits 0 gradient $model --formulation index1 --method idas-adjoint --compare adjoint --step 0.001 --json
prints '"method": "idas-adjoint"'

# verify has these rows where they are asked for, and nowhere else
exits 0 verify $model --coordinates natural --objective psi1 --wrt Ls1 --end 1
! grep -q cvodes "$folder/out" || fail 'verify runs CVODES without --sundials'
exits 0 verify $model --coordinates natural --objective psi1 --wrt Ls1 --end 1 --sundials
prints '^  penalty  *natural  *cvodes-forward  *2 .*pass'
prints '^  penalty  *natural  *cvodes-adjoint  *2 .*pass'
prints '^  matrix-r  *natural  *cvodes-forward  *2 .*pass'
prints '^  matrix-r  *natural  *cvodes-adjoint  *2 .*pass'
prints '^  index1  *natural  *idas-forward  *2 .*pass'
prints '^  index1  *natural  *idas-adjoint  *2 .*pass'
# steps that are too large are divided
exits 0 verify $model --coordinates natural --objective psi1 --wrt Ls1 --step 0.1 --end 2 --sundials
# a tolerance so large that nothing can be told
exits 3 verify $model --coordinates natural --objective psi1 --wrt Ls1 --sundials --sundials-tolerance 1e-2
grep -q 'not those of CVODES and IDAS, or these cannot tell' "$folder/err" || fail 'expected that nothing can be told'
# events are left out, and named
exits 0 verify models/bouncing_ball.yaml --coordinates natural --sundials
prints 'left out: .*cvodes-forward with penalty in natural coordinates (.*not offered for models with events'

complains 'CVODES is not offered with formulation ali3p' gradient $model --method cvodes-forward
complains 'IDAS is not offered with formulation penalty' gradient $model --formulation penalty --method idas-forward
complains 'not offered for models with events' gradient models/bouncing_ball.yaml --formulation penalty --method cvodes-adjoint
complains 'histories are not offered by CVODES' \
  gradient $model --formulation penalty --method cvodes-forward -o "$folder/x.csv"
complains '--sundials-tolerance: is for methods cvodes-' gradient $model --sundials-tolerance 1e-8
complains '--sundials-tolerance: is for --sundials only' verify $model --sundials-tolerance 1e-8
complains '--sundials-tolerance must be positive' gradient $model --formulation penalty --method cvodes-forward --sundials-tolerance 0
done_well

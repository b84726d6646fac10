# P3's Table 1 by a third party: CVODES and IDAS beside ours. A part of scripts/validation; where SUNDIALS is not built in
# it says so and has no table.
model=models/five_bar.yaml
if ! "$command" --version | grep -q '^with SUNDIALS'; then
  echo "validation: no table of CVODES and IDAS: SUNDIALS is not built in (make test-all)" >&2
else
  heading "P3 Table 1 by a third party: CVODES and IDAS with tolerance 1e-12, ours with dormand-prince-8, h = 1e-2" "" \
    reference derived "ours: index1" "CVODES forward: matrix-r" "IDAS forward: index1" \
    "difference from ours: CVODES matrix-r forward" adjoint "CVODES penalty forward" adjoint "IDAS index1 forward" adjoint
  gradient s_ours --formulation index1 --integrator dormand-prince-8 --step 1e-2
  for case in "matrix-r cvodes-forward" "matrix-r cvodes-adjoint" "penalty cvodes-forward" "penalty cvodes-adjoint" \
    "index1 idas-forward" "index1 idas-adjoint"; do
    gradient "s_${case#* }-${case% *}" --formulation "${case% *}" --method "${case#* }" --sundials-tolerance 1e-12
  done
  while read -r objective parameter published derived; do
    at=objectives.$objective.gradient.$parameter
    ours=$(value s_ours "$at")
    line="| d $objective/d $parameter | $published | $derived"
    for run in ours cvodes-forward-matrix-r idas-forward-index1; do
      line="$line | $(value "s_$run" "$at" | awk '{printf "%.12g", $1}')"
    done
    for run in cvodes-forward-matrix-r cvodes-adjoint-matrix-r cvodes-forward-penalty cvodes-adjoint-penalty \
      idas-forward-index1 idas-adjoint-index1; do
      difference=$(value "s_$run" "$at" | awk -v d="$ours" '{e = $1/d - 1; printf "%.1e", e < 0 ? -e : e}')
      line="$line | $difference"
      require "$run, $at" "$difference <= 2e-9"
    done
    require "ours, $at" "($ours/$derived - 1)^2 <= 1e-18"
    echo "$line |"
  done <"$work/reference"
fi

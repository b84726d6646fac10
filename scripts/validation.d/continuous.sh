# The continuous adjoint: P3's Table 1, and its distance from the direct method over the step. A part of
# scripts/validation.
model=models/five_bar.yaml
heading "P3 Table 1 with the three methods, h = 1e-3: relative errors of matrix-r and penalty" "" "P3 direct" \
  "P3 adjoint" reference derived "matrix-r, adjoint-continuous" "error: matrix-r direct" adjoint adjoint-continuous \
  "penalty direct" adjoint adjoint-continuous
for formulation in matrix-r penalty; do
  for method in direct adjoint adjoint-continuous; do
    gradient "t_$formulation-$method" --formulation $formulation --method $method --step 1e-3
    bound=5e-4
    [ $method != adjoint-continuous ] || bound=2e-3
    for objective in psi1 psi2 psi3; do
      require "$formulation, $method, $objective" "$(worst "t_$formulation-$method" $objective) <= $bound"
    done
  done
done
paste -d ' ' "$work/reference" "$work/printed" >"$work/table"
while read -r objective parameter published derived direct adjoint; do
  at=objectives.$objective.gradient.$parameter
  line="| d $objective/d $parameter | $direct | $adjoint | $published | $derived"
  line="$line | $(value t_matrix-r-adjoint-continuous "$at" | awk '{printf "%.10g", $1}')"
  for run in matrix-r-direct matrix-r-adjoint matrix-r-adjoint-continuous penalty-direct penalty-adjoint \
    penalty-adjoint-continuous; do
    line="$line | $(value "t_$run" "$at" | awk -v d="$derived" '{e = $1/d - 1; printf "%.1e", e < 0 ? -e : e}')"
  done
  echo "$line |"
done <"$work/table"

# usage: apart FILE  the largest difference of a run and its comparison, relative to each objective's largest derivative
apart() {
  awk '
    function size(x) {return x < 0 ? -x : x}
    $1 ~ /objectives\..*\.gradient\./ {
      at = $1
      is_second = sub(/^comparison\./, "", at)
      objective = at
      sub(/\.gradient\..*/, "", objective)
      of[at] = objective
      if (is_second) {second[at] = $2; if (size($2) > largest[objective]) largest[objective] = size($2)}
      else first[at] = $2
    }
    END {
      for (at in second) {
        e = size(first[at] - second[at])/largest[of[at]]
        if (e > w) w = e
      }
      printf "%.3e", w
    }' "$work/$1"
}

echo
echo "### The continuous adjoint against the direct method: largest difference, relative to each objective's largest derivative, and its order"
for case in "models/five_bar.yaml 5" "tests/models/five_bar_moving.yaml 5" "tests/models/run_chain.yaml 0.5"; do
  model=${case% *}
  echo
  echo "$model, ${case#* } s:"
  echo
  columns h penalty order matrix-r order
  before=
  for h in 1e-2 5e-3 1e-3; do
    now=$h
    for formulation in penalty matrix-r; do
      gradient c --formulation $formulation --method adjoint-continuous --compare direct --step $h --end "${case#* }"
      now="$now $(apart c)"
    done
    orders "$now" "$before"
    for k in 2 3; do
      [ -z "$before" ] || require "order of the continuous adjoint, $model, h = $h" "$(order $k "$now" "$before") > 1.9"
    done
    before=$now
  done
done

model=models/five_bar.yaml
heading "P3 Fig. 2: the gradient of psi3 as it runs, forwards (direct) and backwards (adjoint-continuous), matrix-r, h = 1e-3" t \
  "Ls1, direct" adjoint-continuous "mA1, direct" adjoint-continuous "LA1, direct" adjoint-continuous
for method in direct adjoint-continuous; do
  gradient f --formulation matrix-r --objective psi3 --method $method --step 1e-3 -o "$work/$method.csv"
done
awk -F , '
  FNR == 1 {delete at; for (i = 1; i <= NF; ++i) at[$i] = i; next}
  (FNR - 2) % 500 == 0 {
    t = sprintf("%.1f", $1)
    for (k = 1; k <= 3; ++k) {
      p = substr("Ls1mA1LA1", 3*k - 2, 3)
      found[t, p, FILENAME ~ /direct/ ? 1 : 2] = $at["d(psi3)/d(" p ")"]
    }
  }
  END {
    for (n = 0; n <= 10; ++n) {
      t = sprintf("%.1f", n/2)
      line = "| " t
      for (k = 1; k <= 3; ++k) {
        p = substr("Ls1mA1LA1", 3*k - 2, 3)
        line = line sprintf(" | %.5g | %.5g", found[t, p, 1], found[t, p, 2])
      }
      print line " |"
    }
    for (k = 1; k <= 3; ++k) {
      p = substr("Ls1mA1LA1", 3*k - 2, 3)
      e = found["5.0", p, 1]/found["0.0", p, 2] - 1
      if (e*e > 1e-6) exit 1
    }
  }' "$work/direct.csv" "$work/adjoint-continuous.csv" || {
  echo "validation: the two ends of the running gradients are not the same" >&2
  status=1
}

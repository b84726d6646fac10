# Where the derivatives of the terms come from (P4): complex step and differences, element by element, against the
# written formulas. A part of scripts/validation.
formulations="ali3p ali1 index3 index1 penalty matrix-r"

# usage: difference FILE REFERENCE  largest, of each objective's largest derivative; nothing where a run failed
difference() {
  awk '
    function size(x) {return x < 0 ? -x : x}
    !($1 ~ /^objectives\..*\.gradient\./) {next}
    {objective = $1; sub(/\.gradient\..*/, "", objective)}
    NR == FNR {reference[$1] = $2; if (size($2) > largest[objective]) largest[objective] = size($2); next}
    {++n; e = largest[objective] > 0 ? size($2 - reference[$1])/largest[objective] : size($2); if (e > w) w = e}
    END {if (n > 0) printf "%.1e", w}' "$work/$2" "$work/$1"
}

heading "Derivatives of the terms, automatic and numerical: largest difference from analytical, of each objective's largest derivative, direct and adjoint" \
  model h end derivatives $formulations
while read -r name h end; do
  model=models/$name.yaml
  for derivatives in automatic numerical; do
    line="| $name | $h | $end | $derivatives"
    for formulation in $formulations; do
      worst=
      for method in direct adjoint; do
        for source in analytical $derivatives; do
          gradient $source --formulation $formulation --step "$h" --end "$end" --method $method --derivatives $source \
            2>"$work/errors" || true
        done
        worst=$(echo "$worst $(difference $derivatives analytical)" | awk '{for (i = 1; i <= NF; ++i) if ($i + 0 > w) w = $i} END {print w}')
      done
      line="$line | $worst"
      case $name-$formulation in
        bricard-index1 | bricard-index3)
          require "$name cannot run with $formulation" "${worst:+1} + 0 == 0"
          ;;
        n_four_bar-index1 | n_four_bar-index3 | n_four_bar-matrix-r) ;; # singular positions
        *)
          case $derivatives-$formulation in
            automatic-*) bound=1e-11 ;;
            numerical-index3) bound=1e-6 ;; # its accelerations of massless coordinates are rounding over h^2
            *) bound=1e-7 ;;
          esac
          require "$name, $formulation, $derivatives" "${worst:-1} <= $bound"
          ;;
      esac
    done
    echo "$line |"
  done
done <<END_OF_MODELS
five_bar 1e-2 5
rssr 1e-2 2
bricard 1e-3 0.1
n_four_bar 1e-2 1
slider_spring 1e-2 2
shaken_pendulum 1e-2 1
rolling_disc 1e-2 1
END_OF_MODELS

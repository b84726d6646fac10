#!/bin/sh
# usage: benchmarks/sweep.sh COMMAND [SAMPLES]
# What a sweep of 10,000 samples with gradients (direct, two parameters, 50 steps of the five-bar) costs with threads and
# MPI ranks, whether the files are the same, and what a shell loop of `mbsens gradient` and scipy driving the command
# cost, extrapolated from 200 calls; in Markdown. Wall time means something on a machine that does nothing else;
# processor time says how much more work it is.
set -eu
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
samples=${2:-10000}
cd "$(dirname "$0")/.."
. benchmarks/measure.sh
model=models/five_bar.yaml
run="--end 0.5 --objective psi1 --wrt Ls1,Ls2"
calls=200
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_hwloc_base_binding_policy=none

# seconds of the processor that children have had until now; not to be called in a subshell, which has others
processor() {
  times >"$work/times"
  used=$(sed -n 2p "$work/times" | tr 'ms' '  ' | awk '{print 60 * ($1 + $3) + $2 + $4}')
}

# row LABEL FACTOR FILE ARGUMENTS...: runs it and prints a row; FACTOR: how many of it are the whole sweep. FILE, unless
# it is -, is compared with the first one.
row() {
  label=$1
  factor=$2
  file=$3
  shift 3
  rm -f "$work/out.csv"
  processor
  before=$used
  start=$(date +%s.%N)
  "$@" >/dev/null 2>"$work/err" || { echo "| $label | cannot: $(head -n 1 "$work/err") | | | |" && return; }
  end=$(date +%s.%N)
  processor
  wall=$(awk "BEGIN {print ($end - $start)*$factor}")
  same=
  if [ "$file" != - ]; then
    [ -f "$work/first.csv" ] || cp "$file" "$work/first.csv"
    same=$(cmp -s "$file" "$work/first.csv" && echo yes || echo NO)
  fi
  first=${first:-$wall}
  awk -v label="$label" -v wall="$wall" -v first="$first" -v same="$same" \
    "BEGIN {printf \"| %s | %.2f | %.2f | %.2f | %s |\\n\", label, wall, ($used - $before)*$factor, first/wall, same}"
}

sweep="sweep $model $run --vary Ls1=normal(Ls1,0.1) --vary Ls2=normal(Ls2,0.1) --samples $samples --quiet -o $work/out.csv"

cat >"$work/loop.sh" <<'END'
tail -n +2 "$2" | head -n "$3" | while IFS=, read -r sample one two rest; do
  "$1" gradient $4 --set Ls1=$one --set Ls2=$two --json
done
END
cat >"$work/drive.py" <<'END'
import json, subprocess, sys
import numpy as np
from scipy.stats import norm, qmc
command, count, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
points = norm.ppf(qmc.LatinHypercube(2, seed=1).random(count))
def run(x):
    out = subprocess.run([command, "gradient", *arguments, "--set", f"Ls1={x[0]!r}", "--set", f"Ls2={x[1]!r}", "--json"],
                         check=True, capture_output=True).stdout
    psi = json.loads(out)["objectives"]["psi1"]
    return [psi["value"], *psi["gradient"].values()]
results = np.array([run((float(5**0.5 + 0.1*a), float(4.25**0.5 + 0.1*b))) for a, b in points])
assert np.isfinite(results).all()
END
python=python3
python3 -c 'import scipy' 2>/dev/null || python=/usr/bin/python3

echo "A sweep of $samples samples with gradients; $(getconf _NPROCESSORS_ONLN) processors, load $(cut -d' ' -f1 /proc/loadavg) at the start:"
echo
echo "| | wall, s | processor, s | speed-up | same bytes |"
echo "|---|---:|---:|---:|---|"
# shellcheck disable=SC2086  # lists of options
{
  row '1 thread' 1 "$work/out.csv" "$command" $sweep --threads 1
  row '2 threads' 1 "$work/out.csv" "$command" $sweep --threads 2
  row '8 threads' 1 "$work/out.csv" "$command" $sweep --threads 8
  if "$command" --version | grep -q '^with MPI' && command -v mpirun >/dev/null; then
    row '1 rank' 1 "$work/out.csv" mpirun -n 1 "$command" $sweep --threads 1
    row '2 ranks' 1 "$work/out.csv" mpirun -n 2 "$command" $sweep --threads 1
    row '8 ranks' 1 "$work/out.csv" mpirun -n 8 "$command" $sweep --threads 1
  fi
  part=$(awk "BEGIN {print $samples/$calls}")
  row "shell loop of gradient, from $calls calls" "$part" - sh "$work/loop.sh" "$command" "$work/first.csv" $calls "$model $run"
  row "scipy driving the command, from $calls calls" "$part" - $python "$work/drive.py" "$command" $calls "$model $run"
}
echo

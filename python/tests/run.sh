#!/bin/sh
# usage: python/tests/run.sh LIBRARY COMMAND FILE.py [ARGUMENTS]
# Runs a test or an example with the package of these sources and that library. Which modules it needs beside numpy, the file
# says in a line "# needs: scipy torch". PYTHON chooses the interpreter; else it is the first python3 that has them.
# Status 77: there is none. With a library that has the address sanitizer in it, that one's runtime comes first.
set -eu
MBSENS_LIBRARY=$1
MBSENS_COMMAND=$2
file=$3
shift 3
PYTHONPATH=$(cd "$(dirname "$0")/.." && pwd)
export MBSENS_LIBRARY MBSENS_COMMAND PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

needs="numpy $(sed -n 's/^# needs: //p' "$file")"
imports=$(echo $needs | tr ' ' ,)
python=
for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c "import $imports" 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "skipped: no python3 with $needs; scripts/install-dependencies python installs numpy and scipy"
  exit 77
fi
if readelf -d "$MBSENS_LIBRARY" 2>/dev/null | grep -q libasan; then
  LD_PRELOAD=$(cc -print-file-name=libasan.so)
  ASAN_OPTIONS=detect_leaks=0  # the interpreter's own
  export LD_PRELOAD ASAN_OPTIONS
fi
exec "$python" "$file" "$@"

#!/bin/sh
# usage: tests/with_h5py.sh SCRIPT [COMMAND] ARGUMENTS...: runs it with a python3 that has h5py (and NumPy, which h5py
# needs). Status 77: there is none, or COMMAND was built without HDF5.
if [ -x "${2-}" ] && "$2" --version | grep -q 'without HDF5'; then
  echo 'skipped: the command was built without HDF5'
  exit 77
fi
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import h5py, numpy' 2>/dev/null; then
    exec "$python" "$@"
  fi
done
echo 'skipped: no python3 with h5py (Debian: python3-h5py)'
exit 77

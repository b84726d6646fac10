#!/bin/sh
# usage: tests/with_h5py.sh SCRIPT ARGUMENTS...: runs it with a python3 that has h5py. Status 77: there is none.
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import h5py' 2>/dev/null; then
    exec "$python" "$@"
  fi
done
echo 'skipped: no python3 with h5py (Debian: python3-h5py)'
exit 77

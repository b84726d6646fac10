#!/bin/sh
# usage: tests/with_python.sh SCRIPT ARGUMENTS...: runs it with python3. Status 77: there is none.
command -v python3 >/dev/null || {
  echo 'skipped: no python3'
  exit 77
}
exec python3 "$@"

#!/usr/bin/env bash
# Puts Schemathesis, which fuzzes the API from its OpenAPI document, into a virtual environment outside the tree. Once; needs Python 3.10 with
# venv, and PyPI. Prints the command to run. Where it can not be had it says why and ends with 1; the test then skips.
set -euo pipefail
version=4.32.5
folder=${XDG_CACHE_HOME:-$HOME/.cache}/hakopod/schemathesis-$version
done=$folder/complete
if [ ! -e "$done" ]; then
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  if ! python3 -m venv "$folder" >&2; then
    echo 'setup-schemathesis: there is no python3 with venv; the fuzz of the API can not run' >&2
    exit 1
  fi
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2; then
    echo 'setup-schemathesis: Schemathesis can not be installed from PyPI; the fuzz of the API can not run' >&2
    exit 1
  fi
  touch "$done"
fi
printf '%s\n' "$folder/bin/schemathesis"

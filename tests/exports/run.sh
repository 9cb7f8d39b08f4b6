#!/usr/bin/env bash
# Loads every export with readers that are not ours. Usage: tests/exports/run.sh [PATH OF THE BUILT pliant]; `--install` only installs them.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="${1:-$here/../../target/debug/pliant}"
venv="$here/.venv"
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
[ "${1:-}" = --install ] && exit
exec "$venv/bin/python" "$here/check.py" "$binary"

#!/usr/bin/env bash
# What must hold whatever happens to a run: kills, signals, full disks, no threads, no memory, damaged files, hostile clients. One line of
# counts for each suite; a fault ends with status 1. Usage: tests/trust/run.sh [short|long] [PATH OF THE BUILT pliant]; Python 3 is enough.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
form="${1:-short}"
export PLIANT="${2:-$here/../../target/debug/pliant}"
if [ "$form" != short ] && [ "$form" != long ]; then
    echo "usage: $0 [short|long] [PATH OF THE BUILT pliant]" >&2
    exit 2
fi
suites=(kills signals threads locks lost faults limits abuse viewer)
faults=0
for suite in "${suites[@]}"; do
    python3 "$here/$suite.py" "$form" || faults=$((faults + 1))
done
if [ "$form" = long ]; then
    bash "$here/levels.sh" "$form" || faults=$((faults + 1))
fi
[ "$faults" -eq 0 ]

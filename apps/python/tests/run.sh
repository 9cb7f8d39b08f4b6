#!/usr/bin/env bash
# Builds the Python package and tests it as it would be installed. Installs what is missing; fails rather than skips.
# usage: run.sh [BINARY]; the command line that results are compared with. Without one, its development build is made and used. `--install` only
# installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(cd ../.. && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
venv=$CARGO_TARGET_DIR/python/venv
if ! cmp -s tests/requirements.txt "$venv/installed.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt
  cp tests/requirements.txt "$venv/installed.txt"
fi
[ "${1:-}" = --install ] && exit

binary=${1:-}
if [ -z "$binary" ]; then
  (cd "$root" && cargo build --locked -p pliant-cli)
  binary=$CARGO_TARGET_DIR/debug/pliant
fi
PLIANT_BINARY=$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")
export PLIANT_BINARY PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg

# The workspace's own profile and folder, whose dependencies are there already. A wheel and not an editable install: it is what users get.
cargo fmt --check
cargo clippy --quiet --locked -- -D warnings
wheels=$CARGO_TARGET_DIR/python/wheels
rm -rf "$wheels"
"$venv/bin/maturin" build --quiet --locked --profile dev --interpreter "$venv/bin/python" --out "$wheels"
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl

"$venv/bin/python" -m pytest -p no:cacheprovider
"$venv/bin/python" "$root/book/tests/python_blocks.py"
cache=$CARGO_TARGET_DIR/python/mypy
"$venv/bin/mypy" --cache-dir "$cache" tests/typing_usage.py python/pliant/{errors,_sweep,_ray,_worker}.py examples/plot_steps.py examples/rope_env.py
cd "$venv" && "$venv/bin/python" -m mypy.stubtest pliant

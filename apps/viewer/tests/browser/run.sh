#!/usr/bin/env bash
# The viewer's page in a real browser. Installs what is missing; fails rather than skips.
# usage: run.sh [BINARY]; without one, the development build is made and used. `--install` only installs what is missing.
set -euo pipefail
cd "$(dirname "$0")"
binary=${1:-}
if [ -z "$binary" ]; then
  root=$(cd ../../../.. && pwd)
  (cd "$root" && cargo build --locked -p pliant-cli)
  binary=${CARGO_TARGET_DIR:-$root/target}/debug/pliant
fi
if ! command -v chromium > /dev/null; then
  apt-get update -qq
  apt-get install -y -qq chromium
fi
if [ ! -d node_modules/puppeteer-core ]; then
  npm ci --no-audit --no-fund --silent
fi
[ "$binary" = --install ] && exit
timeout 600 node test.mjs "$binary"

#!/usr/bin/env bash
# Draws the pictures of the book again, small: book/pictures.sh [PLIANT]
set -euo pipefail
cd "$(dirname "$0")"
pliant=${1:-pliant}
for scene in cloth-on-sphere spring-net flag-in-wind rope-overhand-knot suture jelly-rabbit dam-break wine-glass stacked-cloths curtain-touched; do
  "$pliant" render "$scene" -o "src/pictures/$scene.png" --size 480x300 --force --quiet
done

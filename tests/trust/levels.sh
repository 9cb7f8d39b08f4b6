#!/usr/bin/env bash
# Scenes whose solver is our own code (none, conjugate gradients, Cholesky) end in the same state with plain instructions, AVX2 and AVX-512, in
# builds for x86-64-v2, v3 and v4, and (long form) on aarch64 by emulation. Usage: tests/trust/levels.sh [short|long]. The short form compares run-time
# choices of one build. The long form builds five times and needs `rustup target add aarch64-unknown-linux-gnu` and the Debian packages
# gcc-aarch64-linux-gnu and qemu-user; without them it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
form="${1:-short}"
binary="${PLIANT:-$PWD/target/debug/pliant}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begun=$SECONDS
runs=0

# scene and solver; the first is explicit, water has no matrix
scenes=(
    "spring-net --set time.integrator=velocity-verlet"
    "hanging-cloth --set solver.kind=cg --set solver.preconditioner=block-ic"
    "hanging-cloth --set solver.kind=cholesky"
    "rope-hanging --set solver.kind=cholesky"
    "cloth-on-sphere --set cloth[0].grid.columns=20 --set cloth[0].grid.rows=20"
    "twisting-bar"
    "dam-break"
    "brittle-plate-impact --set time.fps=3e6 --set time.until=6e-7"
)

# hashes LABEL COMMAND...: the state of every scene, one line each
hashes() {
    local label=$1
    shift
    for scene in "${scenes[@]}"; do
        if [[ $scene != *time.until* ]]; then scene="$scene --fps 500 --until 0.01"; fi
        # shellcheck disable=SC2086
        "$@" run $scene --format none --threads 2 --output "$work/out" --force --json --quiet \
            | sed -n 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/p'
    done > "$work/$label"
    runs=$((runs + ${#scenes[@]}))
    if [ "$(wc -l < "$work/$label")" -ne "${#scenes[@]}" ]; then
        echo "levels: FAULT: $label: a run failed"
        exit 1
    fi
}

# what this processor does not have would be a silent repetition
levels=(plain)
for level in avx2 avx512; do
    if grep -q "\b${level/avx512/avx512f}\b" /proc/cpuinfo; then levels+=("$level"); fi
done
for level in "${levels[@]}"; do PLIANT_SIMD=$level hashes "$level" "$binary"; done
if [ "$form" = long ]; then
    for level in x86-64-v2 x86-64-v3 x86-64-v4; do
        RUSTFLAGS="-C target-cpu=$level" cargo build --quiet --release -p pliant-cli --target-dir "target/levels/$level"
        hashes "$level" "target/levels/$level/release/pliant"
        levels+=("$level")
    done
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    cargo build --quiet --release -p pliant-cli --target aarch64-unknown-linux-gnu --target-dir target/levels/aarch64
    hashes aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu target/levels/aarch64/aarch64-unknown-linux-gnu/release/pliant
    levels+=(aarch64)
fi
for level in "${levels[@]}"; do
    if ! cmp -s "$work/plain" "$work/$level"; then
        echo "levels: FAULT: $level ends in other states:"
        paste <(printf '%s\n' "${scenes[@]}") "$work/plain" "$work/$level" | awk -F'\t' '$2 != $3'
        exit 1
    fi
done
different=$(sort -u "$work/plain" | wc -l)
if [ "$different" -ne "${#scenes[@]}" ]; then
    echo "levels: FAULT: only $different of ${#scenes[@]} scenes end in different states: they were not run"
    exit 1
fi
echo "levels: ${#scenes[@]} scenes, ${levels[*]}: $runs runs, equal hashes; $((SECONDS - begun)) s"

#!/usr/bin/env bash
# Fuzzes for some hours: `fuzz/run.sh HOURS [TARGET...]`, all targets in equal parts by default. Needs a C++ compiler (libFuzzer is built from
# its sources) and stable Rust: the flags are those of `cargo fuzz run --sanitizer none`, which also works on these targets. With nightly,
# `cargo +nightly fuzz run TARGET` adds the address sanitizer. New inputs are kept in target/fuzz/corpus; an input that crashes, hangs or takes
# more than 4 GB is kept in target/fuzz/faults, and the script fails.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 1 ] || ! awk -v hours="$1" 'BEGIN { exit !(hours + 0 > 0) }'; then
    echo "usage: fuzz/run.sh HOURS [TARGET...]; HOURS is a positive number, such as 0.1" >&2
    exit 2
fi
hours=$1
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
for target in "${targets[@]}"; do
    if [ ! -f "fuzz/fuzz_targets/$target.rs" ]; then
        echo "there is no target $target; there are: $(cd fuzz/fuzz_targets && ls | sed 's/\.rs$//' | tr '\n' ' ')" >&2
        exit 2
    fi
done
seconds=$(awk -v hours="$hours" -v count="${#targets[@]}" 'BEGIN { t = int(3600 * hours / count); print t < 1 ? 1 : t }')
built=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
RUSTFLAGS=$(echo $coverage) cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$built"

faults=0
for target in "${targets[@]}"; do
    corpus=$built/corpus/$target
    found=$built/faults/$target
    mkdir -p "$corpus" "$found"
    first=("fuzz/corpus/$target")
    if [ "$target" = scene ]; then first+=(scenes); fi
    log=$built/$target.log
    if "$built/$host/release/$target" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=4096 \
        -artifact_prefix="$found/" -print_final_stats=1 "$corpus" "${first[@]}" > "$log" 2>&1; then
        outcome=ok
    else
        outcome="FAULT, see $log and $found"
        faults=$((faults + 1))
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "$target: ${runs:-no} executions in $seconds s, $(ls "$corpus" | wc -l) inputs kept: $outcome"
done
[ "$faults" -eq 0 ]

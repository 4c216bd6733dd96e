#!/bin/sh
# Replay against what merely reading the same file costs others.
#
#   benches/replay.sh [LEDGER]
#
# Without a ledger, one of 90 days with a batch an hour and more than 100,000
# receipts is made (some minutes, kept in target/). Wanted: replay within half of
# jq's time, and at most three times the file in memory.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
cargo build --release -q
ledger=${1:-$target/long-ledger.json}
if [ ! -s "$ledger" ]; then
    cargo run --release -q -p attest-grading --example long_ledger >"$ledger.part"
    mv "$ledger.part" "$ledger"
fi
size=$(wc -c <"$ledger")
"$target/release/attest-tui" replay "$ledger"
echo "file: $((size / 1000000)) MB"
measure() {
    name=$1
    shift
    /usr/bin/time -f "%e %U %M" -o "$target/time.txt" "$@" >/dev/null
    read -r wall user kilobytes <"$target/time.txt"
    times=$(awk "BEGIN { printf \"%.2f\", $kilobytes * 1024 / $size }")
    echo "$name: ${wall} s (${user} s of CPU), $((kilobytes / 1024)) MB, $times of the file"
}
measure "attest-tui replay" "$target/release/attest-tui" replay "$ledger"
if command -v jq >/dev/null; then
    measure "jq ." jq . "$ledger"
fi
if command -v python3 >/dev/null; then
    measure "python3 json.load" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$ledger"
fi

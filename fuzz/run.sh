#!/usr/bin/env bash
# Runs every fuzz target, or those named, for some seconds each, and keeps what
# a target learns in corpus/TARGET, minimised.
#   fuzz/run.sh [SECONDS [TARGET…]]
# Needs a nightly toolchain and cargo-fuzz. Our crates hold no unsafe code, so
# the targets run without an address sanitizer.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-480}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^name = "\(.*\)"/\1/p' Cargo.toml | tail -n +2)
# The first inputs come from the crate's own fixtures.
(cd .. && cargo test --quiet -p attest-package --test fuzz_seeds -- --ignored > /dev/null)
# And from the demo's export, under the context that it was made with.
(
  cd ..
  out=$(mktemp -d)
  cargo run --quiet --release -- package export golden/ledgers/demo.json --out "$out/demo.tar" > /dev/null
  cp "$out/demo.tar" fuzz/seeds/container/demo
  { cat "$out/demo.context.json"; printf '\036'; cat "$out/demo.tar"; } > fuzz/seeds/verify/demo
  rm -r "$out"
)
cargo +nightly fuzz build --release -s none
mkdir -p logs
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target" "grown/$target"
  cargo +nightly fuzz run --release -s none "$target" \
    "grown/$target" "corpus/$target" "seeds/$target" -- \
    -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=4096 \
    > "logs/$target.log" 2>&1 || { echo "$target: see fuzz/logs/$target.log"; exit 1; }
  # The smallest set that reaches the same edges: what is saved.
  rm -rf "least/$target" && mkdir -p "least/$target"
  cargo +nightly fuzz run --release -s none "$target" \
    "least/$target" "grown/$target" "corpus/$target" "seeds/$target" -- \
    -set_cover_merge=1 -use_counters=0 >> "logs/$target.log" 2>&1
  rm -rf "corpus/$target" && mv "least/$target" "corpus/$target"
  echo "$target: $(grep -m1 '^Done ' "logs/$target.log")," \
    "$(grep -o 'cov: [0-9]*' "logs/$target.log" | sed -n '$p')," \
    "$(find "corpus/$target" -type f | wc -l) saved"
done

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attest_package::fuzzing::run("context", data));

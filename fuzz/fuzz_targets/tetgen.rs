#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    pliant_fuzz::entry::run("tetgen", data);
});

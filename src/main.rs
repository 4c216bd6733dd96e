//! attest-tui: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(attest_tui::cli::run())
}

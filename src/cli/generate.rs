//! `completions SHELL` and `man`: made from the arguments themselves.

use clap::CommandFactory as _;

use super::arguments::Arguments;
use super::{Outcome, print};

/// Prints a shell's completions.
pub(super) fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "attest-tui", &mut out);
    print(&String::from_utf8_lossy(&out))
}

/// Prints the man page, every subcommand's section after it.
pub(super) fn man() -> Outcome {
    let mut out = Vec::new();
    let mut command = Arguments::command();
    command.build();
    let mut pages = vec![command];
    while let Some(page) = pages.pop() {
        let subcommands = page.get_subcommands().filter(|one| !one.is_hide_set());
        let mut subcommands: Vec<clap::Command> = subcommands.cloned().collect();
        subcommands.retain(|one| one.get_name() != "help");
        subcommands.reverse();
        pages.append(&mut subcommands);
        let rendered = clap_mangen::Man::new(page).render(&mut out);
        rendered.map_err(|error| format!("man page: {}", error.kind()))?;
    }
    print(&String::from_utf8_lossy(&out))
}

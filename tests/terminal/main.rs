//! The inspector in a real terminal: it starts, follows every key and size,
//! stops and goes on, and always gives the terminal back.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests state small known worlds"
)]

mod pty;

use std::time::Duration;

use attest_tui::inspector::action::Action;
use attest_tui::inspector::term::guard::Guard;
use portable_pty::CommandBuilder;
use pty::Terminal;

const WIDE: (u16, u16) = (120, 40);

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The demo, drawn.
fn demo(home: &tempfile::TempDir, extra: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::program(home.path(), &[], extra, WIDE);
    terminal.shows("VERIFIED");
    terminal.settle();
    terminal
}

#[test]
fn starts_and_quits_with_the_terminal_given_back() {
    let home = home();
    let mut terminal = demo(&home, &[]);
    assert!(terminal.is_taken());
    terminal.send("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    assert!(!terminal.is_taken());
}

#[test]
fn a_package_opens_and_is_never_changed() {
    let home = home();
    let ledger = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/ledgers/demo.json");
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_attest-tui"))
        .args(["package", "export", ledger, "--out", "demo.tar"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(made.status.success());
    let arguments = ["demo.tar", "--context", "demo.context.json"];
    let mut terminal = Terminal::program(home.path(), &arguments, &[], WIDE);
    terminal.shows("read only");
    terminal.send("j");
    terminal.shows("likely muse");
    terminal.send("i");
    terminal.shows("ledger-facts");
    terminal.send("\x1b");
    terminal.until("the facts are closed", |terminal| {
        !terminal.screen().contains("ledger-facts")
    });
    terminal.send("o");
    terminal.shows("a package is evidence and never changed");
    terminal.send("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    assert!(!terminal.is_taken());
    // Under another context it is refused, and says so in the middle of the screen.
    let mut refused = Terminal::program(home.path(), &arguments[..1], &[], WIDE);
    refused.shows("package_refused: stale_assessment");
    refused.send("q");
    assert_eq!(refused.ends().exit_code(), 0);
}

#[test]
fn follows_the_size_of_the_terminal() {
    let home = home();
    let mut terminal = demo(&home, &[]);
    for (size, text) in [
        ((80, 24), "VERIFIED"),
        ((60, 15), "VERIFIED"),
        (WIDE, "VERIFIED"),
    ] {
        terminal.resize(size);
        terminal.shows(text);
    }
    // Too small for anything: it says so as far as there is room, and lives.
    for size in [(20, 5), (5, 2), (1, 1)] {
        terminal.resize(size);
        terminal.settle();
        assert!(terminal.is_running(), "{size:?}");
    }
    terminal.resize(WIDE);
    terminal.shows("VERIFIED");
    terminal.send("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn starts_in_one_cell() {
    let home = home();
    let mut terminal = Terminal::program(home.path(), &[], &[], (1, 1));
    terminal.until("modes", Terminal::is_taken);
    terminal.settle();
    terminal.resize((80, 24));
    terminal.shows("VERIFIED");
    terminal.send("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn stops_and_goes_on() {
    let home = home();
    let mut terminal = demo(&home, &[]);
    terminal.signal("TSTP");
    terminal.until("stop", |terminal| terminal.stat(0) == "T");
    assert!(!terminal.is_taken());
    terminal.signal("CONT");
    terminal.until("modes", Terminal::is_taken);
    terminal.shows("VERIFIED");
    terminal.send("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn signals_to_end_give_the_terminal_back() {
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let home = home();
        let mut terminal = demo(&home, &[]);
        terminal.signal(signal);
        let status = terminal.ends();
        assert_eq!(status.exit_code(), 128 + number, "{signal}");
        assert!(!terminal.is_taken(), "{signal}");
    }
}

/// Run by the next test as the program in the terminal.
#[test]
#[ignore = "takes the terminal it runs in"]
fn a_program_that_panics() {
    let _guard = Guard::enter(true).unwrap();
    panic!("as asked");
}

#[test]
fn a_panic_gives_the_terminal_back_first() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "a_program_that_panics",
        "--ignored",
        "--nocapture",
    ]);
    command.env("TERM", "xterm-256color");
    let mut terminal = Terminal::start(command, WIDE);
    assert_ne!(terminal.ends().exit_code(), 0);
    assert!(!terminal.is_taken());
    let written = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    let left = written.rfind("\x1b[?1049l").unwrap();
    assert!(
        written[left..].contains("as asked"),
        "the message is read after the screen is left"
    );
}

/// Sets of graphic attributes (`ESC [ … m`).
fn attributes(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let parts = text.split("\x1b[").skip(1);
    parts
        .filter_map(|part| {
            let end = part.find(|c: char| c.is_ascii_alphabetic())?;
            part[end..].starts_with('m').then(|| part[..end].to_owned())
        })
        .collect()
}

fn is_colour(attribute: &str) -> bool {
    attribute.split(';').any(|number| {
        matches!(
            number.parse::<u16>(),
            Ok(30..=38 | 40..=48 | 90..=97 | 100..=107)
        )
    })
}

#[test]
fn no_color_writes_no_colour_and_still_shows_the_selection() {
    let home = home();
    let mut terminal = demo(&home, &[("NO_COLOR", "1")]);
    terminal.send("j");
    terminal.settle();
    let coloured: Vec<String> = attributes(&terminal.bytes())
        .into_iter()
        .filter(|a| is_colour(a))
        .collect();
    assert_eq!(coloured, [""; 0]);
    assert!(!terminal.reversed().trim().is_empty());
    // The same test sees colours where there are some.
    let terminal = demo(&home, &[]);
    assert!(attributes(&terminal.bytes()).iter().any(|a| is_colour(a)));
}

/// Whether these bytes were written.
fn wrote(terminal: &Terminal, bytes: &str) -> bool {
    let written = terminal.bytes();
    written
        .windows(bytes.len())
        .any(|part| part == bytes.as_bytes())
}

/// `y` hands the receipt's id to the terminal's clipboard, within tmux by the
/// way through it as well; the id of the demo's first row, in base64.
#[test]
fn copying_reaches_the_terminal_and_passes_through_tmux() {
    const COPY: &str = "\x1b]52;c;M0g3S0tDVzU2RFk3MjRYRUI5QjROV0VRTlk=\x07";
    let through = format!("\x1bPtmux;\x1b{COPY}\x1b\\");
    for (extra, wrapped) in [(&[][..], false), (&[("TMUX", "/tmp/t,1,0")][..], true)] {
        let home = home();
        let mut terminal = demo(&home, extra);
        terminal.send("y");
        terminal.until("it is copied", |terminal| wrote(terminal, COPY));
        terminal.settle();
        assert_eq!(wrote(&terminal, &through), wrapped);
        terminal.send("q");
        terminal.ends();
    }
}

/// `M` leaves the mouse to the terminal while the program runs, and takes it back.
#[test]
fn the_mouse_is_switched_off_and_on_while_running() {
    let home = home();
    let mut terminal = demo(&home, &[]);
    assert!(terminal.has_mouse());
    terminal.send("M");
    terminal.until("the mouse is left alone", |terminal| !terminal.has_mouse());
    terminal.send("M");
    terminal.until("the mouse is taken back", Terminal::has_mouse);
    terminal.send("q");
    terminal.ends();
    assert!(!terminal.is_taken());
}

/// A paste is text: it never presses keys, and a quit or an escape in it does
/// nothing.
#[test]
fn a_paste_is_never_keys() {
    let home = home();
    let mut terminal = demo(&home, &[]);
    terminal.send("\x1b[200~q\x1b[201~");
    terminal.settle();
    assert!(terminal.is_running());
    terminal.send("/");
    terminal.settle();
    terminal.send("\x1b[200~grade:unasked\r\nq\x1b[201~");
    terminal.shows("grade:unasked");
    assert!(terminal.is_running());
    terminal.send("\x1b");
    terminal.settle();
    terminal.send("\x03");
    terminal.ends();
    assert!(!terminal.is_taken());
}

/// Run by the next test: the program in a terminal that goes away with this
/// process.
#[test]
#[ignore = "ends the process it runs in"]
fn a_terminal_that_goes_away() {
    let home = home();
    let terminal = demo(&home, &[]);
    println!("pid {}.", terminal.pid());
    std::process::exit(0);
}

#[test]
fn ends_when_the_terminal_goes_away() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "a_terminal_that_goes_away",
            "--ignored",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pid = text
        .split("pid ")
        .nth(1)
        .and_then(|rest| rest.split('.').next());
    let process = format!("/proc/{}/exe", pid.unwrap());
    let began = std::time::Instant::now();
    while std::fs::read_link(&process).is_ok_and(|exe| exe.ends_with("attest-tui")) {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "it outlives its terminal"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn idle_writes_nothing_and_takes_no_time() {
    let home = home();
    let terminal = demo(&home, &[]);
    terminal.settle();
    let ticks = |terminal: &Terminal| {
        let of = |field| terminal.stat(field).parse::<u64>().unwrap();
        of(11) + of(12)
    };
    let (bytes, before) = (terminal.bytes().len(), ticks(&terminal));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(terminal.bytes().len(), bytes);
    // A clock tick is 10 ms; one may fall on a page fault.
    assert!(ticks(&terminal) - before <= 1);
}

/// The bytes a terminal sends for a key as the config file writes it.
fn bytes_of(keys: &str) -> Vec<u8> {
    let one = |key: &str| -> Vec<u8> {
        let named: &[u8] = match key {
            "down" => b"\x1b[B",
            "up" => b"\x1b[A",
            "right" => b"\x1b[C",
            "left" => b"\x1b[D",
            "pagedown" => b"\x1b[6~",
            "pageup" => b"\x1b[5~",
            "home" => b"\x1b[H",
            "end" => b"\x1b[F",
            "enter" => b"\r",
            "esc" => b"\x1b",
            "tab" => b"\t",
            "backtab" | "shift-tab" => b"\x1b[Z",
            "backspace" => b"\x7f",
            "delete" => b"\x1b[3~",
            "space" => b" ",
            "f1" => b"\x1bOP",
            "f5" => b"\x1b[15~",
            _ => b"",
        };
        if !named.is_empty() {
            return named.to_vec();
        }
        if let Some(letter) = key.strip_prefix("ctrl-") {
            let letter = letter.as_bytes();
            assert_eq!(letter.len(), 1, "{key}");
            return vec![letter[0] & 0x1f];
        }
        if let Some(letter) = key.strip_prefix("alt-") {
            return format!("\x1b{letter}").into_bytes();
        }
        assert_eq!(key.chars().count(), 1, "no bytes known for {key}");
        key.as_bytes().to_vec()
    };
    keys.split(' ').flat_map(one).collect()
}

/// Every key of the README's table, on every screen, with the list and with the
/// detail in focus: none of them brings the program down, and the ones that
/// leave it leave it clean.
#[test]
fn every_key_is_survived() {
    let home = home();
    let leaving: Vec<&str> = [Action::Quit, Action::QuitNow, Action::Suspend]
        .iter()
        .flat_map(|action| action.default_keys())
        .copied()
        .collect();
    let keys: Vec<&str> = Action::ALL
        .iter()
        .flat_map(|action| action.default_keys())
        .copied()
        .filter(|key| !leaving.contains(key))
        .collect();
    assert!(keys.len() > 30);
    let mut terminal = demo(&home, &[]);
    for screen in '1'..='6' {
        for focus in ["", "\t"] {
            for key in &keys {
                // Whatever the key before opened is closed, then the screen chosen.
                terminal.send("\x1b");
                std::thread::sleep(Duration::from_millis(2));
                terminal.send("\x1b");
                std::thread::sleep(Duration::from_millis(2));
                terminal.send(format!("{screen}{focus}"));
                terminal.send(bytes_of(key));
                std::thread::sleep(Duration::from_millis(2));
                assert!(
                    terminal.is_running(),
                    "{key:?} on screen {screen}\n{}",
                    terminal.screen()
                );
            }
        }
    }
    terminal.signal("TERM");
    terminal.ends();
    assert!(!terminal.is_taken());
}

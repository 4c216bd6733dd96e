//! Killed at any instant while a package is published: the archive is not
//! there, or it is whole and verifies.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::Desk;

/// How often the program is killed.
const TRIES: u64 = 300;

/// The package's files, in the order they are published.
const NAMES: [&str; 3] = ["demo.context.json", "demo.verify.json", "demo.tar"];

const EXPORT: [&str; 5] = ["package", "export", "demo.json", "--out", "demo.tar"];

/// Instants to kill at: xorshift, from a fixed seed.
struct Instants(u64);

impl Instants {
    /// A part of a span, below 1.
    fn part(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn files(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    desk.files().into_iter().collect()
}

/// Waits until the folder holds a name more, or the run is over.
fn first_name(desk: &Desk, child: &mut Child, before: usize) {
    let count = || std::fs::read_dir(desk.path()).unwrap().count();
    while count() == before && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_micros(50));
    }
}

fn export(desk: &Desk) -> Child {
    desk.command(&EXPORT)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a temporary file is of, by its name.
fn temporary(name: &str) -> Option<&'static str> {
    let found = NAMES.into_iter().find(|of| {
        let rest = name.strip_prefix(&format!(".{of}.")[..]);
        rest.is_some_and(|rest| rest.ends_with(".tmp"))
    });
    // No archive's name: a package is neither made nor looked for under it.
    found.filter(|_| !name.ends_with(".tar"))
}

#[test]
fn killed_at_any_instant_the_archive_is_absent_or_whole() {
    let desk = Desk::new();
    desk.demo();
    std::fs::create_dir_all(desk.path().join("home")).unwrap();
    // An undisturbed run: what the files are, and how long it takes.
    let entries = std::fs::read_dir(desk.path()).unwrap().count();
    let began = Instant::now();
    let mut child = export(&desk);
    first_name(&desk, &mut child, entries);
    let named = began.elapsed();
    assert!(child.wait().unwrap().success());
    let (mut whole, mut publishing) = (began.elapsed(), began.elapsed().saturating_sub(named));
    let done = files(&desk);
    for name in NAMES {
        std::fs::remove_file(desk.path().join(name)).unwrap();
    }
    let mut instants = Instants(0x9e37_79b9_7f4a_7c15);
    let (mut killed, mut absent, mut without, mut archives, mut left) = (0, 0, 0, 0, 0);
    let mut cut = BTreeMap::new();
    for tries in 0..TRIES {
        let before = files(&desk);
        let entries = std::fs::read_dir(desk.path()).unwrap().count();
        let mut child = export(&desk);
        // In turn over the whole run, and from the first file on.
        let (span, scale) = if tries % 4 == 0 {
            (&mut whole, 1.1)
        } else {
            first_name(&desk, &mut child, entries);
            (&mut publishing, 1.1)
        };
        let wait = span.mul_f64(scale * instants.part());
        sleep(wait);
        // Already done is as good an instant as any.
        let _ = child.kill();
        let mut said = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        let status = child.wait().unwrap();
        let is_cut = status.code().is_none();
        killed += i32::from(is_cut);
        // Disks differ from one moment to the next: the range follows.
        if is_cut && wait > *span {
            *span = span.mul_f64(1.25);
        } else if !is_cut && wait < *span {
            *span = span.mul_f64(0.97).max(Duration::from_micros(200));
        }

        let after = files(&desk);
        assert_eq!(after.get("demo.json"), done.get("demo.json"));
        for (name, content) in &after {
            if let Some(whole) = done.get(name) {
                // Whole at its first instant.
                assert!(content == whole, "{name} is not whole, try {tries}");
            } else {
                let of = temporary(name).unwrap_or_else(|| panic!("{name} is left"));
                assert!(done[of].starts_with(content), "{name}");
                if !before.contains_key(name) {
                    assert!(is_cut, "{name} is left by a run that ended by itself");
                    left += 1;
                    if of == "demo.tar" && content.len() < done[of].len() {
                        cut.insert(content.len(), name.clone());
                    }
                }
            }
        }
        let there = NAMES.map(|name| after.contains_key(name));
        // The order of publishing.
        assert!(
            there.is_sorted_by(|first, second| first >= second),
            "{there:?}"
        );
        if !is_cut || said.contains("package_verified") {
            assert_eq!(there, [true; 3], "acknowledged and lost, try {tries}");
        }
        if there[2] {
            let verify = ["package", "verify", "demo.tar", "--context", NAMES[0]];
            let run = desk.run(&verify);
            assert_eq!(run.code, Some(0), "{run:?}");
            archives += i32::from(is_cut);
        } else if let Some(first) = (0..3).find(|at| there[*at]) {
            // What is left of it is said, by name, and not touched.
            let run = desk.run(&EXPORT);
            assert_eq!(run.code, Some(1), "{run:?}");
            let name = NAMES[first];
            let said = format!("attest-tui: atomic_output: {name}: is there already");
            assert!(run.err.starts_with(&said), "{run:?}");
            assert_eq!(files(&desk), after);
            without += 1;
        } else {
            absent += 1;
        }
        for (name, _) in NAMES.iter().zip(there).filter(|(_, there)| *there) {
            std::fs::remove_file(desk.path().join(name)).unwrap();
        }
    }
    // Cut archives under their hidden names are refused as what they are.
    for name in cut.values() {
        let run = desk.run(&["package", "verify", name]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.starts_with(&format!("{name}: package_refused: ")));
    }
    // And in nobody's way.
    let run = desk.run(&EXPORT);
    assert_eq!(run.code, Some(0), "{run:?}");
    let after = files(&desk);
    assert!(NAMES.iter().all(|name| after[*name] == done[*name]));
    println!(
        "{killed} of {TRIES} killed: {absent} without a file, {without} without the archive, \
         {archives} with it whole; {left} temporary files left, {} of them cut archives",
        cut.len()
    );
    assert!(
        killed > 100 && absent > 0 && left > 0,
        "the instants missed the run"
    );
}

/// Killed before each step of it in turn, as strace does it: what stands then
/// is what was published before, whole, and the next run has its way again once
/// it is gone.
#[cfg(target_os = "linux")]
#[test]
fn killed_before_each_step_what_was_published_is_whole() {
    let desk = Desk::new();
    desk.demo();
    assert_eq!(desk.run(&EXPORT).code, Some(0));
    let done = files(&desk);
    let steps = |call, published: &'static [usize]| {
        let each = published.iter().enumerate();
        each.map(move |(at, published)| (call, at + 1, *published))
    };
    // All three are written and synced before one is published.
    let all = steps("fsync", &[0, 0, 0])
        .chain(steps("link,linkat", &[0, 1, 2]))
        .chain(steps("unlink,unlinkat", &[1, 2, 3]));
    for (call, at, published) in all {
        for name in NAMES {
            std::fs::remove_file(desk.path().join(name)).unwrap();
        }
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e"]);
        command.arg(format!("trace={call}"));
        command.arg("-e");
        command.arg(format!("inject={call}:signal=KILL:when={at}"));
        command.arg(env!("CARGO_BIN_EXE_attest-tui")).args(EXPORT);
        let Ok(output) = command.current_dir(desk.path()).output() else {
            println!("skipped: no strace");
            return;
        };
        let run = crate::common::Run::of(output);
        if run.err.contains("strace: ") {
            println!("skipped: {}", run.err);
            return;
        }
        assert_eq!(
            (run.code, run.out.as_str()),
            (None, ""),
            "{call} {at}: {run:?}"
        );
        let after = files(&desk);
        for (place, name) in NAMES.iter().enumerate() {
            let there = after.get(*name);
            assert_eq!(there.is_some(), place < published, "{call} {at}: {name}");
            assert!(there.is_none_or(|content| *content == done[*name]));
        }
        for (name, content) in after.iter().filter(|(name, _)| !done.contains_key(*name)) {
            let of = temporary(name).unwrap_or_else(|| panic!("{name} is left"));
            assert!(done[of].starts_with(content), "{name}");
        }
        if published > 0 {
            let run = desk.run(&EXPORT);
            assert_eq!(run.code, Some(1), "{run:?}");
            let said = "attest-tui: atomic_output: demo.context.json: is there already";
            assert!(run.err.starts_with(said), "{run:?}");
            assert_eq!(files(&desk), after);
        }
        for name in NAMES.iter().take(published) {
            std::fs::remove_file(desk.path().join(name)).unwrap();
        }
        assert_eq!(desk.run(&EXPORT).code, Some(0));
    }
}

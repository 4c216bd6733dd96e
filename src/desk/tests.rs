//! The inspector and the desk together, driven by keys, without a terminal: every flow that changes
//! a ledger, on real files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use attest_canon::{Digest, Id, sha256};
use attest_grading::ledger::rules::Model;
use attest_grading::ledger::{Keeper, Ledger};
use attest_grading::model::{Grade, IsoTs, OverrideGrade, Receipt, ReceiptState};
use attest_grading::policy::{DEFAULT_POLICY, load_policy};

use super::serve::LedgerDesk;
use super::{DEMO, Job};
use crate::inspector::app::overlay::Overlay;
use crate::inspector::app::state::{ScreenName, Tab};
use crate::inspector::app::tests::{empty_app, screen};
use crate::inspector::app::{App, Effect, Message, update};
use crate::inspector::key::Key;
use crate::inspector::row::Standing;
use crate::inspector::screens::{Answer, Query, review};
use crate::inspector::work::{Cancelled, Desk, Request, Told, Worker};
use crate::store::{Held, OpenError, Place};

/// The wall clock of these tests, an hour after the demo's batch.
fn clock() -> IsoTs {
    IsoTs::parse("2026-10-06T20:00:00Z").unwrap()
}

/// Keeps a ledger's state beside it: tests never touch the user's.
fn open(path: &Path) -> Result<Held, OpenError> {
    let state = path.parent().unwrap().join("state");
    Held::at(path, Place::within(&state, path))
}

/// The inspector on a file of its own.
pub(super) struct Bench {
    pub(super) app: App,
    worker: Worker,
    told: Receiver<Told>,
    quit: Option<u8>,
}

impl Bench {
    /// Opens a file; none for the demo.
    fn new(path: Option<&Path>) -> Self {
        Self::on(empty_app(120, 40), path)
    }

    /// Opens a file in this inspector.
    pub(super) fn on(app: App, path: Option<&Path>) -> Self {
        let job = Job {
            path: path.map(Path::to_owned),
            ..Job::default()
        };
        Self::of(app, LedgerDesk::with(job, clock, open))
    }

    /// Opens what a desk holds in this inspector.
    pub(super) fn of(app: App, desk: impl Desk) -> Self {
        let (tell, told) = channel();
        let worker = Worker::start(desk, move |told| {
            let _ = tell.send(told);
        });
        let mut bench = Self {
            app,
            worker: worker.unwrap(),
            told,
            quit: None,
        };
        bench.pump(vec![Effect::Ask(Request::Open)]);
        bench
    }

    /// Does what the inspector asks for, until nothing is asked for any more.
    fn pump(&mut self, effects: Vec<Effect>) {
        let mut effects = effects;
        loop {
            let mut asked = false;
            for effect in effects.drain(..) {
                match effect {
                    Effect::Ask(request) => {
                        self.worker.ask(request);
                        asked = true;
                    }
                    Effect::Quit(code) => self.quit = Some(code),
                    _ => {}
                }
            }
            if !asked {
                return;
            }
            // An answer to this means everything before it is answered.
            let nobody = Id::from_digest(&sha256(b"nobody"));
            let last = Query::Review(review::Query::Case(nobody));
            self.worker.ask(Request::Query(last));
            loop {
                let told = self.told.recv_timeout(Duration::from_secs(60)).unwrap();
                if let Told::Answered(ScreenName::Review, answer) = &told {
                    match answer.as_ref() {
                        Ok(Answer::Review(review::Answer { id, .. })) if *id == nobody => break,
                        Err(_) => break,
                        Ok(_) => {}
                    }
                }
                effects.extend(update(&mut self.app, Message::Told(told)));
            }
        }
    }

    pub(super) fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let effects = update(&mut self.app, Message::Key(Key::parse(key).unwrap()));
            self.pump(effects);
        }
    }

    fn typed(&mut self, text: &str) {
        let effects = update(&mut self.app, Message::Paste(text.to_owned()));
        self.pump(effects);
    }

    fn choose(&mut self, id: Id) {
        assert!(self.app.list.choose(&id.to_string()));
        // What follows from a choice follows before the next key.
        let effects = update(&mut self.app, Message::Resize(120, 40));
        self.pump(effects);
    }

    pub(super) fn notice(&self) -> String {
        self.app
            .notice
            .as_ref()
            .map_or_else(String::new, |notice| notice.text.clone())
    }

    /// What a question says, as one text.
    pub(super) fn asked(&self) -> String {
        match self.app.overlays.last() {
            Some(Overlay::Dialog(dialog)) => {
                let lines: Vec<&str> = dialog.lines.iter().map(|(_, text)| &**text).collect();
                lines.join("\n")
            }
            _ => panic!("nothing is asked:\n{}", screen(&self.app)),
        }
    }

    fn standing(&self, id: Id) -> (Standing, Option<Grade>) {
        let id = id.to_string();
        let rows = &self.app.list.opened().rows;
        let row = rows.iter().find(|row| row.id == id).unwrap();
        (row.standing, row.grade)
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(ledger: &Ledger) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ledger.json"), ledger.to_text()).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("ledger.json")
    }

    fn ledger(&self) -> Ledger {
        Ledger::read(&fs::read_to_string(self.path()).unwrap()).unwrap()
    }

    fn journal(&self) -> PathBuf {
        let state = self.0.path().join("state");
        Place::within(&state, &self.path())
            .unwrap()
            .state
            .join("journal")
    }
}

fn demo() -> Ledger {
    Ledger::read(DEMO).unwrap()
}

fn of(ledger: &Ledger, wanted: impl Fn(&Receipt) -> bool) -> Receipt {
    ledger
        .receipts
        .iter()
        .find(|one| wanted(one))
        .unwrap()
        .clone()
}

fn unasked() -> Id {
    of(&demo(), |one| one.grade == Grade::Unasked).id
}

const NO: Option<Grade> = Some(Grade::NotFound);

/// The first use of the demo: the UNASKED receipt is found, read, denied with a reason, taken back,
/// and looked at a day later. Nothing of it needs a file.
#[test]
fn the_demo_from_review_to_revert_and_a_day_later() {
    let mut bench = Bench::new(None);
    bench.keys("2");
    let text = screen(&bench.app);
    assert!(text.contains("likely muse"), "{text}");
    assert!(text.contains("Did an agent do it?"), "{text}");
    // Why: both signals with their instants, the score against the threshold.
    for part in ["a session within", "14:03", "you were away", "0.7", "0.6"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    bench.keys("d enter");
    assert!(screen(&bench.app).contains("a reason must show something"));
    bench.typed(" \u{200b}");
    bench.keys("enter");
    assert!(screen(&bench.app).contains("a reason must show something"));
    assert_eq!(
        bench.standing(unasked()),
        (Standing::Final, Some(Grade::Unasked))
    );
    bench.typed("I ordered it myself");
    bench.keys("enter");
    assert_eq!(bench.standing(unasked()), (Standing::Overridden, NO));
    let progress = bench.app.screens.review.progress(bench.app.list.opened());
    assert_eq!((progress.of, progress.decided), (2, 1));
    // What is decided stays in view, so that it can be taken back.
    assert!(screen(&bench.app).contains("You decided"));
    bench.keys("u");
    let asked = bench.asked();
    assert!(asked.contains("I ordered it myself"), "{asked}");
    assert!(asked.contains("your reason is forgotten"), "{asked}");
    // Cancel has the focus.
    bench.keys("enter");
    assert_eq!(bench.standing(unasked()), (Standing::Overridden, NO));
    bench.keys("u down enter");
    let back = (Standing::Final, Some(Grade::Unasked));
    assert_eq!(bench.standing(unasked()), back);
    bench.keys("1 t enter");
    assert!(bench.app.list.opened().preview.is_some());
    assert!(
        bench
            .notice()
            .starts_with("a preview at 2026-10-07 16:00:00.002 -04:00: ")
    );
    bench.keys("q");
    assert!(bench.asked().contains("has no file"));
    bench.keys("down down enter");
    assert_eq!(bench.quit, Some(0));
}

#[test]
fn an_override_is_on_the_disk_before_it_is_in_view() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o");
    assert!(bench.asked().contains("orders@northwind.example"));
    bench.keys("esc");
    bench.keys("o enter");
    assert!(bench.app.overlays.is_empty());
    assert!(!folder.journal().exists());
    bench.keys("o down enter");
    bench.typed("it was me who asked");
    bench.keys("enter");
    let verified = (Standing::Overridden, Some(Grade::Verified));
    assert_eq!(bench.standing(unasked()), verified);
    let journal = fs::read_to_string(folder.journal()).unwrap();
    assert!(journal.contains("it was me who asked"), "{journal}");
    assert_eq!(folder.ledger(), demo());
    assert!(screen(&bench.app).contains("unsaved"));
    // A second word is refused.
    bench.keys("o");
    assert!(bench.app.overlays.is_empty());
    assert!(bench.notice().contains("overridden already"));
    bench.keys("w");
    assert!(!folder.journal().exists());
    let saved = of(&folder.ledger(), |one| one.id == unasked());
    let user = saved.user_override.unwrap();
    assert_eq!((user.grade, user.at), (OverrideGrade::Verified, clock()));
    bench.keys("q");
    assert_eq!(bench.quit, Some(0));
}

#[test]
fn leaving_unsaved_asks_and_saves() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter q");
    assert!(bench.asked().contains("journal"));
    bench.keys("enter");
    assert_eq!(bench.quit, None);
    bench.keys("q down enter");
    assert_eq!(bench.quit, Some(0));
    let saved = of(&folder.ledger(), |one| one.id == unasked());
    assert_eq!(saved.counted_grade(), NO);
}

/// Killed before it saved, the program offers its events at the next start.
#[test]
fn events_of_an_earlier_run_are_offered() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter");
    drop(bench);
    wait_for_lock(&folder);
    let mut bench = Bench::new(Some(&folder.path()));
    assert!(
        bench
            .asked()
            .contains("accepted 1 event and ended before it was saved")
    );
    assert!(bench.asked().contains(&unasked().to_string()));
    // Later: until then nothing can be changed.
    bench.keys("enter");
    bench.choose(unasked());
    bench.keys("o down enter");
    bench.typed("yes");
    bench.keys("enter");
    assert!(
        bench.notice().contains("take them up"),
        "{}",
        bench.notice()
    );
    drop(bench);
    wait_for_lock(&folder);
    let mut bench = Bench::new(Some(&folder.path()));
    bench.keys("down enter");
    assert_eq!(bench.standing(unasked()), (Standing::Overridden, NO));
    bench.keys("w");
    assert_eq!(
        of(&folder.ledger(), |one| one.id == unasked()).counted_grade(),
        NO
    );
}

#[test]
fn events_given_up_are_gone() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter");
    drop(bench);
    wait_for_lock(&folder);
    let mut bench = Bench::new(Some(&folder.path()));
    bench.keys("down down enter");
    assert!(!folder.journal().exists());
    assert_eq!(
        bench.standing(unasked()),
        (Standing::Final, Some(Grade::Unasked))
    );
    assert_eq!(folder.ledger(), demo());
}

/// The work thread of a bench that was dropped lets the lock go when it notices.
fn wait_for_lock(folder: &Folder) {
    for _ in 0..600 {
        if matches!(open(&folder.path()), Ok(Held::Session(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the lock is still held");
}

#[test]
fn a_second_instance_reads_only_and_says_so() {
    let folder = Folder::new(&demo());
    let mut first = Bench::new(Some(&folder.path()));
    let mut second = Bench::new(Some(&folder.path()));
    assert!(second.notice().contains("open in another attest-tui"));
    assert!(screen(&second.app).contains("read only"));
    second.choose(unasked());
    for key in ["o", "u", "w", "B"] {
        second.keys(key);
        assert!(second.app.overlays.is_empty());
        assert!(second.notice().contains("read only"), "{key}");
    }
    first.choose(unasked());
    first.keys("o");
    assert!(!first.app.overlays.is_empty());
}

/// The file changed under us: saving refuses, says that nothing is lost, and offers another name.
#[test]
fn a_file_that_changed_is_not_overwritten() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter");
    let mut other = demo();
    other.exported_at = Some(clock());
    fs::write(folder.path(), other.to_text()).unwrap();
    bench.keys("w");
    assert!(bench.asked().contains("changed by another program"));
    assert!(bench.asked().contains("Nothing is lost"));
    assert!(folder.journal().exists());
    bench.keys("down enter ctrl-u");
    // A name that is taken is refused, and asked for again another time.
    bench.typed(&folder.path().to_string_lossy());
    bench.keys("enter");
    assert!(bench.asked().contains("nothing is replaced"));
    bench.keys("down enter ctrl-u");
    let mine = folder.0.path().join("mine.json");
    bench.typed(&mine.to_string_lossy());
    bench.keys("enter");
    let saved = Ledger::read(&fs::read_to_string(&mine).unwrap()).unwrap();
    assert_eq!(of(&saved, |one| one.id == unasked()).counted_grade(), NO);
    assert_eq!(folder.ledger(), other);
    // It goes on with the file it saved to.
    assert!(bench.app.name.ends_with("mine.json"));
    assert!(!bench.app.list.opened().is_unsaved);
    bench.choose(unasked());
    bench.keys("u down enter w");
    let saved = Ledger::read(&fs::read_to_string(&mine).unwrap()).unwrap();
    assert_eq!(
        of(&saved, |one| one.id == unasked()).state,
        ReceiptState::Final
    );
}

#[test]
fn a_directory_that_is_not_there_loses_nothing() {
    let mut bench = Bench::new(None);
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter w ctrl-u");
    bench.typed("/nowhere/at/all.json");
    bench.keys("enter");
    assert!(bench.asked().contains("cannot be written"));
    bench.keys("esc");
    assert_eq!(bench.standing(unasked()), (Standing::Overridden, NO));
    assert!(bench.app.list.opened().is_unsaved);
}

/// A ledger where another claim took what an override released (§4.3).
fn held_elsewhere() -> (Ledger, Id, Id) {
    let at = |text| IsoTs::parse(text).unwrap();
    let mut keeper = Keeper::new(demo());
    let first = of(keeper.ledger(), |one| one.grade == Grade::Verified);
    let said = at("2026-10-06T15:10:00-04:00");
    keeper
        .override_receipt(first.id, OverrideGrade::NotFound, "no", said)
        .unwrap();
    let claims = keeper.ledger().claims.iter();
    let mut claims = claims.filter(|claim| Some(claim.id) == first.claim_id);
    let mut other = claims.next().unwrap().clone();
    other.raw_hash = sha256(b"other");
    other.id = Id::from_digest(&other.raw_hash);
    other.observed_at = at("2026-10-06T15:11:00-04:00");
    let other_id = other.id;
    keeper
        .store_claim(other, at("2026-10-06T15:11:00-04:00"))
        .unwrap();
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    keeper
        .batch(at("2026-10-06T15:12:00-04:00"), &policy, Model::On)
        .unwrap();
    (keeper.into_ledger(), first.id, other_id)
}

#[test]
fn a_revert_says_first_that_another_claim_holds_the_evidence() {
    let (ledger, id, taker) = held_elsewhere();
    let folder = Folder::new(&ledger);
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(id);
    bench.keys("u");
    let asked = bench.asked();
    assert!(
        asked.starts_with(&format!("Claim {taker} holds its evidence")),
        "{asked}"
    );
    assert!(!folder.journal().exists());
    bench.keys("enter u down enter");
    assert_eq!(bench.standing(id), (Standing::Final, Some(Grade::Verified)));
}

/// A fact stored after the last batch makes a receipt that is not stored: a word on it needs its
/// batch, which is saved at once.
#[test]
fn a_word_on_what_is_not_stored_needs_its_batch() {
    let at = |text| IsoTs::parse(text).unwrap();
    let mut keeper = Keeper::new(demo());
    let mut claim = keeper.ledger().claims[0].clone();
    claim.raw_hash = sha256(b"new");
    claim.id = Id::from_digest(&claim.raw_hash);
    claim.subject_hint = Some("another".into());
    claim.observed_at = at("2026-10-06T15:20:00-04:00");
    let claim_id = claim.id;
    keeper
        .store_claim(claim, at("2026-10-06T15:20:00-04:00"))
        .unwrap();
    let folder = Folder::new(keeper.ledger());
    let id = attest_grading::model::hashes::claim_receipt_id(claim_id);
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(id);
    bench.keys("o");
    assert!(bench.notice().contains("not stored"), "{}", bench.notice());
    bench.keys("B");
    assert!(bench.asked().contains("at once"));
    bench.keys("enter");
    assert_eq!(folder.ledger().receipts.len(), 3);
    bench.keys("B down enter");
    assert_eq!(folder.ledger().receipts.len(), 4);
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter");
    assert_eq!(bench.standing(id), (Standing::Overridden, NO));
}

/// Backward, what was stored, computed and said later is left out; nothing of a preview can be
/// changed or saved.
#[test]
fn travelling_back_shows_what_was_known_then() {
    let (ledger, id, taker) = held_elsewhere();
    let folder = Folder::new(&ledger);
    let mut bench = Bench::new(Some(&folder.path()));
    let taken = attest_grading::model::hashes::claim_receipt_id(taker);
    bench.choose(id);
    bench.keys("t ctrl-u");
    bench.typed("2026-10-06 15:09");
    bench.keys("enter");
    // Before the word and before the other claim.
    assert_eq!(bench.standing(id), (Standing::Final, Some(Grade::Verified)));
    let rows = &bench.app.list.opened().rows;
    assert!(rows.iter().all(|row| row.id != taken.to_string()));
    let preview = bench.app.list.opened().preview.clone().unwrap();
    let flipped: Vec<String> = preview.flips.iter().map(|flip| flip.id.clone()).collect();
    assert_eq!(flipped, [id.to_string(), taken.to_string()]);
    assert_eq!(bench.app.detail.tab, Tab::State);
    let text = screen(&bench.app);
    assert!(text.contains("What would flip: 2"), "{text}");
    assert!(text.contains("Preview at 2026-10-06 15:09"), "{text}");
    for key in ["o", "u", "w", "B"] {
        bench.keys(key);
        assert!(bench.app.overlays.is_empty());
        assert!(
            bench.notice().contains("a preview is never changed"),
            "{key}"
        );
    }
    // Between the two.
    bench.keys("t ctrl-u");
    bench.typed("2026-10-06T15:10:30-04:00");
    bench.keys("enter");
    assert_eq!(bench.standing(id), (Standing::Overridden, NO));
    bench.keys("T");
    assert_eq!(bench.app.list.opened().preview, None);
    assert_eq!(bench.standing(id), (Standing::Overridden, NO));
    assert_eq!(folder.ledger(), ledger);
    assert!(!folder.journal().exists());
}

/// Forward, what is open is graded at the later instant on the facts held now.
#[test]
fn travelling_forward_grades_what_is_open() {
    // Golden 03: a claim whose grace has not elapsed.
    let scenario = include_str!("../../golden/03-pending-grace-not-elapsed.json");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.json");
    fs::write(&path, scenario).unwrap();
    let mut bench = Bench::new(Some(&path));
    let rows = &bench.app.list.opened().rows;
    assert!(rows.iter().all(|row| row.standing == Standing::Checking));
    bench.keys("t ctrl-u");
    bench.typed("+3d");
    bench.keys("enter");
    // Nothing synced, so time alone decides (§8): it is final, and never NOT_FOUND.
    let rows = &bench.app.list.opened().rows;
    assert!(rows.iter().all(|row| row.standing == Standing::Final));
    assert!(
        rows.iter()
            .all(|row| row.grade == Some(Grade::Unverifiable))
    );
    let preview = bench.app.list.opened().preview.as_ref().unwrap();
    assert_eq!(preview.flips.len(), rows.len());
}

#[test]
fn instants_that_are_none_are_asked_for_again() {
    let mut bench = Bench::new(None);
    for text in [
        "",
        "soon",
        "+",
        "+d",
        "+1x",
        "+-1d",
        "2026-13-01 10:00",
        "+99999999999999999w",
        "+9999999d",
    ] {
        bench.keys("t ctrl-u");
        bench.typed(text);
        bench.keys("enter");
        let text_shown = screen(&bench.app);
        let refused = text_shown.contains("an instant is +1d")
            || text_shown.contains("beyond every calendar");
        assert!(refused, "{text}\n{text_shown}");
        bench.keys("esc");
    }
    bench.keys("t ctrl-u");
    bench.typed("-1d 2h");
    bench.keys("enter");
    let at = bench.app.list.opened().at.unwrap();
    assert_eq!(at.to_string(), "2026-10-05T13:00:00.001-04:00");
}

/// Whatever is not a ledger is said, and nothing can be done to it.
#[test]
fn what_does_not_open_takes_no_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.json");
    fs::write(&path, "{}").unwrap();
    let mut bench = Bench::new(Some(&path));
    assert!(bench.app.failure.is_some());
    bench.keys("o u w t B 2 d c s");
    assert!(
        bench
            .app
            .overlays
            .iter()
            .all(|one| matches!(one, Overlay::Dialog(_)))
    );
    bench.keys("esc");
    // It is read again once it is one.
    fs::write(&path, DEMO).unwrap();
    bench.keys("1 ctrl-r");
    assert!(bench.app.is_open);
    assert_eq!(bench.app.list.len(), 3);
}

/// A ledger that goes away while it is open stays in view; saving says so.
#[test]
fn a_ledger_that_disappears_is_still_in_view() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter");
    fs::remove_file(folder.path()).unwrap();
    bench.keys("w");
    assert!(bench.asked().contains("is no longer there"));
    bench.keys("esc");
    assert_eq!(bench.standing(unasked()), (Standing::Overridden, NO));
}

/// A word never depends on the filter: what was changed stays in view until it is filtered anew.
#[test]
fn what_was_changed_stays_in_view() {
    let mut bench = Bench::new(None);
    bench.keys("/");
    bench.typed("grade:unasked");
    bench.keys("enter o down down enter");
    bench.typed("no");
    bench.keys("enter");
    assert_eq!(bench.app.list.len(), 1);
    bench.keys("u down enter");
    assert_eq!(
        bench.standing(unasked()),
        (Standing::Final, Some(Grade::Unasked))
    );
    assert_eq!(digest_of(&bench), digest_of(&Bench::new(None)));
}

/// What the rows say, as one hash.
fn digest_of(bench: &Bench) -> Digest {
    let rows = &bench.app.list.opened().rows;
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.id, row.verdict()))
        .collect();
    lines.sort();
    sha256(lines.join("\n").as_bytes())
}

/// What goes in and what is withheld is said first; then the package is written, and verifies
/// against the very ledger.
#[test]
fn a_package_is_exported_after_saying_what_it_withholds() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.keys("/");
    bench.typed("grade:unasked");
    bench.keys("enter x");
    let asked = bench.asked();
    for part in [
        "Withheld: claims, grants, observations, the reasons of overrides",
        "guesses a mail's exact facts",
    ] {
        assert!(asked.contains(part), "{asked}");
    }
    let text = screen(&bench.app);
    assert!(
        text.contains("every receipt: 3 receipts, 1 policy"),
        "{text}"
    );
    assert!(
        text.contains("what the filter passes, grade:unasked: 1 receipt,"),
        "{text}"
    );
    assert!(
        text.contains("the chosen receipt alone: 1 receipt,"),
        "{text}"
    );
    // Cancel has the focus.
    bench.keys("enter x down enter ctrl-u");
    bench.typed("no-package");
    bench.keys("enter");
    assert!(screen(&bench.app).contains("the name must end in .tar"));
    bench.keys("ctrl-u");
    let path = folder.0.path().join("mine.tar");
    bench.typed(&path.to_string_lossy());
    bench.keys("enter");
    assert!(
        bench.notice().contains("3 of 3 receipts, verified"),
        "{}",
        bench.notice()
    );
    for name in ["mine.tar", "mine.context.json", "mine.verify.json"] {
        assert!(folder.0.path().join(name).is_file(), "{name}");
    }
    // Nothing is replaced: the name is asked for again.
    let before = fs::read(&path).unwrap();
    bench.keys("x down down enter ctrl-u");
    bench.typed(&path.to_string_lossy());
    bench.keys("enter");
    assert!(
        screen(&bench.app).contains("nothing is replaced"),
        "{}",
        screen(&bench.app)
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// One receipt alone, from a ledger that is not saved: what it names is what a save would write.
#[test]
fn a_package_of_what_is_not_saved_names_what_would_be() {
    let folder = Folder::new(&demo());
    let mut bench = Bench::new(Some(&folder.path()));
    bench.choose(unasked());
    bench.keys("o down down enter");
    bench.typed("no");
    bench.keys("enter x");
    assert!(bench.asked().contains("would be saved as"));
    bench.keys("down down enter ctrl-u");
    let path = folder.0.path().join("one.tar");
    bench.typed(&path.to_string_lossy());
    bench.keys("enter");
    assert!(
        bench.notice().contains("1 of 3 receipts"),
        "{}",
        bench.notice()
    );
    bench.keys("w");
    let digest = sha256(&fs::read(folder.path()).unwrap()).to_string();
    let archive = fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&archive).contains(&digest));
    // The person's reason stays at home.
    assert!(!String::from_utf8_lossy(&archive).contains("northwind"));
}

/// Opens the review of a golden scenario.
fn review_of(scenario: &str) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenario.json");
    fs::write(&path, scenario).unwrap();
    let mut bench = Bench::new(Some(&path));
    bench.app.size = (120, 90);
    bench.keys("2 enter");
    bench
}

/// Every case of the queue, on one tall screen each.
fn every_case(bench: &mut Bench) -> Vec<String> {
    let of = bench
        .app
        .screens
        .review
        .progress(bench.app.list.opened())
        .of;
    (0..of)
        .map(|_| {
            let text = screen(&bench.app);
            bench.keys("n");
            text
        })
        .collect()
}

/// The one-fact rule and suppression are shown where they acted (§7): golden 84 and 81.
#[test]
fn what_held_a_signal_back_is_shown() {
    let mut bench = review_of(include_str!("../../golden/84-one-fact-in-every-shape.json"));
    let cases = every_case(&mut bench);
    let said = |case: &&String| case.contains("one fact, of which only the heavier signal");
    assert!(cases.iter().any(|case| said(&case)), "{}", cases.join("\n"));
    assert!(!cases.iter().all(|case| said(&case)));
    let mut bench = review_of(include_str!("../../golden/82-ties-between-agents.json"));
    let cases = every_case(&mut bench);
    for why in ["it has the most signals", "it is the first by name"] {
        assert!(cases.iter().any(|case| case.contains(why)), "{why}");
    }
    for case in &cases {
        // The agents are never more than likely.
        assert!(case.contains("likely did it"), "{case}");
        assert!(
            !case.contains(" did it:") || case.contains("likely did it:"),
            "{case}"
        );
    }
}

/// UNASKED first, then NOT_FOUND; skipping and deciding move on, and the progress says so.
#[test]
fn the_queue_is_in_order_and_counts_what_is_done() {
    let mut bench = Bench::new(None);
    bench.keys("2");
    let current = |bench: &Bench| {
        let opened = bench.app.list.opened();
        let row = bench.app.screens.review.current(opened);
        row.map(|row| row.grade)
    };
    assert_eq!(current(&bench), Some(Some(Grade::Unasked)));
    bench.keys("s");
    assert_eq!(current(&bench), Some(NO));
    assert!(screen(&bench.app).contains("1 waits  1 skipped"));
    // A claim's receipt is worded as one.
    assert!(screen(&bench.app).contains("Did it happen?"));
    bench.keys("c");
    assert!(screen(&bench.app).contains("Why: it happened"));
    bench.typed("I saw it on the calendar");
    bench.keys("enter");
    assert!(screen(&bench.app).contains("0 wait  1 decided  1 skipped"));
    bench.keys("space");
    assert!(bench.notice().contains("nothing else waits"));
    // A second word is refused, and the receipt has its own screen.
    bench.keys("j d");
    assert!(bench.app.overlays.is_empty());
    assert!(bench.notice().contains("decided already"));
    bench.keys("r");
    assert_eq!(bench.app.screen, ScreenName::Receipts);
    assert_eq!(
        bench.app.list.chosen().map(|row| row.standing),
        Some(Standing::Overridden)
    );
}

/// What is checking names no rule as matched and shows no grade of its own (§2): golden 03.
#[test]
fn what_is_checking_names_no_matched_rule() {
    let scenario = include_str!("../../golden/03-pending-grace-not-elapsed.json");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenario.json");
    fs::write(&path, scenario).unwrap();
    let mut bench = Bench::new(Some(&path));
    bench.app.size = (120, 80);
    bench.keys("enter");
    assert!(screen(&bench.app).contains("would match now"));
    bench.keys("] ]");
    let text = screen(&bench.app);
    assert_eq!(bench.app.detail.tab, Tab::Rules);
    assert!(text.contains("would match now"), "{text}");
    for line in text.lines() {
        assert!(
            !line.trim_end_matches(['"', ' ', '│']).ends_with(" matched"),
            "{line}"
        );
        assert!(!line.contains("0 = 0"), "{line}");
    }
}

/// On every screen a cancelled job says so and how it is run again, in the footer and in its pane;
/// the key it names runs it.
#[test]
fn a_cancelled_job_says_so_on_every_screen_and_runs_again() {
    for (screen_key, shown) in [
        ("2", "Who likely did it"),
        ("3", "reproduced"),
        ("4", "claims muse"),
        ("5", "thresholds"),
        ("6", "what it shows"),
    ] {
        let mut bench = Bench::new(None);
        let asked = update(
            &mut bench.app,
            Message::Key(Key::parse(screen_key).unwrap()),
        );
        let query = asked.iter().find_map(|effect| match effect {
            Effect::Ask(Request::Query(query)) => Some(query.clone()),
            _ => None,
        });
        let told = super::look::cancelled(&query.unwrap());
        update(&mut bench.app, Message::Told(told));
        let text = screen(&bench.app);
        let says = format!("cancelled; {screen_key} runs it again");
        assert_eq!(text.matches(&says).count(), 2, "{text}");
        bench.keys(screen_key);
        let text = screen(&bench.app);
        assert!(!text.contains("cancelled"), "{text}");
        assert!(
            text.to_lowercase().contains(&shown.to_lowercase()),
            "{text}"
        );
    }
}

/// What is tried out on the policy: cancelled, it is not called refused, and is run again; what
/// another proposal replaced is given up without a word.
#[test]
fn a_cancelled_what_if_says_so_and_runs_again() {
    let mut bench = Bench::new(None);
    bench.keys("5 n enter ctrl-u 0 . 9 9");
    let asked = update(&mut bench.app, Message::Key(Key::parse("enter").unwrap()));
    let [Effect::Ask(Request::Query(first))] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    update(&mut bench.app, Message::Told(super::look::cancelled(first)));
    let text = screen(&bench.app);
    assert_eq!(
        text.matches("cancelled; 5 runs it again").count(),
        2,
        "{text}"
    );
    assert!(!text.contains("refused"), "{text}");
    bench.keys("5");
    let text = screen(&bench.app);
    assert!(
        text.contains("would change") && !text.contains("cancelled"),
        "{text}"
    );
    bench.keys("enter ctrl-u 0 . 9 8 enter");
    update(&mut bench.app, Message::Told(super::look::cancelled(first)));
    let text = screen(&bench.app);
    assert!(
        text.contains("would change") && !text.contains("cancelled"),
        "{text}"
    );
}

/// A preview at another instant that was cancelled says so, and what was seen before stays.
#[test]
fn a_cancelled_travel_says_so_and_how_to_ask_again() {
    let mut bench = Bench::new(None);
    let at = IsoTs::parse("2026-10-08T14:00:00-04:00").unwrap();
    let told = Told::Cancelled(Box::new(Cancelled::Travel(at)));
    update(&mut bench.app, Message::Told(told));
    let text = screen(&bench.app);
    assert!(
        text.contains("cancelled: no preview at 2026-10-08T14:00:00-04:00; t asks for it again"),
        "{text}"
    );
    assert!(bench.app.list.opened().preview.is_none());
}

/// A screen whose job was cancelled says so, and asks again when it is wanted.
#[test]
fn a_cancelled_replay_says_so_and_can_be_run_again() {
    let mut bench = Bench::new(None);
    let waits = update(&mut bench.app, Message::Key(Key::parse("3").unwrap()));
    let [Effect::Ask(Request::Query(query))] = waits.as_slice() else {
        panic!("{waits:?}");
    };
    let told = super::look::cancelled(query);
    update(&mut bench.app, Message::Told(told));
    assert!(screen(&bench.app).contains("cancelled"));
    bench.keys("r");
    let text = screen(&bench.app);
    assert!(
        !text.contains("cancelled") && text.contains("reproduced"),
        "{text}"
    );
}

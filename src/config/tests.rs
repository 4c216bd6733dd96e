//! A fixture for every kind of bad file: its comments say which error stands on which line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::*;
use crate::inspector::action::Action;
use crate::inspector::row::Sort;
use crate::inspector::theme::{BUILT_IN, Background, Depth, Role};

fn fixtures(kind: &str) -> Vec<(PathBuf, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/config/fixtures")
        .join(kind);
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

fn expected(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("# expect "))
        .map(ToOwned::to_owned)
        .collect()
}

fn written(errors: &[ConfigError]) -> Vec<String> {
    errors
        .iter()
        .map(|error| format!("{}: {}", error.line, error.problem))
        .collect()
}

/// What a fixture can hold of a kind; a file that does not read is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Fixture(&'static str),
    NoText,
}

/// Every kind, told apart without a wildcard: a new one does not compile until
/// it has its line here and, with it, its place in [`KINDS`].
fn kind(problem: &Problem) -> Kind {
    Kind::Fixture(match problem {
        Problem::Unreadable(_) | Problem::TooLarge | Problem::NotUtf8 => return Kind::NoText,
        Problem::Syntax(_) => KINDS[0],
        Problem::UnknownSetting(..) => KINDS[1],
        Problem::WrongType(..) => KINDS[2],
        Problem::BadValue(..) => KINDS[3],
        Problem::UnknownTheme(..) => KINDS[4],
        Problem::BadThemeName(_) => KINDS[5],
        Problem::UnknownAction(..) => KINDS[6],
        Problem::BadKey(..) => KINDS[7],
        Problem::TypingKey(..) => KINDS[8],
        Problem::Clash(..) => KINDS[9],
        Problem::BadFilter(..) => KINDS[10],
        Problem::EmptyFilterName => KINDS[11],
        Problem::Missing(_) => KINDS[12],
        Problem::UnknownRole(..) => KINDS[13],
        Problem::MissingRole(_) => KINDS[14],
        Problem::Inherits(_) => KINDS[15],
    })
}

const KINDS: [&str; 16] = [
    "not TOML",
    "unknown setting",
    "wrong type",
    "bad value",
    "unknown theme",
    "bad theme name",
    "unknown action",
    "bad key",
    "typing key",
    "clash",
    "bad filter",
    "filter without a name",
    "missing setting",
    "unknown role",
    "missing role",
    "inherits",
];

#[test]
fn every_kind_of_problem_is_found_on_its_line() {
    let mut kinds = BTreeSet::new();
    for (path, text) in fixtures("config") {
        let errors = settings::parse(&path, &text, Path::new("/nowhere")).unwrap_err();
        assert_eq!(written(&errors), expected(&text), "{}", path.display());
        kinds.extend(errors.iter().map(|error| kind(&error.problem)));
    }
    for (path, text) in fixtures("theme") {
        let errors = theme::parse(&path, "fixture", &text, true).unwrap_err();
        let expected = expected(&text);
        // A theme without most roles names each.
        let shown = written(&errors);
        let shown = if path.ends_with("missing-role.toml") {
            &shown[..1]
        } else {
            &shown[..]
        };
        assert_eq!(shown, expected, "{}", path.display());
        kinds.extend(errors.iter().map(|error| kind(&error.problem)));
    }
    let all: BTreeSet<Kind> = KINDS.map(Kind::Fixture).into();
    assert_eq!(kinds, all);
}

#[test]
fn errors_name_the_file_and_escape_it() {
    let error = ConfigError {
        file: PathBuf::from("/home/x\u{1b}[31m/config.toml"),
        line: 3,
        problem: Problem::NotUtf8,
    };
    assert_eq!(
        error.to_string(),
        r"/home/x\u{1b}[31m/config.toml:3: not UTF-8"
    );
}

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("attest-tui-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("themes")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_directory_without_files_means_the_defaults_and_is_left_alone() {
    let directory = Directory::new("empty");
    assert_eq!(load(&directory.0), Ok(Settings::default()));
    assert_eq!(load(Path::new("/nowhere/at/all")), Ok(Settings::default()));
    assert_eq!(check(&directory.0), []);
    assert_eq!(std::fs::read_dir(&directory.0).unwrap().count(), 1);
}

#[test]
fn files_that_cannot_be_read_as_text() {
    let directory = Directory::new("unreadable");
    directory.write("config.toml", b"theme = \"dark\"\n# \xff\n");
    assert_eq!(written(&check(&directory.0)), ["2: not UTF-8"]);
    directory.write(
        "config.toml",
        &vec![b' '; usize::try_from(MAX_FILE).unwrap() + 1],
    );
    assert_eq!(
        written(&check(&directory.0)),
        ["0: is larger than 1048576 bytes"]
    );
    std::fs::remove_file(directory.0.join("config.toml")).unwrap();
    std::fs::create_dir(directory.0.join("config.toml")).unwrap();
    assert_eq!(
        written(&check(&directory.0)),
        ["0: cannot be read: is a directory"]
    );
}

#[test]
fn a_users_theme_is_found_before_one_built_in_and_may_inherit_it() {
    let directory = Directory::new("themes");
    directory.write(
        "themes/dark.toml",
        b"inherits = \"dark\"\n[roles]\nbad = { fg = \"red\" }\n",
    );
    directory.write("themes/mine.toml", b"inherits = \"light\"\n");
    directory.write("themes/broken.toml", b"inherits = 1\n");
    directory.write("themes/Not A Theme.toml", b"?");
    directory.write("config.toml", b"theme = \"mine\"\n");
    let names = theme_names(Some(&directory.0));
    assert_eq!(
        names,
        [
            "dark",
            "light",
            "high-contrast",
            "colorblind",
            "monochrome",
            "broken",
            "mine"
        ]
    );
    let dark = theme(Some(&directory.0), "dark").unwrap();
    let base = theme(None, "dark").unwrap();
    assert_ne!(dark.role(Role::Bad), base.role(Role::Bad));
    assert_eq!(dark.role(Role::Good), base.role(Role::Good));
    let mine = theme(Some(&directory.0), "mine").unwrap();
    assert_eq!(mine.background, Background::Light);
    assert_eq!(
        load(&directory.0).unwrap().theme,
        ThemeChoice::Named("mine".to_owned())
    );
    assert_eq!(written(&check(&directory.0)), ["1: inherits takes a text"]);
}

#[test]
fn every_theme_built_in_has_every_role() {
    for (name, text) in BUILT_IN {
        assert_eq!(
            theme::parse(Path::new(name), name, text, false).err(),
            None,
            "{name}"
        );
    }
}

#[test]
fn settings_that_are_shown_read_back_the_same() {
    let text = r##"
theme = "light"
colors = "256"
borders = "ascii"
mouse = false
sort = "-score"
[filters]
"to do" = "grade:unasked,not_found -is:superseded"
"a\"\\\u202e" = "x"
[keys]
quit = ["Q", "g q"]
redraw = []
"##;
    let read = |text: &str| settings::parse(Path::new("c"), text, Path::new("/nowhere")).unwrap();
    let settings = read(text);
    assert_eq!(settings.colors, Some(Depth::Ansi256));
    assert_eq!(settings.sort, Sort::parse("-score").unwrap());
    assert_eq!(settings.keymap.keys(Action::Redraw), []);
    assert_eq!(settings.filters.len(), 2);
    for settings in [settings, Settings::default()] {
        let shown = show(&settings);
        assert!(
            shown
                .chars()
                .all(|c| c == '\n' || attest_grading::text::is_plain(c))
        );
        assert_eq!(read(&shown), settings);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_it(text in "(theme|keys|roles|quit|=|\\[|\\]|\\{|\\}|\"|\\n|dark|#|\\PC){0,24}") {
        let _ = settings::parse(Path::new("c"), &text, Path::new("/nowhere"));
        let _ = theme::parse(Path::new("t"), "t", &text, true);
    }
}

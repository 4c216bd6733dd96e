//! The Unicode 15.0.0 tables: made from pinned files, not stale, and those of another maker.
#![expect(
    clippy::panic,
    reason = "the reference class of a test stops it where it is none"
)]

use std::collections::BTreeMap;

use attest_grading::text::{self, Class};
use regex_syntax::hir::{Class as HirClass, HirKind};
use sha2::{Digest, Sha256};

#[path = "../examples/unicode-tables/generator.rs"]
mod generator;

#[test]
fn the_files_are_the_pinned_ones() {
    let files = BTreeMap::from([
        ("DerivedGeneralCategory.txt", generator::GENERAL_CATEGORY),
        ("PropList.txt", generator::PROP_LIST),
        ("SimpleLowercase.txt", generator::SIMPLE_LOWERCASE),
        ("SpecialCasing.txt", generator::SPECIAL_CASING),
        ("WordBreakProperty.txt", generator::WORD_BREAK),
    ]);
    let pinned: BTreeMap<&str, &str> = include_str!("../ucd/15.0.0/SHA256SUMS")
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(digest, name)| (name, digest))
        .collect();
    assert!(pinned.keys().eq(files.keys()));
    for (name, text) in files {
        let digest: String = Sha256::digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(pinned.get(name), Some(&digest.as_str()), "{name}");
    }
}

#[test]
fn the_committed_tables_are_not_stale() {
    let committed = include_str!("../src/text/tables.rs");
    assert!(
        committed == generator::render(),
        "src/text/tables.rs differs; run `cargo run -p attest-grading --example unicode-tables`"
    );
}

/// Whether each code point is in a class of `regex-syntax` 0.7.5, whose tables are of Unicode
/// 15.0.0 too and were made by another program.
struct Reference(Vec<(char, char)>);

impl Reference {
    fn new(class: &str) -> Self {
        match regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind) {
            Ok(HirKind::Class(HirClass::Unicode(ranges))) => Self(
                ranges
                    .iter()
                    .map(|range| (range.start(), range.end()))
                    .collect(),
            ),
            // A class of one member is read as a literal.
            Ok(HirKind::Literal(one)) => {
                let text = String::from_utf8_lossy(&one.0).into_owned();
                Self(text.chars().map(|c| (c, c)).collect())
            }
            other => panic!("{class} is no class: {other:?}"),
        }
    }

    fn has(&self, c: char) -> bool {
        let at = self.0.partition_point(|&(_, last)| last < c);
        self.0.get(at).is_some_and(|&(first, _)| first <= c)
    }

    #[track_caller]
    fn agrees(class: &str, ours: impl Fn(char) -> bool) {
        let reference = Self::new(class);
        for c in '\0'..=char::MAX {
            assert_eq!(ours(c), reference.has(c), "{class} {}", c.escape_unicode());
        }
    }
}

#[test]
fn classes_agree_with_another_maker() {
    for (category, class) in [
        ("Cc", Class::Control),
        ("Cf", Class::Format),
        ("Co", Class::PrivateUse),
        ("Cn", Class::Unassigned),
        ("L", Class::Letter),
        ("Mn", Class::NonspacingMark),
        ("Mc", Class::SpacingMark),
        ("Me", Class::EnclosingMark),
        ("N", Class::Number),
        ("P", Class::Punctuation),
        ("S", Class::Symbol),
        ("Zs", Class::Space),
        ("Zl", Class::LineSeparator),
        ("Zp", Class::ParagraphSeparator),
    ] {
        Reference::agrees(&format!(r"\p{{{category}}}"), |c| text::class(c) == class);
    }
}

#[test]
fn sets_agree_with_another_maker() {
    Reference::agrees(r"\p{White_Space}", text::is_white_space);
    Reference::agrees(
        r"[\p{Default_Ignorable_Code_Point}--\p{Cn}]",
        text::is_default_ignorable,
    );
}

/// Final sigma shows both sets: after a cased character a sigma is final, and a case-ignorable one
/// lets it see what stands before.
#[test]
fn case_sets_agree_with_another_maker() {
    let is_final = |before: &str| text::lower(&format!("{before}\u{3a3}")).ends_with('\u{3c2}');
    Reference::agrees(r"[\p{Cased}--\p{Case_Ignorable}]", |c| {
        is_final(&format!("{c}")) && is_final(&format!("1{c}"))
    });
    Reference::agrees(r"\p{Case_Ignorable}", |c| {
        is_final(&format!("a{c}")) && !is_final(&format!("1{c}"))
    });
}

/// What 15.0.0 does not assign has no decomposition, no combining class and no case: neither our
/// tables nor those of the normal forms change it.
#[test]
fn unassigned_code_points_pass_through_unchanged() {
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

    let mut unassigned = 0_u32;
    for c in '\0'..=char::MAX {
        let mark = matches!(
            text::class(c),
            Class::NonspacingMark | Class::SpacingMark | Class::EnclosingMark
        );
        assert_eq!(is_combining_mark(c), mark, "{}", c.escape_unicode());
        if text::class(c) != Class::Unassigned {
            continue;
        }
        unassigned += 1;
        let alone = c.to_string();
        assert!(
            alone.nfkd().eq([c]) && alone.nfkc().eq([c]),
            "{}",
            c.escape_unicode()
        );
        assert_eq!(canonical_combining_class(c), 0, "{}", c.escape_unicode());
        let within = format!("a{c}b");
        assert_eq!(text::lower(&within), within);
        assert_eq!(text::fold(&within), within);
        assert_eq!(text::trim(&alone), alone);
        assert_eq!(text::name(&within), "a b");
    }
    // 1,114,112 code points less 149,186 characters, 65 controls, 137,468 of private use and 2,048
    // surrogates: the counts of the version's announcement.
    assert_eq!(unassigned, 1_114_112 - 149_186 - 65 - 137_468 - 2_048);
}

//! CAP-1: the schema's constraints, R0–R8, and the document this profile
//! generates (§6, foreign shapes §8).

use std::collections::BTreeSet;

use attest_canon::jcs::Writer;

use crate::document::{Claim, ClaimKind, Decision, Disposition, Unit};
use crate::grammar::{Surface, SurfaceSet};
use crate::json::{Bounds, Fault, Json, Strict};
use crate::reason::Reason;

const PROFILE: &str = "cap/1";
const SUPPORTS: [&str; 3] = ["positive_presence", "bounded_negative", "exhaustive_set"];

/// Whether a disposition leaves the accounting incomplete (R7).
fn is_incomplete(disposition: &str) -> bool {
    ["failed", "resource_exhausted", "unavailable"].contains(&disposition)
}

/// Checks a recorded document: first the schema, then R0–R8 in number order.
pub(crate) fn check(text: &str) -> Result<(), Reason> {
    let value = Strict::new(text, Bounds::admitted())
        .tree(None)
        .map_err(|_| Reason::Cap1Shape)?;
    let document = Document::read(&value).map_err(|_| Reason::Cap1Shape)?;
    if document.keeps_the_rules() {
        Ok(())
    } else {
        Err(Reason::Cap1Rules)
    }
}

struct Unexamined<'v> {
    unit: &'v str,
    disposition: &'v str,
    withheld_digest: Option<&'v str>,
}

struct Stratum<'v> {
    id: &'v str,
    basis: &'v str,
    catalogue_digest: Option<&'v str>,
    enumeration_method: Option<&'v str>,
    eligible: u64,
    examined: u64,
    unexamined: Vec<Unexamined<'v>>,
    supports: usize,
}

struct Document<'v> {
    strata: Vec<Stratum<'v>>,
    assertions: Vec<&'v str>,
    complete: bool,
    capped_to: Option<&'v str>,
}

type Shape<T> = Result<T, Fault>;

/// The members of a closed object with these required and optional ones.
fn closed<'v, 'a>(
    value: &'v Json<'a>,
    required: &[&str],
    optional: &[&str],
) -> Shape<&'v Json<'a>> {
    let Json::Object(members) = value else {
        return Err(Fault::Shape);
    };
    let known = members
        .iter()
        .all(|(key, _)| required.contains(&key.as_ref()) || optional.contains(&key.as_ref()));
    let whole = required.iter().all(|key| value.get(key).is_some());
    if known && whole {
        Ok(value)
    } else {
        Err(Fault::Shape)
    }
}

fn text<'v>(value: &'v Json<'_>, key: &str) -> Shape<&'v str> {
    value.get(key).and_then(Json::as_str).ok_or(Fault::Shape)
}

fn optional<'v>(value: &'v Json<'_>, key: &str) -> Shape<Option<&'v str>> {
    value
        .get(key)
        .map(|member| member.as_str().ok_or(Fault::Shape))
        .transpose()
}

fn nullable<'v>(value: &'v Json<'_>, key: &str) -> Shape<Option<&'v str>> {
    match value.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(member) => member.as_str().map(Some).ok_or(Fault::Shape),
    }
}

fn list<'v, 'a>(value: &'v Json<'a>, key: &str) -> Shape<&'v [Json<'a>]> {
    match value.get(key) {
        None => Ok(&[]),
        Some(Json::Array(elements)) => Ok(elements),
        Some(_) => Err(Fault::Shape),
    }
}

fn count(value: &Json<'_>, key: &str) -> Shape<u64> {
    match value.get(key) {
        Some(Json::Number(lexeme)) if lexeme.bytes().all(|byte| byte.is_ascii_digit()) => {
            lexeme.parse().map_err(|_| Fault::Shape)
        }
        _ => Err(Fault::Shape),
    }
}

/// `^[0-9a-f]{32,128}$`
fn digest(text: Option<&str>) -> Shape<Option<&str>> {
    let hex = |text: &str| {
        (32..=128).contains(&text.len())
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    match text {
        Some(text) if !hex(text) => Err(Fault::Shape),
        text => Ok(text),
    }
}

fn require(holds: bool) -> Shape<()> {
    if holds { Ok(()) } else { Err(Fault::Shape) }
}

impl<'v> Document<'v> {
    fn read(value: &'v Json<'_>) -> Shape<Self> {
        closed(
            value,
            &["profile", "subject", "strata", "integrity"],
            &["absence_assertions", "producer", "as_of"],
        )?;
        require(text(value, "profile")? == PROFILE)?;
        let subject = closed(
            value.get("subject").ok_or(Fault::Shape)?,
            &["kind", "ref"],
            &["digest"],
        )?;
        text(subject, "kind")?;
        text(subject, "ref")?;
        if let Some(bound) = subject.get("digest") {
            closed(bound, &["algorithm", "value"], &[])?;
            text(bound, "algorithm")?;
            digest(Some(text(bound, "value")?))?;
        }
        if let Some(producer) = value.get("producer") {
            closed(producer, &[], &["name", "version", "policy"])?;
            for key in ["name", "version", "policy"] {
                optional(producer, key)?;
            }
        }
        optional(value, "as_of")?;
        let integrity = closed(
            value.get("integrity").ok_or(Fault::Shape)?,
            &["complete", "statement"],
            &["uncapped_verdict", "capped_to", "unaccounted"],
        )?;
        let Some(Json::Bool(complete)) = integrity.get("complete") else {
            return Err(Fault::Shape);
        };
        text(integrity, "statement")?;
        nullable(integrity, "uncapped_verdict")?;
        let strata: Vec<_> = list(value, "strata")?
            .iter()
            .map(Stratum::read)
            .collect::<Shape<_>>()?;
        require(!strata.is_empty())?;
        let assertions = list(value, "absence_assertions")?
            .iter()
            .map(|row| {
                closed(row, &["assertion", "stratum"], &["qualifier"])?;
                text(row, "assertion")?;
                optional(row, "qualifier")?;
                text(row, "stratum")
            })
            .collect::<Shape<_>>()?;
        Ok(Self {
            strata,
            assertions,
            complete: *complete,
            capped_to: nullable(integrity, "capped_to")?,
        })
    }

    /// R0–R8; which one fails first is one reason (§10).
    fn keeps_the_rules(&self) -> bool {
        let mut ids = BTreeSet::new();
        let unique = self
            .strata
            .iter()
            .all(|stratum| !stratum.id.is_empty() && ids.insert(stratum.id));
        let incomplete = self
            .strata
            .iter()
            .flat_map(|stratum| &stratum.unexamined)
            .any(|row| is_incomplete(row.disposition));
        let capped = self.capped_to.is_some_and(|to| !to.is_empty());
        unique
            && self.strata.iter().all(Stratum::keeps_the_rules)
            && self.assertions.iter().all(|cited| ids.contains(cited))
            && !(incomplete && self.complete)
            && (self.complete || capped)
            && self
                .strata
                .iter()
                .all(|stratum| stratum.supports > 0 || !self.assertions.contains(&stratum.id))
    }
}

impl<'v> Stratum<'v> {
    fn read(value: &'v Json<'_>) -> Shape<Self> {
        closed(
            value,
            &[
                "id",
                "population",
                "basis",
                "eligible",
                "examined",
                "unexamined",
            ],
            &["supports"],
        )?;
        let id = text(value, "id")?;
        let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        require(id.bytes().next().is_some_and(word))?;
        require(
            id.bytes()
                .all(|byte| word(byte) || matches!(byte, b'.' | b'_' | b'-')),
        )?;
        text(value, "population")?;
        let basis = closed(
            value.get("basis").ok_or(Fault::Shape)?,
            &["kind"],
            &[
                "catalogue_digest",
                "catalogue_version",
                "enumeration_method",
                "note",
            ],
        )?;
        for key in ["catalogue_version", "note"] {
            optional(basis, key)?;
        }
        let kind = text(basis, "kind")?;
        require(["catalogue", "enumeration", "declared"].contains(&kind))?;
        require(matches!(value.get("unexamined"), Some(Json::Array(_))))?;
        let unexamined = list(value, "unexamined")?
            .iter()
            .map(Unexamined::read)
            .collect::<Shape<_>>()?;
        let supports = list(value, "supports")?;
        require(supports.iter().all(|class| class.as_str().is_some()))?;
        Ok(Self {
            id,
            basis: kind,
            catalogue_digest: digest(optional(basis, "catalogue_digest")?)?,
            enumeration_method: optional(basis, "enumeration_method")?,
            eligible: count(value, "eligible")?,
            examined: count(value, "examined")?,
            unexamined,
            supports: supports.len(),
        })
    }

    /// R1–R5.
    fn keeps_the_rules(&self) -> bool {
        let accounted = u64::try_from(self.unexamined.len())
            .ok()
            .and_then(|rest| self.examined.checked_add(rest));
        let rows = self.unexamined.iter().all(|row| {
            !row.unit.is_empty() && (row.disposition != "withheld" || row.withheld_digest.is_some())
        });
        let basis = match self.basis {
            "catalogue" => self.catalogue_digest.is_some(),
            "enumeration" => self
                .enumeration_method
                .is_some_and(|method| !method.is_empty()),
            _ => true,
        };
        accounted == Some(self.eligible) && rows && basis && self.examined <= self.eligible
    }
}

impl<'v> Unexamined<'v> {
    fn read(value: &'v Json<'_>) -> Shape<Self> {
        closed(
            value,
            &["unit", "disposition"],
            &["detail", "withheld_digest"],
        )?;
        optional(value, "detail")?;
        let disposition = text(value, "disposition")?;
        let known =
            Disposition::parse(disposition).is_some_and(|known| known != Disposition::Examined);
        require(known)?;
        Ok(Self {
            unit: text(value, "unit")?,
            disposition,
            withheld_digest: digest(optional(value, "withheld_digest")?)?,
        })
    }
}

/// The dispatched accounting: whether nothing is failed, exhausted or unavailable.
pub(crate) fn is_complete(units: &[Unit<'_>]) -> bool {
    units
        .iter()
        .all(|unit| !is_incomplete(unit.disposition.token()))
}

/// The canonical text of the document this profile generates from units and
/// claim decisions; `None` when no surface is present.
pub(crate) fn generate(
    present: SurfaceSet,
    units: &[Unit<'_>],
    claims: &[Claim],
) -> Option<String> {
    if present.is_empty() {
        return None;
    }
    let mut writer = Writer::new();
    writer.begin_object();
    let supported: Vec<&Claim> = claims
        .iter()
        .filter(|claim| {
            claim.kind == ClaimKind::BoundedNegative && claim.decision == Decision::Supported
        })
        .collect();
    if !supported.is_empty() {
        writer.key("absence_assertions");
        writer.begin_array();
        for claim in supported {
            writer.element();
            writer.begin_object();
            writer.key("assertion");
            writer.token(&claim.id);
            writer.key("stratum");
            writer.string(claim.surface.name());
            writer.end_object();
        }
        writer.end_array();
    }
    let complete = is_complete(units);
    writer.key("integrity");
    writer.begin_object();
    writer.key("capped_to");
    if complete {
        writer.canonical("null");
    } else {
        writer.string("incomplete");
    }
    writer.key("complete");
    writer.boolean(complete);
    writer.key("statement");
    writer.string("accounting of selected supplied records");
    writer.end_object();
    writer.key("profile");
    writer.string(PROFILE);
    writer.key("strata");
    writer.begin_array();
    for surface in present.iter() {
        writer.element();
        write_stratum(&mut writer, surface, units);
    }
    writer.end_array();
    writer.key("subject");
    writer.begin_object();
    writer.key("kind");
    writer.string("collection");
    writer.key("ref");
    writer.string("incident-selected-inputs");
    writer.end_object();
    writer.end_object();
    Some(writer.into_text())
}

fn write_stratum(writer: &mut Writer, surface: Surface, units: &[Unit<'_>]) {
    let rows = || units.iter().filter(move |unit| unit.surface == surface);
    let examined = rows()
        .filter(|unit| unit.disposition == Disposition::Examined)
        .count();
    writer.begin_object();
    writer.key("basis");
    writer.begin_object();
    writer.key("enumeration_method");
    writer.string("incident-v1-digest-locator-enumeration");
    writer.key("kind");
    writer.string("enumeration");
    writer.end_object();
    writer.key("eligible");
    writer.canonical(&rows().count().to_string());
    writer.key("examined");
    writer.canonical(&examined.to_string());
    writer.key("id");
    writer.string(surface.name());
    writer.key("population");
    writer.string("retained supplied records");
    writer.key("supports");
    writer.begin_array();
    for class in SUPPORTS {
        writer.element();
        writer.string(class);
    }
    writer.end_array();
    writer.key("unexamined");
    writer.begin_array();
    // Units ascend by id, so these do.
    for unit in rows().filter(|unit| unit.disposition != Disposition::Examined) {
        writer.element();
        writer.begin_object();
        writer.key("disposition");
        writer.string(unit.disposition.token());
        writer.key("unit");
        writer.token(&unit.id);
        if let Some(digest) = &unit.withheld_digest {
            writer.key("withheld_digest");
            writer.token(digest);
        }
        writer.end_object();
    }
    writer.end_array();
    writer.end_object();
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "6b79921c1021c5ba3e32b5cb5a739c0f7374ba16e0e4f9324b00b0aa485e0985";

    /// The CAP-1 document of Example A2 with one withheld unit.
    fn document() -> String {
        format!(
            r#"{{"integrity":{{"capped_to":null,"complete":true,"statement":"s"}},"profile":"cap/1","strata":[{{"basis":{{"enumeration_method":"m","kind":"enumeration"}},"eligible":2,"examined":1,"id":"transcript_join","population":"p","supports":["bounded_negative"],"unexamined":[{{"disposition":"withheld","unit":"{UNIT}","withheld_digest":"{UNIT}"}}]}}],"subject":{{"kind":"collection","ref":"r"}}}}"#
        )
    }

    #[test]
    fn schema_faults() {
        assert_eq!(check(&document()), Ok(()));
        for (from, to) in [
            (r#""profile":"cap/1""#, r#""profile":"cap/2""#),
            (r#""profile":"cap/1""#, r#""profile":"cap/1","extra":1"#),
            (r#""eligible":2"#, r#""eligible":-2"#),
            (r#""eligible":2"#, r#""eligible":2.0"#),
            (r#""eligible":2,"#, ""),
            (r#""id":"transcript_join""#, r#""id":"transcript join""#),
            (r#""id":"transcript_join""#, r#""id":"""#),
            (r#""kind":"enumeration""#, r#""kind":"guess""#),
            (r#""disposition":"withheld""#, r#""disposition":"examined""#),
            (r#""disposition":"withheld""#, r#""disposition":"lost""#),
            (r#""statement":"s""#, r#""statement":null"#),
            (r#""complete":true"#, r#""complete":1"#),
            (r#""supports":["bounded_negative"]"#, r#""supports":[1]"#),
            (
                r#""subject":{"kind":"collection","ref":"r"}"#,
                r#""subject":{"kind":"collection"}"#,
            ),
        ] {
            assert!(document().contains(from), "{from}");
            assert_eq!(
                check(&document().replacen(from, to, 1)),
                Err(Reason::Cap1Shape),
                "{from} -> {to}"
            );
        }
        let digest = format!(r#""withheld_digest":"{UNIT}""#);
        for value in ["null", "\"abc\"", &format!("\"{}\"", UNIT.to_uppercase())] {
            let changed = document().replace(&digest, &format!(r#""withheld_digest":{value}"#));
            assert_eq!(check(&changed), Err(Reason::Cap1Shape), "{value}");
        }
        assert_eq!(check("null"), Err(Reason::Cap1Shape));
    }

    #[test]
    fn rule_faults() {
        let digest = format!(r#","withheld_digest":"{UNIT}""#);
        let stratum = document();
        let (start, end) = (
            stratum.find("[{\"basis\"").unwrap() + 1,
            stratum.find("],\"subject\"").unwrap(),
        );
        let row = stratum.get(start..end).unwrap().to_owned();
        let assertion = |stratum: &str| {
            format!(
                r#"{{"absence_assertions":[{{"assertion":"a","stratum":"{stratum}"}}],"integrity""#
            )
        };
        for (rule, from, to) in [
            ("R0", row.as_str(), format!("{row},{row}")),
            ("R1", r#""eligible":2"#, r#""eligible":3"#.to_owned()),
            (
                "R2",
                &format!(r#""unit":"{UNIT}""#),
                r#""unit":"""#.to_owned(),
            ),
            ("R3", &digest, String::new()),
            (
                "R4",
                r#""kind":"enumeration""#,
                r#""kind":"catalogue""#.to_owned(),
            ),
            ("R4", r#""enumeration_method":"m","#, String::new()),
            (
                "R5",
                r#""eligible":2,"examined":1"#,
                r#""eligible":0,"examined":1"#.to_owned(),
            ),
            ("R6", r#"{"integrity""#, assertion("filesystem")),
            (
                "R7",
                r#""disposition":"withheld""#,
                r#""disposition":"failed""#.to_owned(),
            ),
            ("R7", r#""complete":true"#, r#""complete":false"#.to_owned()),
            (
                "R7",
                r#""capped_to":null,"complete":true"#,
                r#""capped_to":"","complete":false"#.to_owned(),
            ),
        ] {
            assert!(document().contains(from), "{rule} {from}");
            assert_eq!(
                check(&document().replacen(from, &to, 1)),
                Err(Reason::Cap1Rules),
                "{rule}"
            );
        }
        let cited = document().replacen(r#"{"integrity""#, &assertion("transcript_join"), 1);
        assert_eq!(check(&cited), Ok(()));
        let unsupported = cited.replace(r#""supports":["bounded_negative"]"#, r#""supports":[]"#);
        assert_eq!(check(&unsupported), Err(Reason::Cap1Rules), "R8");
    }
}

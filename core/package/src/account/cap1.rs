//! CAP-1: the schema's constraints, R0–R8, and the document this profile
//! generates (§6, foreign shapes §8).

use std::borrow::Cow;
use std::collections::BTreeSet;

use attest_canon::jcs::Writer;

use crate::document::{Claim, ClaimKind, Decision, Disposition, Unit};
use crate::grammar::{Surface, SurfaceSet};
use crate::json::{Bounds, Fault, Strict};
use crate::reason::Reason;

const PROFILE: &str = "cap/1";
const SUPPORTS: [&str; 3] = ["positive_presence", "bounded_negative", "exhaustive_set"];

/// Whether a disposition leaves the accounting incomplete (R7).
fn is_incomplete(disposition: Disposition) -> bool {
    matches!(
        disposition,
        Disposition::Failed | Disposition::ResourceExhausted | Disposition::Unavailable
    )
}

/// Checks a recorded document, admitted already: first the schema, then R0–R8
/// in number order.
pub(crate) fn check(text: &str) -> Result<(), Reason> {
    let mut reader = Strict::new(text, Bounds::admitted());
    let document = Document::read(&mut reader).map_err(|_| Reason::Cap1Shape)?;
    if document.keeps_the_rules() {
        Ok(())
    } else {
        Err(Reason::Cap1Rules)
    }
}

type Text<'v> = Cow<'v, str>;

struct Unexamined<'v> {
    unit: Text<'v>,
    disposition: Disposition,
    withheld_digest: bool,
}

#[derive(Default)]
struct Basis<'v> {
    kind: Option<Text<'v>>,
    catalogue_digest: bool,
    enumeration_method: Option<Text<'v>>,
}

struct Stratum<'v> {
    id: Text<'v>,
    basis: Basis<'v>,
    eligible: u64,
    examined: u64,
    unexamined: Vec<Unexamined<'v>>,
    supports: usize,
}

struct Document<'v> {
    strata: Vec<Stratum<'v>>,
    /// Strata that absence assertions cite.
    assertions: BTreeSet<Text<'v>>,
    complete: bool,
    capped_to: Option<Text<'v>>,
}

type Shape<T> = Result<T, Fault>;

fn need<T>(member: Option<T>) -> Shape<T> {
    member.ok_or(Fault::Shape)
}

fn require(holds: bool) -> Shape<()> {
    if holds { Ok(()) } else { Err(Fault::Shape) }
}

/// `^[0-9a-f]{32,128}$`
fn digest(reader: &mut Strict<'_>) -> Shape<()> {
    let text = reader.string()?;
    let hex = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    require(hex && (32..=128).contains(&text.len()))
}

/// `^[a-z0-9][a-z0-9._-]*$`
fn stratum_id<'v>(reader: &mut Strict<'v>) -> Shape<Text<'v>> {
    let id = reader.string()?;
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    require(id.bytes().next().is_some_and(word))?;
    require(
        id.bytes()
            .all(|byte| word(byte) || matches!(byte, b'.' | b'_' | b'-')),
    )?;
    Ok(id)
}

/// A closed object of strings, all of `required` in it.
fn strings(reader: &mut Strict<'_>, required: &[&str], optional: &[&str]) -> Shape<()> {
    let mut seen = 0usize;
    reader.object(|reader, key| {
        if required.contains(&key) {
            seen = seen.saturating_add(1);
        } else {
            require(optional.contains(&key))?;
        }
        reader.string().map(drop)
    })?;
    require(seen == required.len())
}

fn list<'v, T>(
    reader: &mut Strict<'v>,
    read: impl Fn(&mut Strict<'v>) -> Shape<T>,
) -> Shape<Vec<T>> {
    let mut rows = Vec::new();
    reader.array(|reader, _| {
        rows.push(read(reader)?);
        Ok(())
    })?;
    Ok(rows)
}

impl<'v> Document<'v> {
    fn read(reader: &mut Strict<'v>) -> Shape<Self> {
        let (mut profile, mut subject, mut strata, mut integrity) = (None, None, None, None);
        let mut assertions = BTreeSet::new();
        reader.object(|reader, key| {
            match key {
                "profile" => profile = Some(require(reader.string()? == PROFILE)?),
                "subject" => subject = Some(read_subject(reader)?),
                "strata" => strata = Some(list(reader, Stratum::read)?),
                "integrity" => integrity = Some(read_integrity(reader)?),
                "absence_assertions" => {
                    assertions = list(reader, read_assertion)?.into_iter().collect();
                }
                "producer" => strings(reader, &[], &["name", "version", "policy"])?,
                "as_of" => drop(reader.string()?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        need(profile)?;
        need(subject)?;
        let (complete, capped_to) = need(integrity)?;
        let strata: Vec<_> = need(strata)?;
        require(!strata.is_empty())?;
        Ok(Self {
            strata,
            assertions,
            complete,
            capped_to,
        })
    }

    /// R0–R8; which one fails first is one reason (§10).
    fn keeps_the_rules(&self) -> bool {
        let mut ids = BTreeSet::new();
        let unique = self
            .strata
            .iter()
            .all(|stratum| !stratum.id.is_empty() && ids.insert(&stratum.id));
        let incomplete = self
            .strata
            .iter()
            .flat_map(|stratum| &stratum.unexamined)
            .any(|row| is_incomplete(row.disposition));
        let capped = self.capped_to.as_ref().is_some_and(|to| !to.is_empty());
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

fn read_subject(reader: &mut Strict<'_>) -> Shape<()> {
    let (mut kind, mut reference) = (None, None);
    reader.object(|reader, key| {
        match key {
            "kind" => kind = Some(reader.string().map(drop)?),
            "ref" => reference = Some(reader.string().map(drop)?),
            "digest" => read_digest(reader)?,
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    need(kind).and(need(reference))
}

fn read_digest(reader: &mut Strict<'_>) -> Shape<()> {
    let (mut algorithm, mut value) = (None, None);
    reader.object(|reader, key| {
        match key {
            "algorithm" => algorithm = Some(reader.string().map(drop)?),
            "value" => value = Some(digest(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    need(algorithm).and(need(value))
}

/// Whether it is complete, and what it is capped to.
fn read_integrity<'v>(reader: &mut Strict<'v>) -> Shape<(bool, Option<Text<'v>>)> {
    let (mut complete, mut statement, mut capped_to) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "complete" => complete = Some(reader.boolean()?),
            "statement" => statement = Some(reader.string().map(drop)?),
            "capped_to" => capped_to = reader.nullable_string()?,
            "uncapped_verdict" => drop(reader.nullable_string()?),
            "unaccounted" => drop(reader.skip()?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    need(statement)?;
    Ok((need(complete)?, capped_to))
}

/// The stratum an absence assertion cites.
fn read_assertion<'v>(reader: &mut Strict<'v>) -> Shape<Text<'v>> {
    let (mut assertion, mut stratum) = (None, None);
    reader.object(|reader, key| {
        match key {
            "assertion" => assertion = Some(reader.string().map(drop)?),
            "stratum" => stratum = Some(reader.string()?),
            "qualifier" => drop(reader.string()?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    need(assertion)?;
    need(stratum)
}

impl<'v> Basis<'v> {
    fn read(reader: &mut Strict<'v>) -> Shape<Self> {
        let mut basis = Self::default();
        reader.object(|reader, key| {
            match key {
                "kind" => basis.kind = Some(reader.string()?),
                "catalogue_digest" => {
                    digest(reader)?;
                    basis.catalogue_digest = true;
                }
                "enumeration_method" => basis.enumeration_method = Some(reader.string()?),
                "catalogue_version" | "note" => drop(reader.string()?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        let known = ["catalogue", "enumeration", "declared"];
        require(
            basis
                .kind
                .as_deref()
                .is_some_and(|kind| known.contains(&kind)),
        )?;
        Ok(basis)
    }

    /// R4.
    fn is_justified(&self) -> bool {
        match self.kind.as_deref() {
            Some("catalogue") => self.catalogue_digest,
            Some("enumeration") => self
                .enumeration_method
                .as_ref()
                .is_some_and(|method| !method.is_empty()),
            _ => true,
        }
    }
}

impl<'v> Stratum<'v> {
    fn read(reader: &mut Strict<'v>) -> Shape<Self> {
        let (mut id, mut population, mut basis) = (None, None, None);
        let (mut eligible, mut examined, mut unexamined) = (None, None, None);
        let mut supports = 0usize;
        reader.object(|reader, key| {
            match key {
                "id" => id = Some(stratum_id(reader)?),
                "population" => population = Some(reader.string().map(drop)?),
                "basis" => basis = Some(Basis::read(reader)?),
                "eligible" => eligible = Some(reader.count()?),
                "examined" => examined = Some(reader.count()?),
                "unexamined" => unexamined = Some(list(reader, Unexamined::read)?),
                "supports" => reader.array(|reader, at| {
                    supports = at.saturating_add(1);
                    reader.string().map(drop)
                })?,
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        need(population)?;
        Ok(Self {
            id: need(id)?,
            basis: need(basis)?,
            eligible: need(eligible)?,
            examined: need(examined)?,
            unexamined: need(unexamined)?,
            supports,
        })
    }

    /// R1–R5.
    fn keeps_the_rules(&self) -> bool {
        let accounted = u64::try_from(self.unexamined.len())
            .ok()
            .and_then(|rest| self.examined.checked_add(rest));
        let rows = self.unexamined.iter().all(|row| {
            !row.unit.is_empty()
                && (row.disposition != Disposition::Withheld || row.withheld_digest)
        });
        accounted == Some(self.eligible)
            && rows
            && self.basis.is_justified()
            && self.examined <= self.eligible
    }
}

impl<'v> Unexamined<'v> {
    fn read(reader: &mut Strict<'v>) -> Shape<Self> {
        let (mut unit, mut disposition, mut withheld_digest) = (None, None, false);
        reader.object(|reader, key| {
            match key {
                "unit" => unit = Some(reader.string()?),
                "disposition" => disposition = Some(Disposition::read(reader)?),
                "detail" => drop(reader.string()?),
                "withheld_digest" => {
                    digest(reader)?;
                    withheld_digest = true;
                }
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        let disposition = need(disposition)?;
        require(disposition != Disposition::Examined)?;
        Ok(Self {
            unit: need(unit)?,
            disposition,
            withheld_digest,
        })
    }
}

/// The dispatched accounting: whether nothing is failed, exhausted or unavailable.
pub(crate) fn is_complete(units: &[Unit<'_>]) -> bool {
    units.iter().all(|unit| !is_incomplete(unit.disposition))
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

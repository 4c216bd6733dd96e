//! The spec file of `package build` and `package export`: what the command line
//! does not say about its inputs. A closed JSON object, every member optional:
//!
//! ```text
//! {"bindings":     {ID: {"attestation_input"?: ID, "bundle_input": ID, "key_input": ID}},
//!  "claims":       [{"evidence_refs": [REF], "id": ID, "kind", "proposition": ID, "surface"}],
//!  "dispositions": [{"disposition", "input_id": ID, "locator"?}],
//!  "facts":        {KIND: {"reason", "refs"?: [REF], "value"?}},
//!  "joins":        [{"evidence_refs"?: [REF], "id": ID, "join_key", "left": REF, "notes"?: [TEXT],
//!                    "proposition": {"expected", "kind", "left_pointer", "right_pointer", "surface"},
//!                    "right"?: REF, "scope"}],
//!  "surfaces":     {ID: [SURFACE]}}
//! ```
//!
//! `REF` is `{"input_id": ID, "locator"}`; digests are those of the inputs read.
//! A disposition is `inline`, `reference`, or one of the contract's (§6) but
//! `examined`; without a locator it is for every record of its input.

use std::collections::BTreeMap;

use attest_canon::Digest;
use attest_canon::json::Kind;
use attest_grading::model::decode::Slot;
use attest_grading::model::problem::{ProblemKind, Problems};
use attest_grading::model::{Decoder, Read};
use attest_package::build::{ClaimSpec, JoinSpec, Treatment, TreatmentRule};
use attest_package::document::{
    Binding, ClaimKind, Disposition, Fact, FactKind, FactReason, Facts, JoinKey, Proposition,
    PropositionKind, Scalar, Scope,
};
use attest_package::grammar::{Id, Ref, Surface, SurfaceSet};

/// The longest text of a spec file, in characters: what a package's string may
/// take at most (contract §8).
const TEXT: usize = 64 << 10;

/// A spec file's content, its references bound to the inputs.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Bindings, by the attestation or report they are of.
    pub bindings: BTreeMap<Id, Binding>,
    /// Declared surfaces, by input.
    pub surfaces: BTreeMap<Id, SurfaceSet>,
    /// Dispositions.
    pub treatments: Vec<TreatmentRule>,
    /// Facts the inventory states; none when the file holds none.
    pub facts: Option<Facts>,
    /// Joins.
    pub joins: Vec<JoinSpec>,
    /// Claims.
    pub claims: Vec<ClaimSpec>,
}

impl Spec {
    /// Reads a spec file for these inputs.
    ///
    /// # Errors
    ///
    /// Every problem, each with its path.
    pub fn read(text: &str, inputs: &BTreeMap<Id, Digest>) -> Result<Self, Problems> {
        let reading = Reading { inputs };
        Decoder::read_document(text, |d| reading.spec(d))
    }
}

/// Reads a closed object: each member by its reader, every other noted.
macro_rules! members {
    ($d:ident, { $($key:literal => $slot:ident = $read:expr),+ $(,)? }) => {
        $(let mut $slot = Slot::Absent;)+
        if $d.begin_object()?.is_none() {
            return Ok(None);
        }
        while let Some(key) = $d.reader().next_key()? {
            match key.as_ref() {
                $($key => $slot.fill($d, $read)?,)+
                _ => $d.unknown_member()?,
            }
        }
    };
}

/// Reads a token of one of the contract's closed sets.
macro_rules! token {
    ($set:ident, $what:literal) => {
        |d: &mut Decoder<'_>| d.parsed($what, $set::parse)
    };
}

struct Reading<'i> {
    inputs: &'i BTreeMap<Id, Digest>,
}

impl Reading<'_> {
    fn spec(&self, d: &mut Decoder<'_>) -> Read<Spec> {
        members!(d, {
            "bindings" => bindings = |d| self.by_input(d, |d| self.binding(d)),
            "claims" => claims = |d| d.any_list(|d| self.claim(d)),
            "dispositions" => treatments = |d| d.any_list(|d| self.treatment(d)),
            "facts" => facts = |d| self.facts(d),
            "joins" => joins = |d| d.any_list(|d| self.join(d)),
            "surfaces" => surfaces = |d| self.by_input(d, surface_set),
        });
        let bindings = bindings.defaulted(d, "bindings");
        let claims = claims.defaulted(d, "claims");
        let treatments = treatments.defaulted(d, "dispositions");
        let facts = facts.optional(d, "facts");
        let joins = joins.defaulted(d, "joins");
        let surfaces = surfaces.defaulted(d, "surfaces");
        Ok((|| {
            Some(Spec {
                bindings: bindings?,
                surfaces: surfaces?,
                treatments: treatments?,
                facts: facts?,
                joins: joins?,
                claims: claims?,
            })
        })())
    }

    /// A map filed under inputs' ids.
    fn by_input<T>(
        &self,
        d: &mut Decoder<'_>,
        mut read: impl FnMut(&mut Decoder<'_>) -> Read<T>,
    ) -> Read<BTreeMap<Id, T>> {
        let mut map = BTreeMap::new();
        let whole = d.map(|d, key| {
            let id = self.known(key);
            if id.is_none() {
                d.note(ProblemKind::MustBe("filed under the id of an input"));
            }
            let value = read(d)?;
            Ok(id.zip(value).map(|(id, value)| {
                map.insert(id, value);
            }))
        })?;
        Ok(whole.map(|()| map))
    }

    fn known(&self, text: &str) -> Option<Id> {
        Id::parse(text).filter(|id| self.inputs.contains_key(id))
    }

    fn input(&self, d: &mut Decoder<'_>) -> Read<Id> {
        d.parsed("the id of an input", |text| self.known(text))
    }

    fn reference(&self, d: &mut Decoder<'_>) -> Read<Ref> {
        members!(d, {
            "input_id" => input_id = |d| self.input(d),
            "locator" => locator = text,
        });
        let input_id = input_id.required(d, "input_id");
        let locator = locator.required(d, "locator");
        Ok(input_id.zip(locator).and_then(|(input_id, locator)| {
            Some(Ref {
                sha256: *self.inputs.get(&input_id)?,
                input_id,
                locator,
            })
        }))
    }

    fn references(&self, d: &mut Decoder<'_>) -> Read<Vec<Ref>> {
        d.any_list(|d| self.reference(d))
    }

    fn binding(&self, d: &mut Decoder<'_>) -> Read<Binding> {
        members!(d, {
            "attestation_input" => attestation = |d| self.input(d),
            "bundle_input" => bundle = |d| self.input(d),
            "key_input" => key = |d| self.input(d),
        });
        let attestation_input = attestation.optional(d, "attestation_input");
        let bundle_input = bundle.required(d, "bundle_input");
        let key_input = key.required(d, "key_input");
        Ok((|| {
            Some(Binding {
                bundle_input: bundle_input?,
                key_input: key_input?,
                attestation_input: attestation_input?,
            })
        })())
    }

    fn treatment(&self, d: &mut Decoder<'_>) -> Read<TreatmentRule> {
        members!(d, {
            "disposition" => treatment = |d| d.parsed("a disposition", disposition),
            "input_id" => input_id = |d| self.input(d),
            "locator" => locator = text,
        });
        let treatment = treatment.required(d, "disposition");
        let input_id = input_id.required(d, "input_id");
        let locator = locator.optional(d, "locator");
        Ok((|| {
            Some(TreatmentRule {
                input_id: input_id?,
                locator: locator?,
                treatment: treatment?,
            })
        })())
    }

    fn facts(&self, d: &mut Decoder<'_>) -> Read<Facts> {
        let mut facts = Facts::default();
        let whole = d.map(|d, key| {
            let kind = FactKind::parse(key);
            if kind.is_none() {
                d.note(ProblemKind::MustBe("filed under a kind of fact"));
            }
            let fact = self.fact(d)?;
            Ok(kind.zip(fact).map(|(kind, fact)| facts.set(kind, fact)))
        })?;
        Ok(whole.map(|()| facts))
    }

    fn fact(&self, d: &mut Decoder<'_>) -> Read<Fact> {
        members!(d, {
            "reason" => reason = token!(FactReason, "stated, not_available or not_applicable"),
            "refs" => refs = |d| self.references(d),
            "value" => value = text,
        });
        let reason = reason.required(d, "reason");
        let refs = refs.defaulted(d, "refs");
        let value = value.optional(d, "value");
        Ok((|| {
            Some(Fact {
                value: value?,
                reason: reason?,
                refs: refs?,
            })
        })())
    }

    fn join(&self, d: &mut Decoder<'_>) -> Read<JoinSpec> {
        members!(d, {
            "evidence_refs" => evidence = |d| self.references(d),
            "id" => join_id = id,
            "join_key" => join_key = token!(JoinKey, "a join key"),
            "left" => left = |d| self.reference(d),
            "notes" => notes = |d| d.any_list(text),
            "proposition" => proposed = proposition,
            "right" => right = |d| self.reference(d),
            "scope" => scope = token!(Scope, "a scope"),
        });
        let evidence = evidence.defaulted(d, "evidence_refs");
        let join_id = join_id.required(d, "id");
        let join_key = join_key.required(d, "join_key");
        let left = left.required(d, "left");
        let notes = notes.defaulted(d, "notes");
        let proposition = proposed.required(d, "proposition");
        let right = right.optional(d, "right");
        let scope = scope.required(d, "scope");
        Ok((|| {
            Some(JoinSpec {
                id: join_id?,
                left: left?,
                right: right?,
                join_key: join_key?,
                scope: scope?,
                proposition: proposition?,
                evidence: evidence?,
                notes: notes?,
            })
        })())
    }

    fn claim(&self, d: &mut Decoder<'_>) -> Read<ClaimSpec> {
        members!(d, {
            "evidence_refs" => evidence = |d| self.references(d),
            "id" => claim_id = id,
            "kind" => kind = token!(ClaimKind, "a kind of claim"),
            "proposition" => proposition = id,
            "surface" => surface = token!(Surface, "a surface"),
        });
        let evidence_refs = evidence.required(d, "evidence_refs");
        let claim_id = claim_id.required(d, "id");
        let kind = kind.required(d, "kind");
        let proposition = proposition.required(d, "proposition");
        let surface = surface.required(d, "surface");
        Ok((|| {
            Some(ClaimSpec {
                id: claim_id?,
                kind: kind?,
                surface: surface?,
                proposition: proposition?,
                evidence_refs: evidence_refs?,
            })
        })())
    }
}

fn text(d: &mut Decoder<'_>) -> Read<String> {
    Ok(d.text(TEXT)?.map(String::from))
}

fn id(d: &mut Decoder<'_>) -> Read<Id> {
    d.parsed("an id of the contract", Id::parse)
}

fn surface_set(d: &mut Decoder<'_>) -> Read<SurfaceSet> {
    let surfaces = d.any_list(token!(Surface, "a surface"))?;
    Ok(surfaces.map(|surfaces| surfaces.into_iter().collect()))
}

fn disposition(text: &str) -> Option<Treatment> {
    match text {
        "inline" => Some(Treatment::Inline),
        "reference" => Some(Treatment::Reference),
        "withheld" => Some(Treatment::Withheld),
        other => Disposition::parse(other)
            .filter(|disposition| *disposition != Disposition::Examined)
            .map(Treatment::Unexamined),
    }
}

fn proposition(d: &mut Decoder<'_>) -> Read<Proposition> {
    members!(d, {
        "expected" => expected = scalar,
        "kind" => kind = token!(PropositionKind, "a kind of proposition"),
        "left_pointer" => left = text,
        "right_pointer" => right = text,
        "surface" => surface = token!(Surface, "a surface"),
    });
    let expected = expected.required(d, "expected");
    let kind = kind.required(d, "kind");
    let left_pointer = left.required(d, "left_pointer");
    let right_pointer = right.required(d, "right_pointer");
    let surface = surface.required(d, "surface");
    Ok((|| {
        Some(Proposition {
            kind: kind?,
            left_pointer: left_pointer?,
            right_pointer: right_pointer?,
            expected: expected?,
            surface: surface?,
        })
    })())
}

fn scalar(d: &mut Decoder<'_>) -> Read<Scalar> {
    match d.reader().peek()? {
        Kind::Null => d.reader().null().map(|()| Some(Scalar::Null)),
        Kind::Bool => Ok(d.boolean()?.map(Scalar::Bool)),
        Kind::String => Ok(text(d)?.map(Scalar::Text)),
        Kind::Number => Ok(d
            .natural()?
            .and_then(|n| u64::try_from(n).ok())
            .map(Scalar::Count)),
        Kind::Array | Kind::Object => {
            d.note(ProblemKind::MustBe("a scalar"));
            d.reader().skip().map(|_| None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_canon::sha256;

    fn inputs() -> BTreeMap<Id, Digest> {
        ["log", "bundle", "key", "att"]
            .into_iter()
            .map(|id| (Id::parse(id).unwrap(), sha256(id.as_bytes())))
            .collect()
    }

    fn problems(text: &str) -> Vec<String> {
        let problems = Spec::read(text, &inputs()).unwrap_err();
        problems.list().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_member_is_read_and_bound() {
        let text = r#"{
            "bindings": {"att": {"bundle_input": "bundle", "key_input": "key"}},
            "surfaces": {"bundle": ["network", "tool_call"]},
            "dispositions": [
                {"disposition": "withheld", "input_id": "log"},
                {"disposition": "inline", "input_id": "log", "locator": "line:0:0:2"},
                {"disposition": "out_of_scope", "input_id": "bundle"}],
            "facts": {"custody": {"reason": "stated", "value": "held", "refs": [{"input_id": "key", "locator": "bytes:0:3"}]}},
            "joins": [{"id": "j", "join_key": "tool_call_id", "scope": "tool_call",
                "left": {"input_id": "log", "locator": "line:0:0:2"},
                "proposition": {"kind": "counterpart_present", "left_pointer": "/a", "right_pointer": "/b",
                    "expected": 3, "surface": "network"}}],
            "claims": [{"id": "c", "kind": "bounded_negative", "surface": "network", "proposition": "j",
                "evidence_refs": []}]
        }"#;
        let spec = Spec::read(text, &inputs()).unwrap();
        let id = |text: &str| Id::parse(text).unwrap();
        assert_eq!(spec.bindings[&id("att")].bundle_input, id("bundle"));
        assert_eq!(spec.bindings[&id("att")].attestation_input, None);
        assert!(spec.surfaces[&id("bundle")].contains(Surface::Network));
        let treatments: Vec<Treatment> = spec.treatments.iter().map(|one| one.treatment).collect();
        assert_eq!(
            treatments,
            [
                Treatment::Withheld,
                Treatment::Inline,
                Treatment::Unexamined(Disposition::OutOfScope)
            ]
        );
        assert_eq!(spec.joins[0].left.sha256, sha256(b"log"));
        assert_eq!(spec.joins[0].proposition.expected, Scalar::Count(3));
        assert_eq!(spec.claims[0].proposition, id("j"));
        let facts = spec.facts.unwrap();
        let custody = facts.get(FactKind::Custody).unwrap();
        assert_eq!(custody.value.as_deref(), Some("held"));
        assert_eq!(custody.refs[0].sha256, sha256(b"key"));
        assert!(Spec::read("{}", &inputs()).unwrap().joins.is_empty());
    }

    #[test]
    fn every_problem_has_its_path() {
        for (text, expected) in [
            ("[]", "must be an object"),
            (r#"{"other": 1}"#, "other: unknown member"),
            (
                r#"{"bindings": {"nobody": {"bundle_input": "bundle", "key_input": "key"}}}"#,
                "bindings.nobody: must be filed under the id of an input",
            ),
            (
                r#"{"bindings": {"att": {"bundle_input": "nobody", "key_input": "key"}}}"#,
                "bindings.att.bundle_input: must be the id of an input",
            ),
            (
                r#"{"bindings": {"att": {"bundle_input": "bundle"}}}"#,
                "bindings.att.key_input: missing",
            ),
            (
                r#"{"dispositions": [{"disposition": "examined", "input_id": "log"}]}"#,
                "dispositions[0].disposition: must be a disposition",
            ),
            (
                r#"{"surfaces": {"bundle": ["disk"]}}"#,
                "surfaces.bundle[0]: must be a surface",
            ),
            (
                r#"{"facts": {"weather": {"reason": "not_available"}}}"#,
                "facts.weather: must be filed under a kind of fact",
            ),
            (
                r#"{"claims": [{"id": "C", "kind": "positive_presence", "surface": "network", "proposition": "j", "evidence_refs": []}]}"#,
                "claims[0].id: must be an id of the contract",
            ),
        ] {
            assert_eq!(problems(text), [expected], "{text}");
        }
        let join = r#"{"joins": [{"id": "j", "join_key": "k", "scope": "run", "left": {"input_id": "log"},
            "proposition": {"kind": "counterpart_present", "left_pointer": "/a", "right_pointer": "/b",
            "expected": [], "surface": "network"}}]}"#;
        assert_eq!(
            problems(join),
            [
                "joins[0].join_key: must be a join key",
                "joins[0].left.locator: missing",
                "joins[0].proposition.expected: must be a scalar",
            ]
        );
        assert_eq!(problems(r#"{"joins": [], "joins": []}"#).len(), 1);
        assert_eq!(problems(r#"{"joins": ["#).len(), 1);
    }
}

//! Building a package from given inputs: the same admission and accounting as
//! verification, and the finished bytes verified before they are handed out.

use core::fmt;
use std::borrow::Cow;
use std::collections::BTreeMap;

use attest_canon::{Digest, sha256};

use crate::Dialect;
use crate::account::units::{EventsDigest, result_digest, value_into};
use crate::account::{Package, Place, cap1, claims::Gates, joins, observation, units};
use crate::container;
use crate::document::{
    Assessment, Binding, Claim, ClaimKind, ContextInput, Decision, Disclosure, Disposition, Facts,
    Input, Inventory, Join, JoinContract, JoinKey, Proposition, PropositionKind, Report, Role,
    Scope, Unit,
};
use crate::format::{self, Content, Format, Source};
use crate::grammar::{Id, Locator, Ref, Surface, SurfaceSet};
use crate::limits::{Limit, Meter};
use crate::reason::Reason;
use crate::verify::verify_under;

/// One input to package.
#[derive(Clone, Debug)]
pub struct BuildInput<'b> {
    /// Its label.
    pub id: Id,
    /// Its format; the dialect's are never written.
    pub format: Format,
    /// Its original bytes.
    pub bytes: &'b [u8],
    /// Declared surfaces; `None` declares the format's mapping, for a bundle
    /// the surfaces of its action events.
    pub surfaces: Option<SurfaceSet>,
    /// What an attestation or its report is bound to.
    pub binding: Option<Binding>,
}

/// What becomes of units whose examination succeeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// Examined, disclosed in the assessment.
    Inline,
    /// Examined, disclosed in a result document among the inputs.
    Reference,
    /// Bound by digest.
    Withheld,
    /// Not examined, for one of the dispositions of §6 that carry nothing.
    Unexamined(Disposition),
}

/// A treatment for one record, or for every record of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreatmentRule {
    /// The input.
    pub input_id: Id,
    /// The record's locator; `None` for all. A rule for one record wins.
    pub locator: Option<String>,
    /// The treatment.
    pub treatment: Treatment,
}

/// A join to evaluate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinSpec {
    /// Its id.
    pub id: Id,
    /// The left record.
    pub left: Ref,
    /// The right record. A counterpart that is not named is searched for.
    pub right: Option<Ref>,
    /// The key.
    pub join_key: JoinKey,
    /// The scope.
    pub scope: Scope,
    /// What is proposed.
    pub proposition: Proposition,
    /// Evidence besides the two sides.
    pub evidence: Vec<Ref>,
    /// Notes.
    pub notes: Vec<String>,
}

/// A claim to decide. It cites its surface's stratum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimSpec {
    /// Its id.
    pub id: Id,
    /// What it says.
    pub kind: ClaimKind,
    /// On which surface.
    pub surface: Surface,
    /// The join it rests on.
    pub proposition: Id,
    /// Its evidence.
    pub evidence_refs: Vec<Ref>,
}

/// What to package. The order of lists never matters.
#[derive(Clone, Debug, Default)]
pub struct BuildSpec<'b> {
    /// The inputs.
    pub inputs: Vec<BuildInput<'b>>,
    /// The inventory's context facts.
    pub facts: Facts,
    /// Treatments; units without one are disclosed inline.
    pub treatments: Vec<TreatmentRule>,
    /// Joins.
    pub joins: Vec<JoinSpec>,
    /// Claims.
    pub claims: Vec<ClaimSpec>,
}

/// A finished package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// The archive.
    pub archive: Vec<u8>,
    /// The canonical bytes of the context it was made under.
    pub context: Vec<u8>,
    /// The report over the finished archive: always verified.
    pub report: Report,
}

/// Why a package cannot be built: the reason its verification would give, and
/// the label of the input, join or claim at fault when there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// The reason.
    pub reason: Reason,
    /// Which label is at fault.
    pub at: Option<Id>,
    /// The report over the finished archive, when it was that which refused.
    pub report: Option<Box<Report>>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(id) => write!(f, "{id}: {}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

impl core::error::Error for BuildError {}

impl From<Reason> for BuildError {
    fn from(reason: Reason) -> Self {
        Self {
            reason,
            at: None,
            report: None,
        }
    }
}

fn at(id: &Id, reason: Reason) -> BuildError {
    BuildError {
        reason,
        at: Some(id.clone()),
        report: None,
    }
}

/// Builds and verifies a package under a context. The same specification and
/// context give the same bytes.
pub fn build(spec: &BuildSpec<'_>, context: &ContextInput) -> Result<Built, BuildError> {
    if !context.is_valid() {
        return Err(Reason::TrustInput.into());
    }
    let mut meter = Meter::new(context.limits.clone());
    let (mut inventory, sources) = declare(spec, &mut meter)?;
    let package = Package {
        inventory: &inventory,
        sources: &sources,
    };
    let (units, resolved_results) = treat(&package, spec)?;
    let observed = observation::observe(&package, context);
    let joins = evaluate(&package, &observed, spec)?;
    let claims = decide(&package, &observed, &units, &joins, spec);
    let assessment = Assessment {
        verification_context_sha256: context.digest(),
        cap1: cap1::generate(package.present(), &units, &claims).map(Cow::Owned),
        surfaces: observed.surfaces,
        units,
        joins,
        claims,
        resolved_results,
    }
    .to_bytes();
    inventory.assessment_sha256 = sha256(&assessment);
    let objects: BTreeMap<Digest, &[u8]> = spec
        .inputs
        .iter()
        .map(|input| (sha256(input.bytes), input.bytes))
        .collect();
    let objects: Vec<(Digest, &[u8])> = objects.into_iter().collect();
    let archive = container::archive(&inventory.to_bytes(), &assessment, &objects)
        .ok_or(Reason::ResourceHard)?;
    let report = verify_under(archive.as_slice(), context, Dialect::Contract);
    match report.reason {
        Some(reason) => Err(BuildError {
            reason,
            at: None,
            report: Some(Box::new(report)),
        }),
        None => Ok(Built {
            archive,
            context: context.to_bytes(),
            report,
        }),
    }
}

fn declare<'b>(
    spec: &BuildSpec<'b>,
    meter: &mut Meter,
) -> Result<(Inventory, Vec<Source<'b>>), BuildError> {
    let mut inputs: Vec<&BuildInput<'b>> = spec.inputs.iter().collect();
    inputs.sort_by(|a, b| a.id.cmp(&b.id));
    let twice = inputs
        .iter()
        .zip(inputs.iter().skip(1))
        .find(|(a, b)| a.id == b.id);
    if let Some((twice, _)) = twice {
        return Err(at(&twice.id, Reason::InputShape));
    }
    meter.limits.check_len(Limit::Inputs, inputs.len())?;
    let mut declared = Vec::new();
    let mut sources = Vec::new();
    for input in inputs {
        let refuse = |reason| at(&input.id, reason);
        if !Format::CONTRACT.contains(&input.format) {
            return Err(refuse(Reason::UnknownFormat));
        }
        let bytes = u64::try_from(input.bytes.len()).map_err(|_| refuse(Reason::ResourceHard))?;
        meter.object_bytes(bytes).map_err(refuse)?;
        let admitted = format::admit(input.format, input.bytes, meter).map_err(refuse)?;
        admitted.identity.map_err(refuse)?;
        let source = admitted.source.map_err(|_| refuse(Reason::InputShape))?;
        let mapped = match input.format {
            Format::ProxyDecision => SurfaceSet::of(&[Surface::ToolCall]),
            Format::Inspector => SurfaceSet::of(&[Surface::TranscriptJoin]),
            _ => source.surfaces(),
        };
        declared.push(Input {
            id: input.id.clone(),
            sha256: sha256(input.bytes),
            bytes,
            token: input.format.token().to_owned(),
            format: Some(input.format),
            surfaces: input.surfaces.unwrap_or(mapped),
            binding: input.binding.clone(),
        });
        sources.push(source);
    }
    let inventory = Inventory {
        assessment_sha256: Digest::from_bytes([0; 32]),
        inputs: declared,
        context: spec.facts.clone(),
    };
    Ok((inventory, sources))
}

/// The result documents' results by the unit they are about.
fn disclosed(package: &Package<'_, '_>) -> BTreeMap<Digest, Ref> {
    let mut targets = BTreeMap::new();
    for (input, source) in package.inventory.inputs.iter().zip(package.sources) {
        let Content::Results(document) = &source.content else {
            continue;
        };
        for (index, result) in (0u64..).zip(&document.results) {
            targets
                .entry(result.source.unit_id())
                .or_insert_with(|| Ref {
                    input_id: input.id.clone(),
                    sha256: input.sha256,
                    locator: Locator::Result(index).to_string(),
                });
        }
    }
    targets
}

fn treat<'a>(
    package: &Package<'_, '_>,
    spec: &BuildSpec<'_>,
) -> Result<(Vec<Unit<'a>>, Vec<Ref>), BuildError> {
    let rules: BTreeMap<(&Id, Option<&str>), Treatment> = spec
        .treatments
        .iter()
        .map(|rule| ((&rule.input_id, rule.locator.as_deref()), rule.treatment))
        .collect();
    for rule in &spec.treatments {
        let known = package
            .inventory
            .position(&rule.input_id)
            .and_then(|at| package.sources.get(at))
            .is_some_and(|source| {
                rule.locator.as_deref().is_none_or(|text| {
                    Locator::parse(text).is_some_and(|locator| source.record_at(&locator).is_some())
                })
            });
        if !known {
            return Err(at(&rule.input_id, Reason::Locator));
        }
    }
    let targets = disclosed(package);
    let mut resolved = Vec::new();
    let mut units = Vec::new();
    for eligible in units::enumerate(package) {
        let missing = || BuildError::from(Reason::Disclosure);
        let (source, record) = package.at(eligible.place).ok_or_else(missing)?;
        let input = package
            .inventory
            .inputs
            .get(eligible.place.input)
            .ok_or_else(missing)?;
        let reference = package.reference(eligible.place).ok_or_else(missing)?;
        let treatment = rules
            .get(&(&input.id, Some(reference.locator.as_str())))
            .or_else(|| rules.get(&(&input.id, None)))
            .copied()
            .unwrap_or(Treatment::Inline);
        let fresh = || {
            let mut value = String::new();
            value_into(source, record, EventsDigest::Raw, &mut value)
                .map(|()| value)
                .map_err(|fault| at(&input.id, fault.or(Reason::Disclosure)))
        };
        let (disposition, result, withheld_digest) = match treatment {
            _ if !record.examined => (Disposition::Failed, None, None),
            Treatment::Inline => {
                let inline = Disclosure::Inline {
                    operation: Cow::Owned(input.token.clone()),
                    source: reference.clone(),
                    value: Cow::Owned(fresh()?),
                };
                (Disposition::Examined, Some(inline), None)
            }
            Treatment::Reference => {
                let target = targets
                    .get(&eligible.id)
                    .ok_or_else(|| at(&input.id, Reason::Disclosure))?;
                resolved.push(target.clone());
                (
                    Disposition::Examined,
                    Some(Disclosure::Reference(target.clone())),
                    None,
                )
            }
            Treatment::Withheld => (
                Disposition::Withheld,
                None,
                Some(result_digest(input, &reference, &fresh()?)),
            ),
            Treatment::Unexamined(disposition) => (disposition, None, None),
        };
        units.push(Unit {
            id: eligible.id,
            source: reference,
            surface: record.surface.ok_or_else(missing)?,
            disposition,
            result,
            withheld_digest,
        });
    }
    resolved.sort_by(Ref::order);
    resolved.dedup();
    Ok((units, resolved))
}

fn asked<'j>(join: &'j JoinSpec, right: Option<&'j Ref>) -> joins::Question<'j> {
    joins::Question {
        left: &join.left,
        right,
        proposition: &join.proposition,
        join_key: join.join_key,
        scope: join.scope,
    }
}

fn evaluate(
    package: &Package<'_, '_>,
    observed: &observation::Observed,
    spec: &BuildSpec<'_>,
) -> Result<Vec<Join>, BuildError> {
    let mut specs: Vec<&JoinSpec> = spec.joins.iter().collect();
    specs.sort_by(|a, b| a.id.cmp(&b.id));
    let questions: Vec<_> = specs
        .iter()
        .map(|join| asked(join, join.right.as_ref()))
        .collect();
    let evaluator = joins::Evaluator::new(package, observed, &questions)?;
    let mut out = Vec::new();
    for join in specs {
        let refuse = |reason| at(&join.id, reason);
        let searched =
            join.right.is_none() && join.proposition.kind == PropositionKind::CounterpartPresent;
        let found = if searched {
            evaluator.only_match(&asked(join, None))
        } else {
            None
        };
        let right = join
            .right
            .clone()
            .or_else(|| found.and_then(|place| package.reference(place)));
        let evaluated = evaluator
            .evaluate(&asked(join, right.as_ref()))
            .map_err(refuse)?;
        let role_of = |reference: &Ref| {
            let place: Option<Place> = package.action(reference);
            place
                .map(|place| joins::role(package, place.input))
                .ok_or_else(|| refuse(Reason::Locator))
        };
        let evidence = core::iter::once(&join.left)
            .chain(&right)
            .chain(&join.evidence);
        let mut evidence_refs: Vec<String> = Vec::new();
        for reference in evidence {
            let text = format!("{}#{}", reference.input_id, reference.locator);
            if !evidence_refs.contains(&text) {
                evidence_refs.push(text);
            }
        }
        out.push(Join {
            id: join.id.clone(),
            left: join.left.clone(),
            contract: JoinContract {
                left_artifact_role: role_of(&join.left)?,
                right_artifact_role: right.as_ref().map_or(Ok(Role::ExternalReceipt), role_of)?,
                join_key: join.join_key,
                join_value: evaluated.value,
                join_grade: evaluated.grade,
                scope: join.scope,
                unique_within_scope: evaluated.unique,
                fallback_used: false,
                evidence_refs,
                notes: join.notes.clone(),
            },
            right,
            proposition: join.proposition.clone(),
            result: evaluated.result,
        });
    }
    Ok(out)
}

fn decide(
    package: &Package<'_, '_>,
    observed: &observation::Observed,
    units: &[Unit<'_>],
    joins: &[Join],
    spec: &BuildSpec<'_>,
) -> Vec<Claim> {
    let gates = Gates {
        observed,
        joins,
        complete: cap1::is_complete(units),
        present: package.present(),
    };
    let mut claims: Vec<Claim> = spec
        .claims
        .iter()
        .filter_map(|claim| {
            Some(Claim {
                id: claim.id.clone(),
                kind: claim.kind,
                surface: claim.surface,
                stratum: Id::parse(claim.surface.name())?,
                proposition: claim.proposition.clone(),
                evidence_refs: claim.evidence_refs.clone(),
                decision: Decision::Blocked,
            })
        })
        .collect();
    claims.sort_by(|a, b| a.id.cmp(&b.id));
    for claim in &mut claims {
        claim.decision = gates.decide(claim);
    }
    claims
}

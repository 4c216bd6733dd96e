//! Recorded units against the enumeration and the fresh examination (§7.2).

use std::borrow::Cow;

use super::Package;
use super::units::{Eligible, EventsDigest, result_digest, value_into};
use crate::Dialect;
use crate::document::{Disclosure, Disposition, Input, Unit};
use crate::format::{Content, Record, Source};
use crate::grammar::{Locator, Ref};
use crate::json::Fault;
use crate::reason::Reason;

/// Checks every recorded unit, in unit order, and that they are exactly the
/// enumeration. Gives the resolved result targets, in order and distinct.
pub(crate) fn check(
    package: &Package<'_, '_>,
    eligible: &[Eligible],
    units: &[Unit<'_>],
    dialect: Dialect,
) -> Result<Vec<Ref>, Reason> {
    let mut checker = Checker {
        package,
        forms: if dialect == Dialect::Assay621 {
            &[EventsDigest::Raw, EventsDigest::Prefixed]
        } else {
            &[EventsDigest::Raw]
        },
        fresh: String::new(),
        targets: Vec::new(),
    };
    if units.len() != eligible.len() {
        return Err(Reason::Disclosure);
    }
    for (unit, eligible) in units.iter().zip(eligible) {
        let checked =
            unit.id == eligible.id && checker.unit(unit, eligible).is_some_and(|holds| holds);
        if !checked {
            return Err(Reason::Disclosure);
        }
    }
    checker.targets.sort_by(Ref::order);
    checker.targets.dedup();
    Ok(checker.targets)
}

struct Checker<'c, 'p, 'a> {
    package: &'c Package<'p, 'a>,
    forms: &'static [EventsDigest],
    fresh: String,
    targets: Vec<Ref>,
}

impl Checker<'_, '_, '_> {
    /// Whether a unit holds; `None` when something it needs is not there.
    fn unit(&mut self, unit: &Unit<'_>, eligible: &Eligible) -> Option<bool> {
        let (source, record) = self.package.at(eligible.place)?;
        let input = self.package.inventory.inputs.get(eligible.place.input)?;
        // Equal unit ids bind input, digest and locator.
        if unit.source.unit_id() != unit.id || Some(unit.surface) != record.surface {
            return Some(false);
        }
        // What cannot be examined is failed, and nothing else (§4).
        if !record.examined && unit.disposition != Disposition::Failed {
            return Some(false);
        }
        match (unit.disposition, &unit.result, &unit.withheld_digest) {
            (Disposition::Examined, Some(disclosure), None) => match disclosure {
                Disclosure::Inline {
                    operation,
                    source: stated,
                    value,
                } => {
                    let bound = operation == input.format?.token() && *stated == unit.source;
                    Some(bound && self.equals(source, record, value)?)
                }
                Disclosure::Reference(target) => {
                    self.reference(unit, target, input, source, record)
                }
            },
            (Disposition::Withheld, None, Some(digest)) => self.any_form(source, record, |fresh| {
                result_digest(input, &unit.source, fresh) == *digest
            }),
            (Disposition::Examined | Disposition::Withheld, _, _) => Some(false),
            (_, None, None) => Some(true),
            _ => Some(false),
        }
    }

    fn reference(
        &mut self,
        unit: &Unit<'_>,
        target: &Ref,
        input: &Input,
        source: &Source<'_>,
        record: &Record,
    ) -> Option<bool> {
        let (position, locator) = self.package.resolve(target)?;
        let (Locator::Result(index), Content::Results(document)) =
            (locator, &self.package.sources.get(position)?.content)
        else {
            return Some(false);
        };
        let result = document.results.get(usize::try_from(index).ok()?)?;
        if result.operation != input.format?.token() || result.source != unit.source {
            return Some(false);
        }
        let disclosed: Cow<'_, str> = Cow::Owned(result.canonical_value().ok()?);
        let holds = self.equals(source, record, &disclosed)?;
        if holds {
            self.targets.push(target.clone());
        }
        Some(holds)
    }

    /// Whether a value's canonical text is the fresh examination's. A record
    /// written canonically is compared where it stands.
    fn equals(&mut self, source: &Source<'_>, record: &Record, disclosed: &str) -> Option<bool> {
        if !matches!(source.content, Content::Bundle(_)) && source.text_of(record) == disclosed {
            return Some(true);
        }
        self.any_form(source, record, |fresh| fresh == disclosed)
    }

    fn any_form(
        &mut self,
        source: &Source<'_>,
        record: &Record,
        holds: impl Fn(&str) -> bool,
    ) -> Option<bool> {
        for form in self.forms {
            self.fresh.clear();
            let written: Result<(), Fault> = value_into(source, record, *form, &mut self.fresh);
            written.ok()?;
            if holds(&self.fresh) {
                return Some(true);
            }
        }
        Some(false)
    }
}

//! A value of a policy document with its path, and what can be asked of it.
//! Whatever is not as asked is noted and reading goes on, so that one run
//! shows all that is wrong.

use std::collections::BTreeSet;

use attest_canon::Decimal;
use attest_canon::decimal::MAX_SAFE_INTEGER;
use attest_canon::json::{Value, push_index, push_key};

use crate::model::BasisPoints;

use super::problem::{PolicyError, Refusal};

/// A value and where it stands.
pub(super) struct Spot<'v> {
    value: &'v Value<'v>,
    path: String,
}

impl<'v> Spot<'v> {
    /// The document itself.
    pub(super) const fn document(value: &'v Value<'v>) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    /// Notes a problem here.
    pub(super) fn refuse(&self, refusal: Refusal, faults: &mut PolicyError) {
        faults.note(self.path.clone(), refusal);
    }

    /// Notes a problem at a member, there or not.
    pub(super) fn refuse_member(&self, key: &str, refusal: Refusal, faults: &mut PolicyError) {
        faults.note(self.path_of(key), refusal);
    }

    fn path_of(&self, key: &str) -> String {
        let mut path = self.path.clone();
        push_key(&mut path, key);
        path
    }

    /// The members of an object in document order, whatever their keys.
    pub(super) fn entries<'s>(
        &'s self,
        faults: &mut PolicyError,
    ) -> Option<impl Iterator<Item = (&'v str, Self)> + use<'s, 'v>> {
        let Value::Object(members) = self.value else {
            self.refuse(Refusal::NotObject, faults);
            return None;
        };
        Some(members.iter().map(|(key, value)| {
            let path = self.path_of(key);
            (key.as_ref(), Self { value, path })
        }))
    }

    /// The members of a closed object, in the order of `keys`; `None` for one
    /// that is missing.
    fn members_of(&self, keys: &[&'static str], faults: &mut PolicyError) -> Vec<Option<Self>> {
        let mut found: Vec<Option<Self>> = keys.iter().map(|_| None).collect();
        let Some(entries) = self.entries(faults) else {
            return found;
        };
        for (key, member) in entries {
            match keys
                .iter()
                .position(|known| *known == key)
                .and_then(|at| found.get_mut(at))
            {
                Some(slot) => *slot = Some(member),
                None => member.refuse(Refusal::UnknownMember, faults),
            }
        }
        for (key, member) in keys.iter().zip(&found) {
            if member.is_none() {
                self.refuse_member(key, Refusal::Missing, faults);
            }
        }
        found
    }

    /// The members of a closed object with these keys.
    pub(super) fn members<const N: usize>(
        &self,
        keys: [&'static str; N],
        faults: &mut PolicyError,
    ) -> [Option<Self>; N] {
        let mut found = self.members_of(&keys, faults).into_iter();
        core::array::from_fn(|_| found.next().flatten())
    }

    /// A closed object with one member for each of `keys`, each read by `read`.
    pub(super) fn table<K: Copy, T, const N: usize>(
        &self,
        keys: &[K],
        name: impl Fn(K) -> &'static str,
        faults: &mut PolicyError,
        mut read: impl FnMut(K, &Self, &mut PolicyError) -> Option<T>,
    ) -> [Option<T>; N] {
        let names: Vec<&'static str> = keys.iter().map(|key| name(*key)).collect();
        let members = self.members_of(&names, faults);
        let mut values = keys
            .iter()
            .zip(members)
            .map(|(key, member)| member.and_then(|member| read(*key, &member, faults)));
        core::array::from_fn(|_| values.next().flatten())
    }

    /// A list of distinct elements, each read by `read`; `None` when any of
    /// them is refused. Texts are distinct as they are written.
    pub(super) fn list<T: Ord + Copy>(
        &self,
        faults: &mut PolicyError,
        mut read: impl FnMut(&Self, &mut PolicyError) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut seen = BTreeSet::new();
        self.elements(faults, |at, faults| {
            let element = read(at, faults)?;
            if !seen.insert(element) {
                at.refuse(Refusal::Repeated, faults);
                return None;
            }
            Some(element)
        })
    }

    /// A list, each element read by `read`; `None` when any of them is refused.
    pub(super) fn elements<T>(
        &self,
        faults: &mut PolicyError,
        mut read: impl FnMut(&Self, &mut PolicyError) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Value::Array(elements) = self.value else {
            self.refuse(Refusal::NotArray, faults);
            return None;
        };
        let mut values = Vec::with_capacity(elements.len());
        let mut whole = true;
        for (index, value) in elements.iter().enumerate() {
            let mut path = self.path.clone();
            push_index(&mut path, index);
            match read(&Self { value, path }, faults) {
                Some(value) => values.push(value),
                None => whole = false,
            }
        }
        whole.then_some(values)
    }

    /// What `read` makes of the value, refused when that is nothing.
    fn read<T>(
        &self,
        refusal: Refusal,
        faults: &mut PolicyError,
        read: impl FnOnce(&'v Value<'v>) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.value);
        if value.is_none() {
            self.refuse(refusal, faults);
        }
        value
    }

    /// A text of any length and content.
    pub(super) fn text(&self, faults: &mut PolicyError) -> Option<&'v str> {
        self.read(Refusal::NotText, faults, Value::as_str)
    }

    /// A text that stands for something.
    pub(super) fn word<T>(
        &self,
        refusal: Refusal,
        faults: &mut PolicyError,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(refusal, faults, |value| value.as_str().and_then(parse))
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self, faults: &mut PolicyError) -> Option<bool> {
        self.read(Refusal::NotBoolean, faults, |value| match value {
            Value::Bool(value) => Some(*value),
            _ => None,
        })
    }

    /// A number, by what `read` makes of it exactly: no number of a policy
    /// passes through binary floating point (§5.3, supplement C).
    pub(super) fn number<T>(
        &self,
        refusal: Refusal,
        faults: &mut PolicyError,
        read: impl FnOnce(Decimal) -> Option<T>,
    ) -> Option<T> {
        self.read(refusal, faults, |value| match value {
            Value::Number(lexeme) => Decimal::parse(lexeme).and_then(read),
            _ => None,
        })
    }

    /// A weight or threshold in [0, 1], in whole basis points (§5.3).
    pub(super) fn basis_points(&self, faults: &mut PolicyError) -> Option<BasisPoints> {
        self.number(Refusal::NotBasisPoints, faults, BasisPoints::from_decimal)
    }

    /// A window of whole units of `unit_ms` milliseconds, in milliseconds: at
    /// most 2^53 − 1 (§5.3).
    pub(super) fn window(&self, unit_ms: i64, faults: &mut PolicyError) -> Option<i64> {
        self.number(Refusal::NotWindow, faults, |number| {
            let count = number.as_integer().filter(|count| *count >= 0)?;
            count
                .checked_mul(unit_ms)
                .filter(|ms| *ms <= MAX_SAFE_INTEGER)
        })
    }
}

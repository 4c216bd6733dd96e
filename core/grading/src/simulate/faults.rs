//! What may go wrong in a world, and how often.

use core::fmt;
use std::collections::BTreeSet;

macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident = $text:literal,)+) => {
        /// One way in which a world is not as it should be.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Fault { $($(#[$doc])* $fault,)+ }

        impl Fault {
            /// Every fault.
            pub const ALL: &'static [Self] = &[$(Self::$fault,)+];

            /// Its name on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$fault => $text,)+ }
            }
        }
    };
}

faults! {
    /// Agents say more than they did: another recipient, a larger amount, more
    /// words.
    Exaggerate = "exaggerate",
    /// Agents claim what nobody did.
    Lie = "lie",
    /// Agents claim what another did.
    Borrow = "borrow",
    /// Agents do not claim what they did.
    Forget = "forget",
    /// Agents act unasked, mostly while the person is away.
    Unasked = "unasked",
    /// Agents say too little to be matched.
    Vague = "vague",
    /// Agents name an action by none of its words.
    Reword = "reword",
    /// Tabs are closed for hours, a day is hidden, a calendar is not shown.
    Tabs = "tabs",
    /// Pages show an earlier state, passes and claims arrive late.
    Late = "late",
    /// The person has two accounts.
    Accounts = "accounts",
    /// The wall clock jumps ahead and back, or back for good.
    Clock = "clock",
    /// A person overrides and reverts, rightly and wrongly.
    Overrides = "overrides",
    /// Grants change.
    Grants = "grants",
    /// An advisory model is asked.
    Model = "model",
}

/// Which faults a world has, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults {
    kinds: BTreeSet<Fault>,
    often: bool,
}

impl Faults {
    /// A world as it should be.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            kinds: BTreeSet::new(),
            often: false,
        }
    }

    /// Every fault, now and then.
    #[must_use]
    pub fn some() -> Self {
        Self::of(Fault::ALL.iter().copied())
    }

    /// Every fault, often.
    #[must_use]
    pub fn many() -> Self {
        Self {
            often: true,
            ..Self::some()
        }
    }

    /// These faults, now and then.
    #[must_use]
    pub fn of(kinds: impl IntoIterator<Item = Fault>) -> Self {
        Self {
            kinds: kinds.into_iter().collect(),
            often: false,
        }
    }

    /// Reads `none`, `some`, `many`, names of faults with commas between, or
    /// `many:` and names; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "none" => Some(Self::none()),
            "some" => Some(Self::some()),
            "many" => Some(Self::many()),
            list => {
                let (often, list) = match list.strip_prefix("many:") {
                    Some(list) => (true, list),
                    None => (false, list),
                };
                let named = |name: &str| Fault::ALL.iter().copied().find(|it| it.as_str() == name);
                let kinds: Option<BTreeSet<Fault>> = list.split(',').map(named).collect();
                kinds.map(|kinds| Self { kinds, often })
            }
        }
    }

    /// Every fault of the world.
    pub fn kinds(&self) -> impl Iterator<Item = Fault> + '_ {
        self.kinds.iter().copied()
    }

    /// The same without one fault.
    #[must_use]
    pub fn without(&self, fault: Fault) -> Self {
        let mut less = self.clone();
        less.kinds.remove(&fault);
        less
    }

    /// Whether the world has a fault.
    #[must_use]
    pub fn has(&self, fault: Fault) -> bool {
        self.kinds.contains(&fault)
    }

    /// How many times in a thousand a fault happens where it can, at a base
    /// rate; three times as often in a world of many faults.
    pub(super) fn per_mille(&self, fault: Fault, base: i64) -> i64 {
        match (self.has(fault), self.often) {
            (false, _) => 0,
            (true, false) => base,
            (true, true) => base.saturating_mul(3),
        }
    }
}

/// As it is read.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kinds.is_empty() {
            return f.write_str("none");
        }
        let all = self.kinds.len() == Fault::ALL.len();
        match (all, self.often) {
            (true, false) => return f.write_str("some"),
            (true, true) => return f.write_str("many"),
            (false, true) => f.write_str("many:")?,
            (false, false) => {}
        }
        let names: Vec<&str> = self.kinds().map(Fault::as_str).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_lists_are_read() {
        assert_eq!(Faults::parse("none"), Some(Faults::none()));
        assert_eq!(Faults::parse("some"), Some(Faults::some()));
        assert_eq!(Faults::parse("many"), Some(Faults::many()));
        let two = Faults::parse("lie,clock");
        assert_eq!(two, Some(Faults::of([Fault::Clock, Fault::Lie])));
        let often = Faults::many().without(Fault::Lie);
        for faults in [Faults::none(), Faults::some(), Faults::many(), often] {
            assert_eq!(Faults::parse(&faults.to_string()), Some(faults));
        }
        for text in ["", "many:", "lie,", "Lie", "lie clock", "lots"] {
            assert_eq!(Faults::parse(text), None, "{text:?}");
        }
        let all: Vec<&str> = Fault::ALL.iter().map(|fault| fault.as_str()).collect();
        assert_eq!(Faults::parse(&all.join(",")), Some(Faults::some()));
        assert_eq!(Faults::some().per_mille(Fault::Lie, 50), 50);
        assert_eq!(Faults::many().per_mille(Fault::Lie, 50), 150);
        assert_eq!(Faults::none().per_mille(Fault::Lie, 50), 0);
    }
}

//! The closed sets of supplement A, each in its table order.

/// Declares an enum whose members have one text each, and nothing else.
macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$member_doc])* $member,)+ }

        impl $name {
            /// Every member, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$member,)+];

            /// The member's text, as documents write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }

            /// The member whose text this is.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$member),)+ _ => None }
            }

            /// The member's place in table order, from 0.
            #[must_use]
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use closed_set;

closed_set! {
    /// The agents whose claims are graded.
    AgentId {
        /// `muse`
        Muse = "muse",
        /// `chatgpt`
        Chatgpt = "chatgpt",
        /// `dots`
        Dots = "dots",
        /// `claude`
        Claude = "claude",
    }
}

closed_set! {
    /// What an agent says it did, or what was seen to happen.
    ActionType {
        /// An email was sent.
        EmailSent = "email.sent",
        /// A calendar event was created.
        CalendarCreated = "calendar.created",
        /// A calendar event was changed.
        CalendarUpdated = "calendar.updated",
        /// A calendar event was deleted.
        CalendarDeleted = "calendar.deleted",
        /// Something was bought.
        PurchaseMade = "purchase.made",
        /// A subscription was changed.
        SubscriptionChanged = "subscription.changed",
        /// A listing was posted.
        ListingPosted = "listing.posted",
        /// A message was sent; no source covers it.
        MessageSent = "message.sent",
        /// Anything else; no source covers it.
        Other = "other",
    }
}

impl ActionType {
    /// Whether this is one of the `calendar.*` types.
    #[must_use]
    pub const fn is_calendar(self) -> bool {
        matches!(
            self,
            Self::CalendarCreated | Self::CalendarUpdated | Self::CalendarDeleted
        )
    }

    /// Whether this is a calendar change, which is never NOT_FOUND (§6.1).
    #[must_use]
    pub const fn is_calendar_change(self) -> bool {
        matches!(self, Self::CalendarUpdated | Self::CalendarDeleted)
    }
}

closed_set! {
    /// Where an observation was seen.
    Source {
        /// The Gmail Sent list.
        GmailSent = "gmail.sent",
        /// A Google Calendar event.
        GcalEvent = "gcal.event",
        /// A receipt mail opened in Gmail.
        GmailReceipt = "gmail.receipt",
    }
}

closed_set! {
    /// How exactly a claim's instant is known.
    Precision {
        /// To the minute.
        Minute = "minute",
        /// To the hour.
        Hour = "hour",
        /// To the day.
        Day = "day",
    }
}

closed_set! {
    /// What a receipt says (§2).
    Grade {
        /// Independent evidence matches the claim.
        Verified = "VERIFIED",
        /// Some evidence matches, not enough to verify.
        Partial = "PARTIAL",
        /// Every relevant observer saw the whole window and nothing matched.
        NotFound = "NOT_FOUND",
        /// An action no claim explains that an agent likely did.
        Unasked = "UNASKED",
        /// Outside what the person granted.
        OverScope = "OVER_SCOPE",
        /// Not enough was seen to judge.
        Unverifiable = "UNVERIFIABLE",
    }
}

closed_set! {
    /// What a rule concludes: a grade, or that it is too early (§6).
    Outcome {
        /// VERIFIED
        Verified = "VERIFIED",
        /// PARTIAL
        Partial = "PARTIAL",
        /// NOT_FOUND
        NotFound = "NOT_FOUND",
        /// UNASKED
        Unasked = "UNASKED",
        /// OVER_SCOPE
        OverScope = "OVER_SCOPE",
        /// UNVERIFIABLE
        Unverifiable = "UNVERIFIABLE",
        /// Still checking; the receipt holds UNVERIFIABLE as a placeholder (§2).
        Pending = "PENDING",
    }
}

impl Outcome {
    /// The grade a receipt with this outcome holds: PENDING's placeholder is
    /// UNVERIFIABLE, the only grade that claims nothing (§2).
    #[must_use]
    pub const fn grade(self) -> Grade {
        match self {
            Self::Verified => Grade::Verified,
            Self::Partial => Grade::Partial,
            Self::NotFound => Grade::NotFound,
            Self::Unasked => Grade::Unasked,
            Self::OverScope => Grade::OverScope,
            Self::Unverifiable | Self::Pending => Grade::Unverifiable,
        }
    }
}

closed_set! {
    /// What a person may say a receipt really is.
    OverrideGrade {
        /// It happened; on an UNASKED receipt, an agent did it.
        Verified = "VERIFIED",
        /// It did not; on an UNASKED receipt, no agent did it.
        NotFound = "NOT_FOUND",
    }
}

impl OverrideGrade {
    /// The same word as a [`Grade`].
    #[must_use]
    pub const fn grade(self) -> Grade {
        match self {
            Self::Verified => Grade::Verified,
            Self::NotFound => Grade::NotFound,
        }
    }
}

closed_set! {
    /// Where a receipt is in its life (§8).
    ReceiptState {
        /// Still checking.
        Pending = "PENDING",
        /// Decided.
        Final = "FINAL",
        /// A person said otherwise.
        UserOverridden = "USER_OVERRIDDEN",
    }
}

closed_set! {
    /// A state a receipt can return to when its override is reverted.
    BaseState {
        /// Still checking.
        Pending = "PENDING",
        /// Decided.
        Final = "FINAL",
    }
}

impl BaseState {
    /// The same word as a [`ReceiptState`].
    #[must_use]
    pub const fn state(self) -> ReceiptState {
        match self {
            Self::Pending => ReceiptState::Pending,
            Self::Final => ReceiptState::Final,
        }
    }
}

closed_set! {
    /// What speaks for an agent having done an unclaimed action (§7).
    UnaskedSignal {
        /// A session of the agent was near.
        AgentSessionActive = "agentSessionActive",
        /// The person was away.
        UserIdle = "userIdle",
        /// The agent's own words stand in the subject.
        AgentSignature = "agentSignature",
        /// An entry of the agent's log was near, and no claim explains it.
        ActivityLogAdjacent = "activityLogAdjacent",
    }
}

closed_set! {
    /// What a claim and an observation are compared by (§5.1).
    Feature {
        /// Distance in time.
        TimeProximity = "timeProximity",
        /// The same address.
        CounterpartyExact = "counterpartyExact",
        /// The same domain.
        CounterpartyDomain = "counterpartyDomain",
        /// The name stands in the address.
        CounterpartyName = "counterpartyName",
        /// Shared subject words.
        SubjectOverlap = "subjectOverlap",
        /// The same amount and currency.
        AmountExact = "amountExact",
        /// The same merchant.
        MerchantMatch = "merchantMatch",
        /// The advisory model's score; never a pair feature.
        ModelScore = "modelScore",
    }
}

closed_set! {
    /// A key of a receipt's `signals`: the features and the score (§8).
    ReceiptSignal {
        /// Distance in time.
        TimeProximity = "timeProximity",
        /// The same address.
        CounterpartyExact = "counterpartyExact",
        /// The same domain.
        CounterpartyDomain = "counterpartyDomain",
        /// The name stands in the address.
        CounterpartyName = "counterpartyName",
        /// Shared subject words.
        SubjectOverlap = "subjectOverlap",
        /// The same amount and currency.
        AmountExact = "amountExact",
        /// The same merchant.
        MerchantMatch = "merchantMatch",
        /// The advisory model's score.
        ModelScore = "modelScore",
        /// The score the rules read.
        Score = "score",
    }
}

impl Feature {
    /// The same word as a [`ReceiptSignal`].
    #[must_use]
    pub const fn signal(self) -> ReceiptSignal {
        match self {
            Self::TimeProximity => ReceiptSignal::TimeProximity,
            Self::CounterpartyExact => ReceiptSignal::CounterpartyExact,
            Self::CounterpartyDomain => ReceiptSignal::CounterpartyDomain,
            Self::CounterpartyName => ReceiptSignal::CounterpartyName,
            Self::SubjectOverlap => ReceiptSignal::SubjectOverlap,
            Self::AmountExact => ReceiptSignal::AmountExact,
            Self::MerchantMatch => ReceiptSignal::MerchantMatch,
            Self::ModelScore => ReceiptSignal::ModelScore,
        }
    }

    /// Whether the feature speaks of what was done, not only of when (§5.3).
    #[must_use]
    pub const fn is_content(self) -> bool {
        !matches!(self, Self::TimeProximity | Self::ModelScore)
    }
}

closed_set! {
    /// Why a receipt says what it says: the table of §15, in its order.
    ReasonCode {
        /// A best candidate exists.
        MatchBest = "match.best",
        /// No candidate was scored.
        MatchNone = "match.none",
        /// The addresses differ only by a +tag.
        CpPlusTag = "cp.plus_tag",
        /// The addresses may be look-alikes.
        CpConfusable = "cp.confusable",
        /// Identical addresses with look-alike characters.
        CpNonAscii = "cp.non_ascii",
        /// The claim names nothing to look for.
        ClaimTooVague = "claim.too_vague",
        /// A calendar claim without its event's time.
        ClaimNoTarget = "claim.no_target",
        /// Nothing was looked at over the window.
        CoverageNone = "coverage.none",
        /// Only part of the window was seen.
        CoveragePartial = "coverage.partial",
        /// The grant binds no account for the source.
        CoverageAccountUnbound = "coverage.account_unbound",
        /// Some calendars were not shown.
        CoverageCalendarsHidden = "coverage.calendars_hidden",
        /// A view was looked at before the claim's grace.
        CoverageChangesUnfollowed = "coverage.changes_unfollowed",
        /// A calendar change can never be ruled out.
        CoverageChangeUnprovable = "coverage.change_unprovable",
        /// The claim was stamped while the clock was wrong.
        CoverageClockRepaired = "coverage.clock_repaired",
        /// A Sent list was read before it settled.
        CoverageListUnsettled = "coverage.list_unsettled",
        /// Only several accounts' views together hold the window.
        CoverageAccountPartial = "coverage.account_partial",
        /// More than one account was seen and none is bound.
        CoverageMultipleAccounts = "coverage.multiple_accounts",
        /// A view of an unknown account.
        CoverageNoAccount = "coverage.no_account",
        /// No parser can read this merchant's receipts.
        CoverageNoParser = "coverage.no_parser",
        /// The wait ended without an answer.
        CoverageNeverCompleted = "coverage.never_completed",
        /// The grace has not been seen to end.
        GraceWaiting = "grace.waiting",
        /// The grant does not allow the type.
        ScopeTypeNotAllowed = "scope.type_not_allowed",
        /// The counterparty is not on the allowlist.
        ScopeCounterpartyNotAllowed = "scope.counterparty_not_allowed",
        /// The allowlist could not be checked.
        AllowlistUnchecked = "allowlist.unchecked",
        /// Above the spend ceiling.
        CeilingExceeded = "ceiling.exceeded",
        /// Above the ceiling together with earlier spend.
        CeilingCumulativeExceeded = "ceiling.cumulative_exceeded",
        /// Not in the ceiling's currency.
        CeilingCurrencyMismatch = "ceiling.currency_mismatch",
        /// The agent holds a permission that was not declared.
        ScopeObservedNotDeclared = "scope.observed_not_declared",
        /// A session of the agent was near.
        UnaskedSession = "unasked.session",
        /// The person was away.
        UnaskedIdle = "unasked.idle",
        /// The agent's signature was found.
        UnaskedSignature = "unasked.signature",
        /// A log entry of the agent was near.
        UnaskedAdjacent = "unasked.adjacent",
        /// A person said otherwise.
        OverrideUser = "override.user",
        /// A later claim explains the action.
        Superseded = "superseded",
    }
}

impl UnaskedSignal {
    /// The reason that names this signal (§15).
    #[must_use]
    pub const fn reason(self) -> ReasonCode {
        match self {
            Self::AgentSessionActive => ReasonCode::UnaskedSession,
            Self::UserIdle => ReasonCode::UnaskedIdle,
            Self::AgentSignature => ReasonCode::UnaskedSignature,
            Self::ActivityLogAdjacent => ReasonCode::UnaskedAdjacent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for code in ReasonCode::ALL {
            assert_eq!(ReasonCode::parse(code.as_str()), Some(*code));
        }
        for (index, source) in Source::ALL.iter().enumerate() {
            assert_eq!(source.index(), index);
        }
        assert_eq!(ActionType::parse("Email.sent"), None);
    }
}

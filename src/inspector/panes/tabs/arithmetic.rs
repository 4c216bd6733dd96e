//! *Arithmetic*: the score, as exact as it is, or what speaks for each agent.

use attest_grading::decide::Ratio;
use attest_grading::decide::attribution::AgentCase;
use attest_grading::decide::features::AddressMatch;
use attest_grading::decide::trace::{
    Because, CandidateTrace, ClaimTrace, Fate, FeatureTrace, OrphanTrace, Trace, TraceSubject,
};
use attest_grading::model::{ActionType, BasisPoints, Feature, Observation, UnaskedSignal};
use attest_grading::policy::Threshold;
use ratatui::text::Span;

use super::format::{
    Clock, amount, decimal, fraction, length, points, score as score_text, times, unit, words,
};
use super::write::Page;
use crate::inspector::text::{Align, cut_middle, fit, shown, width};
use crate::inspector::theme::Role;

/// Other candidates listed; a crowd is counted, not listed.
const MOST_CANDIDATES: usize = 100;

/// From this width on, why a feature has its value stands beside it.
const WIDE: usize = 92;

/// The cells of a bar that holds the whole score.
const BAR: usize = 16;

/// Writes the tab.
pub fn write(page: &mut Page<'_>, trace: &Trace) {
    match &trace.subject {
        TraceSubject::Claim(claim) => write_claim(page, trace, claim),
        TraceSubject::Orphan(orphan) => write_orphan(page, trace, orphan),
        TraceSubject::Scope { .. } => {
            page.text(
                Role::Muted,
                "A permission has no score: it is declared or it is not.",
            );
        }
    }
}

fn write_claim(page: &mut Page<'_>, trace: &Trace, claim: &ClaimTrace) {
    let best = claim.best.and_then(|at| claim.candidates.get(at));
    match best {
        Some(best) => write_pair(page, trace, claim, best),
        None => page.text(Role::Text, none(claim)),
    }
    write_others(page, claim);
}

/// Why there is no score.
fn none(claim: &ClaimTrace) -> &'static str {
    if claim.underspecified {
        "The claim is never scored: it names nothing that could tell one action from another."
    } else if !claim.assignable {
        "The claim is never scored: there is nothing it could be compared with."
    } else {
        "No candidate was scored: nothing in the window is free for this claim."
    }
}

/// Cells of a feature's name, and of a threshold's.
const NAME: usize = 19;
/// Cells of a weight.
const WEIGHT: usize = 6;
/// The fewest cells a bar says anything in.
const LEAST_BAR: usize = 4;

/// Where the columns of the features stand. The numbers are always whole: with less room the bars
/// are drawn to a smaller scale, then left out, and at last each feature is folded.
struct Columns {
    value: usize,
    adds: usize,
    /// The cells of a bar that holds the whole score; 0 where there is no room for bars.
    bar: usize,
    /// Whether the reason stands beside the numbers.
    beside: bool,
    /// Whether not even the numbers fit in one line.
    folded: bool,
}

impl Columns {
    fn of(page: &Page<'_>, best: &CandidateTrace) -> Self {
        let widest = |head: &str, texts: &mut dyn Iterator<Item = String>| {
            let widest = texts.map(|text| width(&text)).max().unwrap_or(0);
            widest.max(head.len())
        };
        let features = best.features.iter();
        let value = &mut features.clone().map(|one| fraction(one.value.ratio()));
        let adds = &mut features.map(|one| decimal(one.adds, page.glyphs().cut));
        let mut columns = Self {
            value: widest("value", value),
            adds: widest("adds", adds),
            bar: 0,
            beside: false,
            folded: false,
        };
        let room = page.pane.width.checked_sub(columns.numbers());
        columns.folded = room.is_none();
        columns.beside = page.pane.width >= WIDE && room.is_some_and(|room| room >= BAR + 24);
        columns.bar = room
            .and_then(|room| room.checked_sub(2))
            .map(|room| room.min(BAR))
            .filter(|bar| *bar >= LEAST_BAR)
            .unwrap_or(0);
        columns
    }

    /// The cells as far as the numbers go.
    const fn numbers(&self) -> usize {
        NAME + WEIGHT + 2 + self.value + 2 + self.adds
    }

    /// The cells as far as the bars go.
    const fn all(&self) -> usize {
        self.numbers() + 2 + self.bar
    }
}

fn write_pair(page: &mut Page<'_>, trace: &Trace, claim: &ClaimTrace, best: &CandidateTrace) {
    let look = page.look();
    let mut ids = format!(
        "claim {} {} observation {}",
        short(page, &claim.claim.id.to_string()),
        page.glyphs().times,
        short(page, &best.observation.id.to_string())
    );
    let score = best.score.map_or(Ratio::ZERO, |pair| pair.score);
    let total = score_text(score);
    let action = format!("   {}", claim.claim.action);
    if width(&ids) + width(&action) + 2 + width(&total) <= page.pane.width {
        ids.push_str(&action);
    }
    let used = width(&ids) + width(&total);
    match page.pane.width.checked_sub(used).filter(|gap| *gap >= 2) {
        Some(gap) => page.line(vec![
            look.span(Role::Muted, ids),
            Span::raw(" ".repeat(gap)),
            look.span(Role::Accent, total),
        ]),
        None => {
            page.text(Role::Muted, &ids);
            page.text(Role::Accent, &total);
        }
    }
    page.gap();

    let columns = Columns::of(page, best);
    if !columns.folded {
        let (value, adds) = (columns.value, columns.adds);
        let mut head = format!(
            "{:<NAME$}{:>WEIGHT$}  {:>value$}  {:>adds$}",
            "feature", "weight", "value", "adds"
        );
        if columns.beside {
            head.push_str(&" ".repeat(columns.all() - columns.numbers() + 2));
            head.push_str("because");
        }
        page.line(vec![look.span(Role::Muted, head)]);
    }
    for feature in &best.features {
        write_feature(page, claim, feature, &columns);
    }
    for feature in &claim.not_applicable {
        let mark = page.glyphs().not_applicable;
        let text = format!("{:<NAME$}{mark:>WEIGHT$}  not asked", feature.as_str());
        page.line(vec![look.span(Role::Muted, text)]);
    }
    let rule = page.glyphs().rule.repeat(
        page.pane
            .width
            .min(columns.all() + if columns.beside { 8 } else { 0 }),
    );
    page.line(vec![look.span(Role::Border, rule)]);
    write_sum(page, trace, claim, best);
    write_gate(page, best);
    write_raise(page, trace, claim);
    write_counterfactual(page, trace, claim);
}

fn write_feature(
    page: &mut Page<'_>,
    claim: &ClaimTrace,
    feature: &FeatureTrace,
    columns: &Columns,
) {
    let look = page.look();
    let glyphs = page.glyphs();
    let because = because(claim, feature);
    let value = fraction(feature.value.ratio());
    let adds = decimal(feature.adds, glyphs.cut);
    let role = if feature.adds.is_zero() {
        Role::Muted
    } else {
        Role::Text
    };
    if columns.folded {
        page.text(role, feature.feature.as_str());
        let weight = feature.weight.get();
        let text = format!("{weight} {} {value} = {adds}", glyphs.times);
        page.indented(2, role, &text);
        page.indented(2, Role::Muted, &because);
        return;
    }
    let name = feature.feature.as_str();
    let (value_cells, adds_cells) = (columns.value, columns.adds);
    let mut spans = vec![
        look.span(role, format!("{name:<NAME$}")),
        look.span(Role::Muted, format!("{:>WEIGHT$}", feature.weight.get())),
        look.span(role, format!("  {value:>value_cells$}")),
        look.span(
            role,
            format!("  {}", fit(&adds, adds_cells, Align::Right, glyphs.cut)),
        ),
    ];
    if columns.bar > 0 {
        let whole = u64::from(claim.total_weight);
        let part = feature.adds.numerator() / feature.adds.denominator();
        let part = u64::try_from(part).unwrap_or(whole);
        let bar = glyphs.bar(part, whole, columns.bar);
        let bar = fit(&bar, columns.bar, Align::Left, glyphs.cut);
        spans.push(look.span(Role::Bar, format!("  {bar}")));
    }
    if !columns.beside {
        page.line(spans);
        page.indented(2, Role::Muted, &because);
        return;
    }
    let from = columns.all() + 2;
    let room = page.pane.width.saturating_sub(from);
    let mut lines = crate::inspector::text::wrap(&because, room).into_iter();
    spans.push(Span::raw("  "));
    spans.push(look.span(Role::Muted, lines.next().unwrap_or_default()));
    page.line(spans);
    for line in lines {
        page.line(vec![
            Span::raw(" ".repeat(from)),
            look.span(Role::Muted, line),
        ]);
    }
}

/// Why a feature has its value.
fn because(claim: &ClaimTrace, feature: &FeatureTrace) -> String {
    match &feature.because {
        Because::Time {
            distance_ms,
            earlier,
            tolerance_ms,
            edge_ms,
        } => {
            let to = if claim.claim.action.is_calendar() {
                "the event's start"
            } else {
                unit(claim.claim.precision)
            };
            let limits = format!(
                "full to {}, none at {}",
                length(*tolerance_ms),
                length(*edge_ms)
            );
            if *distance_ms == 0 {
                format!("inside {to}; {limits}")
            } else {
                let side = if *earlier { "before" } else { "after" };
                format!("{} {side} {to}; {limits}", length(*distance_ms))
            }
        }
        Because::Address {
            found,
            common_domain,
        } => address(
            feature.feature,
            *found,
            *common_domain,
            !feature.adds.is_zero(),
        )
        .to_owned(),
        Because::Words { claim, row, equal } => match feature.feature {
            Feature::CounterpartyName => {
                format!("{} in the address's {}", words(claim), words(row))
            }
            Feature::MerchantMatch if *equal => format!("both read {}", words(claim)),
            _ => format!("{} and {}", words(claim), words(row)),
        },
        Because::Amount { claim, row } => format!("{} and {}", amount(*claim), amount(*row)),
    }
}

const fn address(
    feature: Feature,
    found: AddressMatch,
    common: bool,
    counts: bool,
) -> &'static str {
    match (feature, found) {
        (_, AddressMatch::NoAddress) => "the row names no address",
        (Feature::CounterpartyDomain, _) if counts => "the domains are identical",
        (Feature::CounterpartyDomain, _) if common => "the domain is one that many people share",
        (Feature::CounterpartyDomain, AddressMatch::Confusable) => {
            "one of them could be a look-alike"
        }
        (Feature::CounterpartyDomain, _) => "the domains differ",
        (_, AddressMatch::Identical) => "the addresses are identical",
        (_, AddressMatch::IdenticalConfusable) => {
            "identical, with characters that have look-alikes"
        }
        (_, AddressMatch::Confusable) => "not identical, and one could be a look-alike",
        (_, AddressMatch::PlusTag) => "they differ by a +tag alone",
        (_, AddressMatch::Different) => "the addresses differ",
    }
}

/// N over the common denominator of the values it is the sum of, as one adds it up with a pencil;
/// in lowest terms where that is not the sum.
fn summed(best: &CandidateTrace, n: Ratio) -> String {
    let sum = || {
        let values = best.features.iter();
        let values = values.map(|one| (u128::from(one.weight.get()), one.value.ratio().reduced()));
        let common = values.clone().try_fold(1u128, |common, (_, value)| {
            // common · d ÷ gcd, by way of common ÷ d in lowest terms.
            let lowest = Ratio::new(common, value.denominator())?.reduced();
            common.checked_mul(lowest.denominator())
        })?;
        let total = values
            .into_iter()
            .try_fold(0u128, |total, (weight, value)| {
                let times = common.checked_div(value.denominator())?;
                let adds = weight.checked_mul(value.numerator())?.checked_mul(times)?;
                total.checked_add(adds)
            })?;
        let is_it = Ratio::new(total, common)?.reduced() == n.reduced();
        (is_it && common > 1).then(|| format!("{total}/{common}"))
    };
    sum().unwrap_or_else(|| fraction(n))
}

/// N ÷ D, and both sides of each threshold's comparison.
fn write_sum(page: &mut Page<'_>, trace: &Trace, claim: &ClaimTrace, best: &CandidateTrace) {
    let Some(pair) = best.score else { return };
    let look = page.look();
    let glyphs = page.glyphs();
    let total = u128::from(claim.total_weight);
    let Some(n) = times(pair.mean, total) else {
        return;
    };
    let text = format!(
        "{} {} {total} = {}",
        summed(best, n),
        glyphs.divided,
        fraction(pair.mean)
    );
    let from = NAME + WEIGHT + 2;
    let room = page.pane.width.saturating_sub(from);
    for (place, line) in crate::inspector::text::wrap(&text, room)
        .into_iter()
        .enumerate()
    {
        let (name, weight) = match place {
            0 => ("N / D", total.to_string()),
            _ => ("", String::new()),
        };
        page.line(vec![
            look.span(Role::Text, format!("{name:<NAME$}")),
            look.span(Role::Muted, format!("{weight:>WEIGHT$}  ")),
            look.span(Role::Text, line),
        ]);
    }
    if pair.gated {
        return;
    }
    // The rules read the score after the model's raise; without one it is the same.
    let read = claim.raise.map_or(pair.score, |raise| raise.score);
    let left = times(n, u128::from(BasisPoints::ONE.get())).filter(|_| read == pair.score);
    let sides = |wanted: BasisPoints| {
        let sign = sign(page, read.at_least(wanted));
        match left {
            Some(left) => format!(
                "10000·N = {} {sign} {}·D = {}",
                decimal(left, glyphs.cut),
                wanted.get(),
                u128::from(wanted.get()).saturating_mul(total)
            ),
            None => format!("S = {} {sign} {}", fraction(read), points(wanted)),
        }
    };
    let thresholds = [
        ("verified", trace.numbers.verified),
        ("partial", trace.numbers.partial),
    ];
    let thresholds = thresholds.map(|(name, wanted)| (name, wanted, sides(wanted)));
    let widest = thresholds.iter().map(|(.., sides)| width(sides)).max();
    let cells = widest.unwrap_or(0);
    let fits = NAME + cells + 5 <= page.pane.width;
    for (name, wanted, sides) in thresholds {
        let label = format!("{name} {} {}", glyphs.at_least, wanted.get());
        let label = look.span(Role::Text, fit(&label, NAME, Align::Left, glyphs.cut));
        let answer = match read.at_least(wanted) {
            true => look.span(Role::Good, "yes"),
            false => look.span(Role::Bad, "no"),
        };
        if fits {
            let sides = fit(&sides, cells, Align::Left, glyphs.cut);
            let sides = look.span(Role::Muted, format!("{sides}  "));
            page.line(vec![label, sides, answer]);
        } else {
            page.line(vec![label, answer]);
            page.indented(2, Role::Muted, &sides);
        }
    }
}

fn sign(page: &Page<'_>, holds: bool) -> &'static str {
    if holds { page.glyphs().at_least } else { "<" }
}

fn write_gate(page: &mut Page<'_>, best: &CandidateTrace) {
    let Some(pair) = best.score.filter(|pair| pair.gated) else {
        return;
    };
    page.gap();
    let text = format!(
        "Content gate: nothing but the time matches, so the mean {} counts as 0. Time alone is no evidence.",
        fraction(pair.mean)
    );
    let mark = page.glyphs().no;
    page.item(Role::Warning, mark, Role::Text, &text);
}

fn write_raise(page: &mut Page<'_>, trace: &Trace, claim: &ClaimTrace) {
    let Some(raise) = claim.raise else { return };
    let Some(model) = raise.model else { return };
    let best = claim
        .best
        .and_then(|at| claim.candidates.get(at))
        .and_then(|best| best.score);
    let Some(floor) = best.map(|pair| pair.score) else {
        return;
    };
    page.gap();
    let lambda = trace.numbers.lambda;
    let text = if raise.score > floor {
        format!(
            "The model's score {} raises S: (1 {} {}) {} {} + {} {} {} = {}.",
            points(model),
            page.glyphs().minus,
            points(lambda),
            page.glyphs().times,
            fraction(floor),
            points(lambda),
            page.glyphs().times,
            points(model),
            fraction(raise.score)
        )
    } else if floor.at_least(trace.numbers.partial) {
        format!(
            "The model's score {} is no higher and changes nothing.",
            points(model)
        )
    } else {
        format!(
            "The model's score {} changes nothing: S is below partial, which it may not lift.",
            points(model)
        )
    };
    let mark = page.glyphs().dot;
    page.item(Role::Muted, mark, Role::Text, &text);
}

fn write_counterfactual(page: &mut Page<'_>, trace: &Trace, claim: &ClaimTrace) {
    page.gap();
    let mark = page.glyphs().arrow;
    match claim.counterfactual {
        Some(change) => {
            let threshold = match change.threshold {
                Threshold::Verified => "verified",
                Threshold::Partial => "partial",
            };
            let text = format!(
                "The least that would reach {threshold}: {} at {} instead of {}.",
                change.feature.as_str(),
                fraction(change.needed),
                fraction(change.from)
            );
            page.item(Role::Accent, mark, Role::Text, &text);
        }
        None => {
            let best = claim
                .best
                .and_then(|at| claim.candidates.get(at))
                .and_then(|best| best.score);
            if best.is_some_and(|pair| !pair.score.at_least(trace.numbers.verified)) {
                page.item(
                    Role::Muted,
                    mark,
                    Role::Muted,
                    "No single feature could reach the next threshold.",
                );
            }
        }
    }
}

fn write_others(page: &mut Page<'_>, claim: &ClaimTrace) {
    let others: Vec<(usize, &CandidateTrace)> = claim
        .candidates
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != claim.best)
        .collect();
    page.heading("Other candidates");
    if others.is_empty() {
        page.text(Role::Muted, "No other row lies in the window.");
        return;
    }
    let clock = Clock::of(&claim.claim.claimed_at);
    for (place, one) in others.iter().take(MOST_CANDIDATES) {
        let (role, mark, fate) = match one.fate {
            Fate::Assigned => (
                Role::Good,
                page.glyphs().yes,
                "assigned to this claim".to_owned(),
            ),
            Fate::Open => (Role::Muted, page.glyphs().not_reached, "free".to_owned()),
            Fate::Other { claim, score } => (
                Role::Warning,
                page.glyphs().no,
                format!(
                    "went to claim {} at {}",
                    short(page, &claim.to_string()),
                    fraction(score)
                ),
            ),
            Fate::Fixed(claim) => (
                Role::Warning,
                page.glyphs().no,
                format!(
                    "already evidence of claim {}",
                    short(page, &claim.to_string())
                ),
            ),
            Fate::Taken => (
                Role::Warning,
                page.glyphs().no,
                "taken: a person decided about it as an unasked action".to_owned(),
            ),
        };
        let score = one.score.map_or_else(
            || "not scored".to_owned(),
            |pair| {
                let gate = if pair.gated { " (time alone)" } else { "" };
                format!("{}{gate}", score_text(pair.score))
            },
        );
        let text = format!(
            "{}. {score}  {}  {}  {fate}",
            place + 1,
            clock.at(one.observation.occurred_at.instant()),
            row_text(&one.observation)
        );
        page.item(role, mark, Role::Text, &text);
    }
    if others.len() > MOST_CANDIDATES {
        let more = crate::inspector::text::count(others.len() - MOST_CANDIDATES);
        page.text(
            Role::Muted,
            &format!("and {more} more, none of them better"),
        );
    }
}

/// What a row says of itself.
pub fn row_text(row: &Observation) -> String {
    let who = row
        .counterparty
        .as_deref()
        .or(row.merchant.as_deref())
        .unwrap_or("nobody named");
    let what = row.subject_hint.as_deref().unwrap_or_default();
    let text = format!("{}  {}", shown(who), shown(what));
    text.trim_end().to_owned()
}

/// An id as short as it still tells rows apart.
fn short(page: &Page<'_>, id: &str) -> String {
    cut_middle(id, 11, page.glyphs().cut).into_owned()
}

fn write_orphan(page: &mut Page<'_>, trace: &Trace, orphan: &OrphanTrace) {
    let look = page.look();
    let clock = Clock::of(&orphan.observation.occurred_at);
    let Some(found) = &orphan.attribution else {
        write_stored_attribution(page, trace);
        return;
    };
    let anchor = match orphan.observation.action {
        ActionType::CalendarCreated | ActionType::CalendarUpdated | ActionType::CalendarDeleted => {
            "first seen"
        }
        _ => "happened",
    };
    page.pair(anchor, Role::Text, &clock.stamp(found.anchor));
    page.pair("threshold", Role::Text, &points(trace.numbers.unasked));
    let likely = found
        .attribution
        .as_ref()
        .map(|attribution| attribution.agent);
    for case in &found.cases {
        write_case(page, trace, case, clock, likely == Some(case.agent));
    }
    page.gap();
    match likely {
        Some(agent) => {
            let text = format!(
                "{agent} is the likely agent: the highest score, then the most signals, then the first by name. Likely is all this says."
            );
            let mark = page.glyphs().arrow;
            page.item(Role::Unasked, mark, Role::Text, &text);
        }
        None => page.line(vec![look.span(
            Role::Muted,
            "No agent's own signal fired, so nobody likely did it.",
        )]),
    }
}

/// A stored batch keeps who likely did it, not the activity that spoke for it.
fn write_stored_attribution(page: &mut Page<'_>, trace: &Trace) {
    let Some(found) = &trace.context.attribution else {
        page.text(Role::Muted, "No agent's own signal fired.");
        return;
    };
    page.pair("likely", Role::Text, found.agent.as_str());
    page.pair("score", Role::Text, &points(found.score));
    page.pair("threshold", Role::Text, &points(trace.numbers.unasked));
    for signal in &found.signals {
        let mark = page.glyphs().yes;
        page.item(Role::Good, mark, Role::Text, &signal_text(trace, *signal));
    }
    if let Some(synced) = &found.adapter_last_sync_at {
        page.pair("log imported", Role::Text, &synced.to_string());
    }
    page.gap();
    page.text(
        Role::Muted,
        "The batch keeps who likely did it, not the activity that spoke for it.",
    );
}

/// A signal that fired, with what it adds to the agent's score.
fn signal_text(trace: &Trace, signal: UnaskedSignal) -> String {
    let weight = points(trace.numbers.signal(signal));
    format!("likely: {} {weight}", signal.as_str())
}

fn write_case(page: &mut Page<'_>, trace: &Trace, case: &AgentCase, clock: Clock, likely: bool) {
    let look = page.look();
    let reaches = case.score >= trace.numbers.unasked;
    page.gap();
    let bar = page.glyphs().bar(
        u64::from(case.score.get()),
        u64::from(BasisPoints::ONE.get()),
        BAR,
    );
    let role = if likely { Role::Unasked } else { Role::Text };
    page.line(vec![
        look.span(role, format!("{:<10}", case.agent)),
        look.span(Role::Bar, fit(&bar, BAR, Align::Left, page.glyphs().cut)),
        Span::raw("  "),
        look.span(role, format!("{:<7}", points(case.score))),
        look.span(
            if reaches { Role::Good } else { Role::Muted },
            format!("{} {}", sign(page, reaches), points(trace.numbers.unasked)),
        ),
    ]);
    for signal in &case.signals {
        let mark = page.glyphs().yes;
        page.item(Role::Good, mark, Role::Text, &signal_text(trace, *signal));
    }
    let instants = |all: &[attest_grading::model::Instant]| {
        all.iter()
            .map(|at| clock.at(*at))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if !case.sessions.is_empty() {
        let text = format!(
            "sessions within {}: {}",
            length(trace.numbers.session_ms),
            instants(&case.sessions)
        );
        page.indented(2, Role::Muted, &text);
    }
    if !case.entries.is_empty() {
        let text = format!(
            "log entries within {}: {}",
            length(trace.numbers.adjacent_ms),
            instants(&case.entries)
        );
        page.indented(2, Role::Muted, &text);
    }
    for claim in &case.silenced_by {
        let text = format!(
            "a claim of {} at {} silences the log entries",
            case.agent,
            clock.span(*claim)
        );
        page.indented(2, Role::Warning, &text);
    }
    if let Some(signal) = case.same_fact {
        let text = format!(
            "{} is the same fact and is not counted twice",
            signal.as_str()
        );
        page.indented(2, Role::Warning, &text);
    }
}

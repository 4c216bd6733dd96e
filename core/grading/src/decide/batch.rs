//! A batch: the only path to receipts (§3). Prepare once, assign once, then
//! grade each claim, each orphan and each scope subject.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attest_canon::{Digest, Id};

use crate::model::hashes::coverage_hash;
use crate::model::{
    Activity, Claim, Coverage, GradeContext, Grant, Instant, IsoTs, ModelScore, Observation,
    Outcome, Receipt,
};
use crate::policy::Policy;

use super::assign::{Assignment, Contender, Holder, Holders, assign};
use super::attribution::Attributor;
use super::corpus::Corpus;
use super::error::{BatchError, GradingError};
use super::facts::ClaimFacts;
use super::fixed::{PreAssignment, fixed_in_force};
use super::grants::{Grants, InForce};
use super::orphans::OrphanRule;
use super::ratio::Ratio;
use super::scene::{Prepared, Scene, Scratch};
use super::scope::{SpendIndex, scope_subjects};

/// What a batch is handed (supplement J).
#[derive(Clone, Debug)]
pub struct BatchInput<'a> {
    /// The claims to grade, in the order their receipts come back.
    pub claims: Vec<&'a Claim>,
    /// The observations; those stored after the batch's instant are not seen.
    pub observations: Vec<&'a Observation>,
    /// Every grant; the latest per agent is in force.
    pub grants: Vec<&'a Grant>,
    /// The policy.
    pub policy: &'a Policy,
    /// What was looked at, and the batch's instant.
    pub coverage: &'a Coverage,
    /// What attribution reads.
    pub activity: &'a Activity,
    /// Every claim within retention: earlier spend, and what silences log
    /// entries. Graded claims it omits are added.
    pub history: Vec<&'a Claim>,
    /// The pre-assignments of the stored receipts.
    pub fixed: &'a [PreAssignment],
    /// The model's scores, per claim.
    pub model_scores: &'a BTreeMap<Id, Vec<ModelScore>>,
}

/// One receipt of a batch, and the inputs replay will need beside the batch's
/// coverage.
#[derive(Clone, PartialEq, Debug)]
pub struct Graded {
    /// The receipt.
    pub receipt: Receipt,
    /// The grant it was graded under.
    pub grant: Arc<Grant>,
    /// Its context.
    pub context: GradeContext,
    /// The best candidate's floor score, when anything was scored.
    pub floor: Option<Ratio>,
    /// The score the rules read.
    pub score: Option<Ratio>,
}

/// A claim of the batch with what it says.
#[derive(Debug)]
pub(crate) struct BatchClaim<'a> {
    pub(crate) claim: &'a Claim,
    pub(crate) facts: ClaimFacts,
}

/// A prepared batch.
#[derive(Debug)]
pub struct Batch<'a> {
    pub(crate) input: BatchInput<'a>,
    pub(crate) at: Instant,
    pub(crate) corpus: Corpus<'a>,
    pub(crate) claims: Vec<BatchClaim<'a>>,
    pub(crate) history: Vec<&'a Claim>,
    pub(crate) grants: Grants<'a>,
    pub(crate) assignment: Assignment,
    pub(crate) coverage_hash: Digest,
    spend: SpendIndex,
    attributor: OnceCell<Attributor<'a>>,
    scratch: RefCell<Scratch>,
}

impl<'a> Batch<'a> {
    /// Prepares a batch and assigns its observations.
    ///
    /// # Errors
    ///
    /// Every refusal of §3 and §4.3, in this order: `stale_evaluated_at`,
    /// `claim_fixed`, `ambiguous_grant`, `not_one_to_one`.
    pub fn new(input: BatchInput<'a>) -> Result<Self, GradingError> {
        let evaluated_at = input.coverage.evaluated_at;
        let at = evaluated_at.instant();
        // A claim stored after the instant is ignored before anything is asked of it (§3).
        let mut seen = BTreeSet::new();
        let graded: Vec<&'a Claim> = input
            .claims
            .iter()
            .copied()
            .filter(|claim| claim.observed_at.instant() <= at && seen.insert(claim.id))
            .collect();
        check_fixed(input.fixed, &seen, at)?;
        let grants = Grants::new(input.grants.iter().copied(), input.coverage)?;

        let mut corpus = Corpus::new(input.policy, input.observations.iter().copied(), Some(at));
        let claims: Vec<BatchClaim<'a>> = graded
            .into_iter()
            .map(|claim| BatchClaim {
                claim,
                facts: corpus.read_claim(claim),
            })
            .collect();
        let history = history(&input, &claims, at);

        let contenders: Vec<Contender<'_>> = claims
            .iter()
            .map(|held| Contender {
                claim: held.claim,
                facts: &held.facts,
            })
            .collect();
        let fixed = fixed_in_force(input.fixed, at);
        let assignment = assign(&corpus, &contenders, &fixed, at)?.with_free_rows(&corpus);
        let spend = SpendIndex::new(history.iter().copied(), input.policy);
        let scratch = Scratch::new(corpus.len());
        Ok(Self {
            coverage_hash: coverage_hash(input.coverage),
            at,
            corpus,
            claims,
            history,
            grants,
            assignment,
            spend,
            attributor: OnceCell::new(),
            scratch: RefCell::new(scratch),
            input,
        })
    }

    /// The batch's instant.
    #[must_use]
    pub fn evaluated_at(&self) -> IsoTs {
        self.input.coverage.evaluated_at
    }

    /// Every receipt: claims in the order given, then orphans by occurrence,
    /// then scopes by agent and text (supplement I).
    ///
    /// # Errors
    ///
    /// `missing_grant` for the agent of a graded claim or of an attribution.
    pub fn grade(&self) -> Result<Vec<Graded>, GradingError> {
        Ok(self.grade_watched(|_| true)?.unwrap_or_default())
    }

    /// [`Self::grade`], telling after each claim how many are done; `None` when
    /// `go_on` says to stop.
    ///
    /// # Errors
    ///
    /// As [`Self::grade`].
    pub fn grade_watched(
        &self,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Graded>>, GradingError> {
        let mut graded = Vec::with_capacity(self.claims.len());
        for held in &self.claims {
            graded.push(self.scene().finish(&self.prepare_claim(held)?).0);
            if !go_on(graded.len()) {
                return Ok(None);
            }
        }
        graded.append(&mut self.grade_orphans()?);
        graded.append(&mut self.grade_scopes()?);
        Ok(Some(graded))
    }

    /// The ids of the claims the batch grades, in order.
    pub fn claims(&self) -> impl ExactSizeIterator<Item = Id> + '_ {
        self.claims.iter().map(|held| held.claim.id)
    }

    /// Grades one claim of the batch; `None` for a claim it does not grade.
    ///
    /// # Errors
    ///
    /// `missing_grant` for the claim's agent.
    pub fn grade_claim(&self, id: Id) -> Result<Option<Graded>, GradingError> {
        let Some(held) = self.claims.iter().find(|held| held.claim.id == id) else {
            return Ok(None);
        };
        let prepared = self.prepare_claim(held)?;
        Ok(Some(self.scene().finish(&prepared).0))
    }

    /// Grades every observation nobody holds that is an orphan and that an
    /// agent likely made.
    ///
    /// # Errors
    ///
    /// `missing_grant` for the agent of an attribution.
    pub fn grade_orphans(&self) -> Result<Vec<Graded>, GradingError> {
        let rule = OrphanRule::new(self.input.coverage);
        let mut graded = Vec::new();
        for (ix, row) in self.corpus.iter() {
            if self.assignment.holder(ix) != Holder::Free
                || rule.check(row.observation, self.input.policy).is_err()
            {
                continue;
            }
            if let Some(prepared) = self.prepare_orphan(row.observation)? {
                let (one, outcome) = self.scene().finish(&prepared);
                graded.extend((outcome == Outcome::Unasked).then_some(one));
            }
        }
        Ok(graded)
    }

    /// Grades every observed scope of every grant in force.
    ///
    /// # Errors
    ///
    /// None.
    pub fn grade_scopes(&self) -> Result<Vec<Graded>, GradingError> {
        let mut graded = Vec::new();
        for in_force in self.grants.by_agent_id() {
            for scope in scope_subjects(in_force.grant) {
                let prepared = self.prepare_scope(in_force, scope);
                let (one, outcome) = self.scene().finish(&prepared);
                graded.extend((outcome == Outcome::OverScope).then_some(one));
            }
        }
        Ok(graded)
    }

    /// The batch as the scene its grades are made in.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            corpus: &self.corpus,
            holders: &self.assignment,
            coverage: self.input.coverage,
            coverage_hash: self.coverage_hash,
            scratch: &self.scratch,
        }
    }

    pub(crate) fn prepare_claim<'b>(
        &'b self,
        held: &'b BatchClaim<'a>,
    ) -> Result<Prepared<'b>, GradingError> {
        let BatchClaim { claim, facts } = held;
        let in_force = self.grants.of(claim.agent)?;
        let spend_currency = in_force.grant.spend_currency;
        let context = GradeContext {
            prior_spend_cents: self.spend.prior(claim, self.input.policy, spend_currency),
            model_scores: self.input.model_scores.get(&claim.id).cloned(),
            ..GradeContext::default()
        };
        Ok(self.scene().prepare_claim(claim, facts, in_force, context))
    }

    /// An orphan with who likely did it; `None` when no agent's own signal
    /// fired.
    pub(crate) fn prepare_orphan<'b>(
        &'b self,
        orphan: &'b Observation,
    ) -> Result<Option<Prepared<'b>>, GradingError> {
        let Some(attribution) = self.attributor().attribute(orphan) else {
            return Ok(None);
        };
        let in_force = self.grants.of(attribution.agent)?;
        let context = GradeContext {
            attribution: Some(attribution),
            ..GradeContext::default()
        };
        Ok(Some(self.scene().prepare_orphan(orphan, in_force, context)))
    }

    pub(crate) fn prepare_scope<'b>(
        &'b self,
        in_force: &'b InForce<'b>,
        scope: &'b str,
    ) -> Prepared<'b> {
        let context = GradeContext {
            scope: Some(scope.into()),
            ..GradeContext::default()
        };
        self.scene().prepare_scope(scope, in_force, context)
    }

    /// What attribution reads, indexed when first asked for.
    pub(crate) fn attributor(&self) -> &Attributor<'a> {
        self.attributor.get_or_init(|| {
            let mut words = super::words::Words::default();
            let read: Vec<(&Claim, ClaimFacts)> = self
                .history
                .iter()
                .map(|claim| {
                    (
                        *claim,
                        ClaimFacts::read(claim, self.input.policy, &mut words),
                    )
                })
                .collect();
            Attributor::new(
                self.input.policy,
                self.input.activity,
                read.iter().map(|(claim, facts)| (*claim, facts)),
                self.at,
            )
        })
    }
}

/// `gradeBatch`: prepares a batch and grades all of it.
///
/// # Errors
///
/// As [`Batch::new`] and [`Batch::grade`].
pub fn grade_batch(input: BatchInput<'_>) -> Result<Vec<Graded>, GradingError> {
    Batch::new(input)?.grade()
}

/// A batch at an instant already graded, and graded claims that are not open (§3).
fn check_fixed(
    fixed: &[PreAssignment],
    graded: &BTreeSet<Id>,
    at: Instant,
) -> Result<(), BatchError> {
    for pair in fixed {
        if let Some(claim) = pair.claim_id
            && pair.after >= at
        {
            return Err(BatchError::StaleEvaluatedAt(claim));
        }
    }
    for pair in fixed.iter().filter(|pair| !pair.has_ended_by(at)) {
        if let Some(claim) = pair.claim_id.filter(|claim| graded.contains(claim)) {
            return Err(BatchError::ClaimFixed(claim));
        }
    }
    Ok(())
}

/// The history a batch sees: the claims handed to it and, where it omits them,
/// the claims it grades; nothing stored after its instant (§3).
fn history<'a>(input: &BatchInput<'a>, claims: &[BatchClaim<'a>], at: Instant) -> Vec<&'a Claim> {
    let seen = |claim: &&&Claim| claim.observed_at.instant() <= at;
    let history: Vec<&Claim> = input.history.iter().filter(seen).copied().collect();
    let listed: BTreeSet<Id> = history.iter().map(|claim| claim.id).collect();
    let added = claims
        .iter()
        .map(|held| held.claim)
        .filter(|claim| !listed.contains(&claim.id));
    history.into_iter().chain(added).collect()
}

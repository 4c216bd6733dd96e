//! The advisory model's answers (§3, §5.4): asked outside every batch, once per
//! claim, about the one candidate a grade reads.

use attest_canon::Id;

use crate::model::problem::ProblemKind;
use crate::model::{BasisPoints, IsoTs, ModelScore, ReceiptState};

use super::Keeper;
use super::error::WriteError;

/// The rule whose open receipts a score can change.
const PARTIAL: &str = "partial";

impl Keeper {
    /// The claims the model may be asked about, each with the candidate it
    /// took: PENDING by rule `partial`, not asked yet.
    #[must_use]
    pub fn model_questions(&self) -> Vec<(Id, Id)> {
        let receipts = self.ledger.receipts.iter();
        receipts
            .filter(|receipt| {
                receipt.state == ReceiptState::Pending && receipt.rule_id.as_str() == PARTIAL
            })
            .filter_map(|receipt| Some((receipt.claim_id?, *receipt.observation_ids.first()?)))
            .filter(|(claim, _)| !self.asked.contains(claim))
            .collect()
    }

    /// Writes down that the model is asked about a claim, before it is: a call
    /// that fails leaves the claim without scores for good. Whether it may be.
    pub fn begin_model_question(&mut self, claim: Id) -> bool {
        let open = self
            .model_questions()
            .iter()
            .any(|(open, _)| *open == claim);
        open && self.asked.insert(claim)
    }

    /// Stores the model's answer.
    ///
    /// # Errors
    ///
    /// The claim was not asked about, or was answered.
    pub fn store_model_answer(
        &mut self,
        claim: Id,
        observation: Id,
        score: BasisPoints,
        now: IsoTs,
    ) -> Result<(), WriteError> {
        let scores = &self.ledger.model_scores;
        let answered = scores
            .as_ref()
            .is_some_and(|scores| scores.contains_key(&claim));
        if answered || !self.asked.contains(&claim) {
            return Err(WriteError::invalid(
                "modelScores",
                ProblemKind::NotAllowedHere,
            ));
        }
        let answer = ModelScore {
            observation_id: observation,
            score,
        };
        let scores = self.ledger.model_scores.get_or_insert_default();
        scores.insert(claim, vec![answer]);
        self.stored(1, now);
        Ok(())
    }
}

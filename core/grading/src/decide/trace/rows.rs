//! What became of each row of a batch: who holds it, or why it is nobody's
//! unasked action (§4.3, §7).

use attest_canon::Id;

use crate::decide::assign::{Holder, Holders as _};
use crate::decide::batch::Batch;
use crate::decide::error::GradingError;
use crate::decide::orphans::{NoOrphan, OrphanRule};
use crate::model::Outcome;

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFate {
    /// The batch does not see it: stored later, or one fact with another row.
    Unseen,
    /// A claim of the batch holds it.
    Held(Id),
    /// A claim graded before holds it.
    Fixed(Id),
    /// A person decided about it as an unasked action.
    Taken,
    /// Nobody holds it, and it is no orphan.
    NoOrphan(NoOrphan),
    /// An orphan for which no agent's own signal fired.
    Unattributed,
    /// An orphan that no agent likely made.
    Unlikely,
    /// An UNASKED receipt is about it.
    Unasked,
}

impl Batch<'_> {
    /// What became of an observation of this batch.
    ///
    /// # Errors
    ///
    /// `missing_grant` for the agent of its attribution.
    pub fn row_fate(&self, id: Id) -> Result<RowFate, GradingError> {
        let found = self.corpus.find(id);
        let Some((ix, row)) = found.and_then(|ix| Some((ix, self.corpus.row(ix)?))) else {
            return Ok(RowFate::Unseen);
        };
        Ok(match self.assignment.holder(ix) {
            Holder::Claim(claim) => RowFate::Held(claim),
            Holder::Fixed(claim) => RowFate::Fixed(claim),
            Holder::Taken => RowFate::Taken,
            Holder::Free => {
                let rule = OrphanRule::new(self.input.coverage);
                if let Err(why) = rule.check(row.observation, self.input.policy) {
                    return Ok(RowFate::NoOrphan(why));
                }
                match self.prepare_orphan(row.observation)? {
                    None => RowFate::Unattributed,
                    Some(prepared) => match self.scene().finish(&prepared).1 {
                        Outcome::Unasked => RowFate::Unasked,
                        _ => RowFate::Unlikely,
                    },
                }
            }
        })
    }
}

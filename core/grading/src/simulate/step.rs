//! What reaches a ledger: everything observers, people, agents' logs and the
//! background bring to its one writer.

use core::fmt;

use attest_canon::Id;

use crate::ledger::rules::{
    BatchRefused, CalendarView, GrantChoice, Keeper, MailPass, Model, WriteError,
};
use crate::model::activity::Idle;
use crate::model::grant::Accounts;
use crate::model::{AgentId, BasisPoints, Claim, Entry, IsoTs, OverrideGrade};
use crate::policy::Policy;

/// One transaction.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A claim is read.
    Claim(Box<Claim>),
    /// A pass over a mailbox.
    Mail(MailPass),
    /// A look at a calendar.
    Calendar(CalendarView),
    /// An agent's log is pasted.
    Log {
        /// Whose.
        agent: AgentId,
        /// The minutes its lines name.
        active_at: Vec<IsoTs>,
        /// Its entries.
        entries: Vec<Entry>,
    },
    /// The person is back.
    Away(Idle),
    /// The person saves a grant.
    Grant {
        /// Whose.
        agent: AgentId,
        /// What they chose.
        choice: GrantChoice,
    },
    /// What an agent may do and where it acts is seen.
    Seen {
        /// Which agent.
        agent: AgentId,
        /// Its permissions.
        scopes: Vec<Box<str>>,
        /// Its accounts.
        accounts: Option<Accounts>,
    },
    /// A batch.
    Batch(Model),
    /// The person says otherwise.
    Override {
        /// Of which receipt.
        receipt: Id,
        /// What it is.
        grade: OverrideGrade,
        /// Why.
        reason: &'static str,
    },
    /// The person takes it back.
    Revert {
        /// Of which receipt.
        receipt: Id,
        /// Whether they were told that another claim holds the evidence.
        told: bool,
    },
    /// The model is asked about a claim.
    Ask(Id),
    /// The model answers.
    Answer {
        /// About which claim.
        claim: Id,
        /// And which candidate.
        observation: Id,
        /// Its score.
        score: BasisPoints,
    },
    /// What is past retention goes.
    Purge,
}

/// Why the ledger did not take a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Its writer refuses it.
    Write(WriteError),
    /// The batch did not run.
    Batch(BatchRefused),
    /// The claim is no question for the model.
    NoQuestion,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "{error}"),
            Self::Batch(error) => write!(f, "{error}"),
            Self::NoQuestion => f.write_str("the claim is not open by rule partial"),
        }
    }
}

impl core::error::Error for Refused {}

impl From<WriteError> for Refused {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl Step {
    /// Brings it to a ledger.
    ///
    /// # Errors
    ///
    /// What the ledger's rules refuse; the ledger is then as it was, a clock
    /// repair that came first aside.
    pub fn apply(&self, keeper: &mut Keeper, now: IsoTs, policy: &Policy) -> Result<(), Refused> {
        match self.clone() {
            Self::Claim(claim) => drop(keeper.store_claim(*claim, now)?),
            Self::Mail(pass) => drop(keeper.store_mail_pass(pass, now)?),
            Self::Calendar(view) => {
                keeper.store_calendar_view(view, now)?;
            }
            Self::Log {
                agent,
                active_at,
                entries,
            } => {
                keeper.store_log(agent, &active_at, &entries, now)?;
            }
            Self::Away(idle) => {
                keeper.store_idle(idle, now)?;
            }
            Self::Grant { agent, choice } => keeper.save_grant(agent, choice, now)?,
            Self::Seen {
                agent,
                scopes,
                accounts,
            } => keeper.observe_grant(agent, scopes, accounts, now)?,
            Self::Batch(model) => {
                keeper.batch(now, policy, model).map_err(Refused::Batch)?;
            }
            Self::Override {
                receipt,
                grade,
                reason,
            } => {
                keeper.override_receipt(receipt, grade, reason, now)?;
            }
            Self::Revert { receipt, told } => {
                keeper.revert_receipt(receipt, told, now)?;
            }
            Self::Ask(claim) => {
                if !keeper.begin_model_question(claim) {
                    return Err(Refused::NoQuestion);
                }
            }
            Self::Answer {
                claim,
                observation,
                score,
            } => keeper.store_model_answer(claim, observation, score, now)?,
            Self::Purge => {
                keeper.purge(now);
            }
        }
        Ok(())
    }
}

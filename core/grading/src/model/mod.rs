//! What grading reads and writes (supplement D). A value that exists is valid:
//! every entity is closed, within its limits, and read only by its decoder.
//!
//! Reading order: [`closed`] sets, [`time`], [`primitives`], [`problem`]s and
//! the [`decode`]r that reports them, then one file per entity.

pub mod activity;
pub mod canonical;
pub mod claim;
pub mod closed;
pub mod context;
pub mod coverage;
pub mod decode;
pub mod grant;
pub mod hashes;
pub mod invariant;
pub mod limits;
pub mod observation;
pub mod primitives;
pub mod problem;
pub mod reason;
pub mod receipt;
pub mod time;

pub use activity::{Activity, AdapterSync, Entry, Idle, Session};
pub use canonical::{Canonical, canonical_text};
pub use claim::{Claim, Extractor};
pub use closed::{
    ActionType, AgentId, BaseState, Feature, Grade, Outcome, OverrideGrade, Precision, ReasonCode,
    ReceiptSignal, ReceiptState, Source, UnaskedSignal,
};
pub use context::{Attribution, GradeContext, ModelScore};
pub use coverage::{Coverage, ObserverCoverage, Repair};
pub use decode::{Decoder, Read};
pub use grant::Grant;
pub use invariant::{Broken, Invariant};
pub use observation::Observation;
pub use primitives::{BasisPoints, Cents, Currency, DisplayNumber, Token};
pub use problem::{Problem, ProblemKind, Problems};
pub use reason::Reason;
pub use receipt::{Override, Receipt, Reverted, Signals};
pub use time::{Instant, Interval, IsoTs};

//! How receipts are decided. In the order a batch runs: [`window`] →
//! [`corpus`] and [`retrieval`] → [`features`] → [`fixed`] pre-assignments →
//! [`assign`]ment → [`coverage`] → [`conditions`] and rules → [`finality`] →
//! [`reasons`] → [`grade`]; [`batch`] runs it, [`trace`] shows it.

pub mod assign;
pub mod attribution;
pub mod batch;
pub mod conditions;
pub mod corpus;
pub mod coverage;
pub mod error;
pub mod facts;
pub mod features;
pub mod finality;
pub mod fixed;
pub mod grade;
pub mod grants;
pub mod orphans;
pub mod permits;
mod postings;
pub mod raise;
pub mod ratio;
mod reasons;
pub(crate) mod retrieval;
pub(crate) mod scene;
pub mod scope;
pub mod single;
pub mod trace;
pub mod window;
pub(crate) mod words;

pub use batch::{Batch, BatchInput, Graded, grade_batch};
pub use error::{BatchError, GradeError, GradingError};
pub use fixed::{PreAssignment, Released, pre_assignments};
pub use ratio::Ratio;
pub use single::grade;
pub use trace::{Trace, TraceSubject};

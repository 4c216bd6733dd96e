//! Everything that touches a disk: reading files within limits, saving a ledger
//! so that the old or the new one is there whole, publishing a new file without
//! replacing one, the lock that keeps two writers apart, and the journal of a
//! person's events.

mod error;
mod file;
mod hold;
mod journal;
mod lock;
mod opened;
mod place;
mod publish;
mod save;
mod session;

pub use error::{Problem, StoreError};
pub use file::{MAX_FILE, Text, read};
pub use hold::{Bound, Held};
pub use journal::{Found, Journal, JournalError, StoredEvent};
pub use lock::Lock;
pub use opened::{Next, OpenError, Opened, Source, View, open};
pub use place::Place;
pub use publish::{NewFile, publish_all};
pub use save::{publish, replace};
pub use session::{BatchError, EventError, Session, SessionError};

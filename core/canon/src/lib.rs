//! Canonical JSON, strict reading, hashes and ids.

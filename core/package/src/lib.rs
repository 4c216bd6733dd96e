//! Incident Package v1.

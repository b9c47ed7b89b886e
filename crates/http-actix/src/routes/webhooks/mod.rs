//! Webhooks.

pub(crate) mod event_types;

//! `/v2/sandbox`: extensions of Florin that exist in the sandbox only.

pub(crate) mod invariants;

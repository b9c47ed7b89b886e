//! Amounts beyond 64 bits.

/// A balance would leave the range of 64-bit minor units, or held or reserved money would fall below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a balance would leave the range of 64-bit minor units")]
pub struct AmountOverflow;

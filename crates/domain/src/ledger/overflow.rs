//! Amounts out of their range.

/// An amount would leave the range of 64-bit minor units, or held or reserved money would fall below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an amount would leave the range of 64-bit minor units, or held or reserved money would fall below zero")]
pub struct AmountOverflow;

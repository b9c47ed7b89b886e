//! Amounts out of their range.

/// An amount out of its range: beyond 64-bit minor units, or below zero for held or reserved money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an amount would leave its range: 64-bit minor units, and not below zero if it is held or reserved")]
pub struct AmountOverflow;

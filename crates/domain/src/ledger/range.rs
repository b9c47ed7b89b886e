//! Amounts out of their range.

/// An amount, a balance, or a number in the sequence of an account, would leave its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountOutOfRange {
    /// It would not fit 64 bits.
    #[error("an amount would leave the range of 64-bit minor units")]
    Overflow,
    /// Held or reserved money would fall below zero.
    #[error("held or reserved money would fall below zero")]
    BelowZero,
}

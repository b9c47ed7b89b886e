//! Amounts out of their range.

/// An amount, a balance or the number of a movement would leave its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountOutOfRange {
    /// It would not fit 64 bits.
    #[error("a value would not fit 64 bits")]
    Overflow,
    /// Held or reserved money would fall below zero.
    #[error("held or reserved money would fall below zero")]
    BelowZero,
}

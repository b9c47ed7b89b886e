//! Sums in two halves.

use florin_domain::money::Total;

/// Combines both halves of a sum.
pub(crate) fn whole(high: i64, low: i64) -> Total {
    Total((i128::from(high) << 32) + i128::from(low))
}

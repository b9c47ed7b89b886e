//! Sums in two halves.

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use florin_domain::books::PoolSums;
use florin_domain::money::Total;

/// Combines both halves of a sum.
pub(super) fn whole(high: i64, low: i64) -> Total {
    Total((i128::from(high) << 32) + i128::from(low))
}

/// Sums of the pools of a budget.
#[derive(QueryableByName)]
pub(crate) struct Halves {
    #[diesel(sql_type = BigInt)]
    available_high: i64,
    #[diesel(sql_type = BigInt)]
    available_low: i64,
    #[diesel(sql_type = BigInt)]
    held_high: i64,
    #[diesel(sql_type = BigInt)]
    held_low: i64,
    #[diesel(sql_type = BigInt)]
    reserved_high: i64,
    #[diesel(sql_type = BigInt)]
    reserved_low: i64,
}

impl From<Halves> for PoolSums {
    fn from(halves: Halves) -> Self {
        Self {
            available: whole(halves.available_high, halves.available_low),
            held: whole(halves.held_high, halves.held_low),
            reserved: whole(halves.reserved_high, halves.reserved_low),
        }
    }
}

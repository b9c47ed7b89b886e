//! Sums in two halves, because a sum of amounts can exceed 64 bits.

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use florin_domain::books::PoolSums;
use florin_domain::money::Total;

/// Combines both halves of a sum.
pub(super) fn combine(high: i64, low: i64) -> Total {
    Total((i128::from(high) << 32) + i128::from(low))
}

/// Returns the SQL of the high and of the low half of what legs moved into a pool, less what they moved out of it.
/// `legs` is the alias of their table. Each leg moves money either into or out of the pool.
pub(super) fn moved_into(pool: &str, legs: &str) -> [String; 2] {
    [">> 32", "& 4294967295"].map(|half| {
        format!(
            "CAST(COALESCE(SUM(CASE {legs}.to_pool WHEN '{pool}' THEN 1 ELSE -1 END \
            * ({legs}.amount_minor {half})), 0) AS BIGINT)"
        )
    })
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
            available: combine(halves.available_high, halves.available_low),
            held: combine(halves.held_high, halves.held_low),
            reserved: combine(halves.reserved_high, halves.reserved_low),
        }
    }
}

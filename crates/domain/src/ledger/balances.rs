//! The balances of a budget in one currency.

use super::{Pool, Posting};
use crate::ids::BudgetId;
use crate::money::Minor;

/// The balances of one budget in one currency: the stored sums of its postings.
///
/// `held` and `reserved` are never negative. `available` can be negative, because card networks can clear more than the
/// hold. The ledger balance always fits 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    available: Minor,
    held: Minor,
    reserved: Minor,
}

/// A balance would leave the range of 64-bit minor units, or `held` or `reserved` would fall below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a balance would leave the range of 64-bit minor units")]
pub struct AmountOverflow;

impl Balances {
    /// Creates balances, unless `held` or `reserved` is negative, or the ledger balance does not fit 64 bits.
    pub fn new(available: Minor, held: Minor, reserved: Minor) -> Result<Self, AmountOverflow> {
        let sum = i128::from(available.0) + i128::from(held.0) + i128::from(reserved.0);
        if held.is_negative() || reserved.is_negative() || i64::try_from(sum).is_err() {
            return Err(AmountOverflow);
        }
        Ok(Self { available, held, reserved })
    }

    /// The money that can be spent.
    pub const fn available(&self) -> Minor {
        self.available
    }

    /// The money claimed by open card holds.
    pub const fn held(&self) -> Minor {
        self.held
    }

    /// The money reserved for confirmed payment batches.
    pub const fn reserved(&self) -> Minor {
        self.reserved
    }

    /// The ledger balance: available, held and reserved.
    pub const fn ledger(&self) -> Minor {
        // The constructor checked that the sum fits. So even if the first addition wraps, the result is correct.
        Minor(self.available.0.wrapping_add(self.held.0).wrapping_add(self.reserved.0))
    }

    /// The balances after the postings that touch `budget`, or a refusal that changes nothing.
    pub fn after(&self, budget: BudgetId, postings: &[Posting]) -> Result<Self, AmountOverflow> {
        let mut next = *self;
        for posting in postings {
            let pool = match posting.pool {
                Pool::Available(id) if id == budget => &mut next.available,
                Pool::Held(id) if id == budget => &mut next.held,
                Pool::Reserved(id) if id == budget => &mut next.reserved,
                _ => continue,
            };
            *pool = pool.plus(posting.amount).ok_or(AmountOverflow)?;
        }
        Self::new(next.available, next.held, next.reserved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_ledger_balance_is_the_sum_of_all_pools() {
        let balances = Balances::new(Minor(-100), Minor(70), Minor(40)).unwrap();
        assert_eq!(balances.ledger(), Minor(10));
        assert_eq!(Balances::new(Minor(0), Minor(-1), Minor(0)), Err(AmountOverflow));
        assert_eq!(Balances::new(Minor(i64::MAX), Minor(1), Minor(0)), Err(AmountOverflow));
        assert_eq!(Balances::new(Minor(-5), Minor(i64::MAX), Minor(5)).unwrap().ledger(), Minor(i64::MAX));
    }

    #[test]
    fn postings_of_other_budgets_are_ignored() {
        let (mine, other) = (BudgetId(Uuid::from_u128(1)), BudgetId(Uuid::from_u128(2)));
        let lines = [
            Posting { pool: Pool::Available(mine), amount: Minor(5) },
            Posting { pool: Pool::Available(other), amount: Minor(7) },
        ];
        let after = Balances::default().after(mine, &lines).unwrap();
        assert_eq!(after.available(), Minor(5));
    }
}

//! The balances of a budget in one currency.

use super::{AmountOutOfRange, Leg, Pool};
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

impl Balances {
    /// Creates balances, unless `held` or `reserved` is negative, or the ledger balance does not fit 64 bits.
    pub fn new(available: Minor, held: Minor, reserved: Minor) -> Result<Self, AmountOutOfRange> {
        if held.is_negative() || reserved.is_negative() {
            return Err(AmountOutOfRange::BelowZero);
        }
        let sum = i128::from(available.0) + i128::from(held.0) + i128::from(reserved.0);
        if i64::try_from(sum).is_err() {
            return Err(AmountOutOfRange::Overflow);
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

    /// The balances after the legs that touch `budget`, or an error if they would not fit their ranges, as for
    /// [`Self::new`].
    pub fn after(&self, budget: BudgetId, legs: &[Leg]) -> Result<Self, AmountOutOfRange> {
        let mut next = [self.available, self.held, self.reserved].map(|pool| i128::from(pool.0));
        for posting in legs.iter().flat_map(Leg::postings) {
            let place = match posting.pool {
                Pool::Available(id) if id == budget => 0,
                Pool::Held(id) if id == budget => 1,
                Pool::Reserved(id) if id == budget => 2,
                _ => continue,
            };
            next[place] += i128::from(posting.amount.0);
        }
        let fit = |pool: i128| i64::try_from(pool).map(Minor).map_err(|_| AmountOutOfRange::Overflow);
        let [available, held, reserved] = next;
        Self::new(fit(available)?, fit(held)?, fit(reserved)?)
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
        assert_eq!(Balances::new(Minor(0), Minor(-1), Minor(0)), Err(AmountOutOfRange::BelowZero));
        assert_eq!(Balances::new(Minor(0), Minor(0), Minor(-1)), Err(AmountOutOfRange::BelowZero));
        assert_eq!(Balances::new(Minor(i64::MAX), Minor(1), Minor(0)), Err(AmountOutOfRange::Overflow));
        assert_eq!(Balances::new(Minor(-5), Minor(i64::MAX), Minor(5)).unwrap().ledger(), Minor(i64::MAX));
    }

    #[test]
    fn legs_of_other_budgets_are_ignored() {
        let (budget, other) = (BudgetId(Uuid::from_u128(1)), BudgetId(Uuid::from_u128(2)));
        let credit = |budget, amount| Leg::new(Pool::InboundPayments, Pool::Available(budget), Minor(amount)).unwrap();
        let legs: Vec<_> = [credit(budget, 5), credit(other, 7)].into_iter().flatten().collect();
        let after = Balances::default().after(budget, &legs).unwrap();
        assert_eq!(after.available(), Minor(5));
        let transfer = [Leg::new(Pool::Available(budget), Pool::Available(other), Minor(3)).unwrap().unwrap()];
        assert_eq!(after.after(budget, &transfer).unwrap().available(), Minor(2));
        assert_eq!(after.after(other, &transfer).unwrap().available(), Minor(8));
    }

    #[test]
    fn only_available_may_fall_below_zero() {
        let budget = BudgetId(Uuid::from_u128(1));
        let balances = Balances::new(Minor(5), Minor(5), Minor(5)).unwrap();
        let pay = |from, amount| {
            let leg = Leg::new(from, Pool::OutboundPayments, Minor(amount)).unwrap();
            balances.after(budget, leg.as_slice())
        };
        assert_eq!(pay(Pool::Available(budget), 6).unwrap().available(), Minor(-1));
        for pool in [Pool::Held(budget), Pool::Reserved(budget)] {
            assert_eq!(pay(pool, 5).unwrap().ledger(), Minor(10));
            assert_eq!(pay(pool, 6), Err(AmountOutOfRange::BelowZero));
        }
        let credit = Leg::new(Pool::InboundPayments, Pool::Available(budget), Minor(i64::MAX)).unwrap();
        assert_eq!(balances.after(budget, credit.as_slice()), Err(AmountOutOfRange::Overflow));
    }
}

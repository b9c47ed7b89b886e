//! Tests of the legs of card messages.

use super::*;
use proptest::prelude::*;
use uuid::Uuid;

const BUDGET: BudgetId = BudgetId(Uuid::from_u128(1));
const AVAILABLE: Pool = Pool::Available(BUDGET);
const HELD: Pool = Pool::Held(BUDGET);
const NETWORK: Pool = Pool::CardNetwork;

fn legs(pool_change: PoolChange) -> Vec<(Pool, Pool, i64)> {
    pool_change.legs(BUDGET).unwrap().map(|leg| (leg.from(), leg.to(), leg.amount().0)).collect()
}

fn clear(taken: i64, posted: i64) -> Vec<(Pool, Pool, i64)> {
    legs(PoolChange::clear(Minor(taken), Minor(posted)).unwrap())
}

#[test]
fn a_message_has_as_few_legs_as_possible() {
    assert_eq!(legs(PoolChange::default()), []);
    assert_eq!(legs(PoolChange::hold(Minor(7))), [(AVAILABLE, HELD, 7)]);
    assert_eq!(legs(PoolChange::hold(Minor(-7))), [(HELD, AVAILABLE, 7)]);
    assert_eq!(legs(PoolChange::refund(Minor(7)).unwrap()), [(NETWORK, AVAILABLE, 7)]);
    assert_eq!(clear(7, 7), [(HELD, NETWORK, 7)]);
    assert_eq!(clear(0, 7), [(AVAILABLE, NETWORK, 7)]);
    assert_eq!(clear(7, 0), [(HELD, AVAILABLE, 7)]);
}

#[test]
fn a_clearing_below_or_above_the_hold_has_two_legs() {
    assert_eq!(clear(10, 7), [(HELD, AVAILABLE, 3), (HELD, NETWORK, 7)]);
    assert_eq!(clear(7, 10), [(AVAILABLE, NETWORK, 3), (HELD, NETWORK, 7)]);
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -500..500_i64, 1 => any::<i64>()]
}

proptest! {
    /// The legs add up to the gains of the three pools, which add up to zero.
    #[test]
    fn legs_reproduce_the_gains(held in amount(), network in amount()) {
        let available = -(i128::from(held) + i128::from(network));
        let pool_change = PoolChange { held: Minor(held), network: Minor(network) };
        let Ok(legs) = pool_change.legs(BUDGET) else {
            let gains = [available, held.into(), network.into()];
            prop_assert!(gains.iter().any(|gain| gain.unsigned_abs() > i64::MAX as u128));
            return Ok(());
        };
        let legs: Vec<_> = legs.collect();
        let gain = |pool| -> i128 {
            let postings = legs.iter().flat_map(Leg::postings).filter(|posting| posting.pool == pool);
            postings.map(|posting| i128::from(posting.amount.0)).sum()
        };
        let expected = [available, i128::from(held), i128::from(network)];
        prop_assert_eq!([gain(AVAILABLE), gain(HELD), gain(NETWORK)], expected);
        let moved = expected.iter().filter(|gain| **gain != 0).count();
        prop_assert_eq!(legs.len(), moved.saturating_sub(1));
    }
}

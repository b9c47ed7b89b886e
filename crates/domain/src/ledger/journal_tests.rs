//! Tests of legs and of the postings that follow from them.

use super::*;
use crate::ledger::Balances;
use proptest::prelude::*;
use std::collections::BTreeMap;

const BUDGET: BudgetId = BudgetId(Uuid::from_u128(1));

fn journal(kind: JournalKind, legs: impl IntoIterator<Item = Leg>) -> Result<JournalTransaction, AmountOutOfRange> {
    let (id, account) = (Uuid::from_u128(9), AccountId::parse("F1").unwrap());
    let currency = Currency::parse("GBP").unwrap();
    JournalTransaction::new(JournalId(id), account, (kind, id), currency, DateTime::UNIX_EPOCH, legs)
}

fn leg(from: Pool, to: Pool, amount: i64) -> Leg {
    Leg::new(from, to, Minor(amount)).unwrap().unwrap()
}

fn seen(journal: &JournalTransaction) -> Vec<(Pool, i64)> {
    journal.postings().into_iter().map(|posting| (posting.pool, posting.amount.0)).collect()
}

#[test]
fn a_leg_moves_an_amount_above_zero_between_two_pools() {
    let (from, to) = (Pool::Available(BUDGET), Pool::Held(BUDGET));
    let moved = leg(from, to, 5);
    assert_eq!((moved.from(), moved.to(), moved.amount()), (from, to, Minor(5)));
    assert_eq!(leg(to, from, -5), moved, "a negative amount moves the other way round");
    assert_eq!(Leg::new(from, to, Minor::ZERO), Ok(None));
    assert_eq!(Leg::new(from, from, Minor(5)), Ok(None));
    assert_eq!(Leg::new(from, to, Minor(i64::MIN)), Err(AmountOutOfRange::Overflow));
    assert_eq!(leg(from, to, i64::MAX).postings()[0].amount, Minor(-i64::MAX));
}

#[test]
fn postings_are_in_the_order_of_the_legs() {
    let reserved = Pool::Reserved(BUDGET);
    let legs = [leg(reserved, Pool::OutboundPayments, 70), leg(reserved, Pool::Fees, 2)];
    let expected = [(reserved, -72), (Pool::OutboundPayments, 70), (Pool::Fees, 2)];
    assert_eq!(seen(&journal(JournalKind::Payment, legs).unwrap()), expected);
    let release = [leg(reserved, Pool::Available(BUDGET), 7)];
    let expected = [(reserved, -7), (Pool::Available(BUDGET), 7)];
    assert_eq!(seen(&journal(JournalKind::PaymentRelease, release).unwrap()), expected);
}

#[test]
fn postings_of_a_card_message_are_available_held_and_network() {
    let (available, held) = (Pool::Available(BUDGET), Pool::Held(BUDGET));
    let legs = [leg(held, Pool::CardNetwork, 60), leg(held, available, 40)];
    let expected = [(available, 40), (held, -100), (Pool::CardNetwork, 60)];
    assert_eq!(seen(&journal(JournalKind::Card, legs).unwrap()), expected);
}

#[test]
fn a_pool_that_only_passes_money_on_has_no_posting() {
    let (available, held) = (Pool::Available(BUDGET), Pool::Held(BUDGET));
    let legs = [leg(available, held, 5), leg(held, Pool::CardNetwork, 5)];
    assert_eq!(seen(&journal(JournalKind::Card, legs).unwrap()), [(available, -5), (Pool::CardNetwork, 5)]);
}

#[test]
fn a_gain_fits_64_bits() {
    let legs = |last| [leg(Pool::Fees, Pool::CardNetwork, i64::MAX), leg(Pool::PayerBanks, Pool::CardNetwork, last)];
    assert_eq!(journal(JournalKind::Card, legs(1)), Err(AmountOutOfRange::Overflow));
    assert_eq!(journal(JournalKind::Card, [legs(1)[0]]).unwrap().legs().len(), 1);
    let there_and_back = [leg(Pool::Fees, Pool::CardNetwork, i64::MAX), leg(Pool::CardNetwork, Pool::Fees, i64::MAX)];
    assert_eq!(journal(JournalKind::Card, there_and_back).unwrap().postings(), []);
}

fn pool() -> impl Strategy<Value = Pool> {
    let other = BudgetId(Uuid::from_u128(2));
    prop::sample::select(vec![
        Pool::Available(BUDGET),
        Pool::Held(BUDGET),
        Pool::Reserved(BUDGET),
        Pool::Available(other),
        Pool::CardNetwork,
        Pool::OutboundPayments,
        Pool::MerchantSettled(Uuid::from_u128(3)),
    ])
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -1_000..1_000_i64, 1 => (i64::MAX - 9)..=i64::MAX, 1 => any::<i64>()]
}

proptest! {
    /// Whatever the legs are, their postings add up to zero, each pool has at most one, and balances change by them.
    #[test]
    fn postings_add_up_to_zero(
        moves in prop::collection::vec((pool(), pool(), amount()), 0..6),
        opening in 0..5_000_i64,
    ) {
        let created: Result<Vec<_>, _> =
            moves.iter().map(|(from, to, amount)| Leg::new(*from, *to, Minor(*amount))).collect();
        let expected = moves.iter().all(|(from, to, amount)| from == to || *amount != i64::MIN);
        prop_assert_eq!(created.is_ok(), expected);
        let Ok(created) = created else { return Ok(()) };
        let legs: Vec<_> = created.into_iter().flatten().collect();
        prop_assert!(legs.iter().all(|leg| leg.amount().0 > 0 && leg.from() != leg.to()));
        let mut net: BTreeMap<Pool, i128> = BTreeMap::new();
        for (from, to, amount) in &moves {
            *net.entry(*from).or_default() -= i128::from(*amount);
            *net.entry(*to).or_default() += i128::from(*amount);
        }
        net.retain(|_, gain| *gain != 0);
        let booked = journal(JournalKind::Transfer, legs);
        prop_assert_eq!(booked.is_ok(), net.values().all(|gain| i64::try_from(*gain).is_ok()));
        let Ok(booked) = booked else { return Ok(()) };
        let postings = booked.postings();
        prop_assert_eq!(postings.iter().map(|posting| i128::from(posting.amount.0)).sum::<i128>(), 0);
        let found: BTreeMap<_, _> =
            postings.iter().map(|posting| (posting.pool, i128::from(posting.amount.0))).collect();
        prop_assert_eq!((found.len(), &found), (postings.len(), &net));
        let before = Balances::new(Minor(opening), Minor(opening), Minor(opening)).unwrap();
        let after = [before.available(), before.held(), before.reserved()]
            .into_iter()
            .zip([Pool::Available(BUDGET), Pool::Held(BUDGET), Pool::Reserved(BUDGET)])
            .map(|(before, pool)| i128::from(before.0) + net.get(&pool).copied().unwrap_or_default());
        let after: Vec<_> = after.filter_map(|sum| i64::try_from(sum).ok().map(Minor)).collect();
        let expected = match after[..] {
            [available, held, reserved] => Balances::new(available, held, reserved),
            _ => Err(AmountOutOfRange::Overflow),
        };
        prop_assert_eq!(before.after(BUDGET, booked.legs()), expected);
    }
}

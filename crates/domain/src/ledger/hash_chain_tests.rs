//! Tests of what the hash of a leg contains, and which chains a leg continues.

use super::*;
use crate::ids::AccountId;
use crate::ledger::Leg;
use chrono::TimeDelta;

const ONE: BudgetId = BudgetId(Uuid::from_u128(1));
const OTHER: BudgetId = BudgetId(Uuid::from_u128(2));
const MERCHANT: Uuid = Uuid::from_u128(3);

fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

fn line_of(account: &str, from: Pool, to: Pool) -> JournalLine {
    let (id, account) = (Uuid::from_u128(9), AccountId::parse(account).unwrap());
    let (leg, cause) = (Leg::new(from, to, Minor(5)).unwrap(), (JournalKind::Transfer, Uuid::from_u128(8)));
    let at = DateTime::from_timestamp(1_788_264_000, 0).unwrap();
    let journal = JournalTransaction::new(JournalId(id), account, cause, gbp(), at, leg).unwrap();
    journal.lines().next().unwrap()
}

fn line(from: Pool, to: Pool) -> JournalLine {
    line_of("F1", from, to)
}

fn start() -> [Option<Link>; 2] {
    [Some(Link::default()), Some(Link::default())]
}

#[test]
fn every_part_is_hashed() {
    let good = line(Pool::Available(ONE), Pool::Available(OTHER));
    let pool = |pool: Pool| StoredPool::from(pool);
    let lines = [
        good.clone(),
        JournalLine { journal: JournalId(Uuid::from_u128(8)), cause: Uuid::from_u128(9), ..good.clone() },
        JournalLine { journal: JournalId(Uuid::from_u128(7)), ..good.clone() },
        JournalLine { cause: Uuid::from_u128(7), ..good.clone() },
        JournalLine { line: 1, ..good.clone() },
        JournalLine { kind: JournalKind::Card, ..good.clone() },
        JournalLine { currency: Currency::parse("EUR").unwrap(), ..good.clone() },
        JournalLine { at: good.at + TimeDelta::microseconds(1), ..good.clone() },
        JournalLine { number: Some(0), ..good.clone() },
        JournalLine { number: Some(1), ..good.clone() },
        JournalLine { amount: Minor(6), ..good.clone() },
        JournalLine { from: pool(Pool::Held(ONE)), ..good.clone() },
        JournalLine { from: pool(Pool::Available(OTHER)), to: pool(Pool::Available(ONE)), ..good.clone() },
        JournalLine { to: pool(Pool::Held(OTHER)), ..good.clone() },
        JournalLine { to: pool(Pool::Fees), ..good.clone() },
        JournalLine { settled_to: Some(MERCHANT), ..good.clone() },
        JournalLine { to: pool(Pool::Fees), settled_to: Some(OTHER.0), ..good.clone() },
    ];
    let mut hashes: Vec<_> =
        lines.iter().map(|line| line.link(Link::default(), LegSide::From, LinkHash::default())).collect();
    hashes.push(good.link(Link { number: 1, ..Link::default() }, LegSide::From, LinkHash::default()));
    hashes.push(good.link(Link { number: 0, hash: LinkHash([1; 32]) }, LegSide::From, LinkHash::default()));
    hashes.push(good.link(Link::default(), LegSide::From, LinkHash([1; 32])));
    hashes.push(good.link(Link::default(), LegSide::To, LinkHash::default()));
    for (place, link) in hashes.iter().enumerate() {
        assert!(hashes[..place].iter().all(|other| other.hash != link.hash), "{place}");
    }
}

#[test]
fn the_account_is_not_hashed() {
    let [one, other] = ["F1", "F2"].map(|account| line_of(account, Pool::Available(ONE), Pool::Held(ONE)));
    assert_eq!(one.links(start()), other.links(start()));
}

/// If this fails, the format has changed: `florin check` would report every leg that is stored already.
#[test]
fn the_hashed_bytes_are_as_documented() {
    let line = JournalLine {
        number: Some(7),
        settled_to: Some(MERCHANT),
        ..line(Pool::Available(ONE), Pool::MerchantSettled(MERCHANT))
    };
    let mut expected = b"florin leg 1".to_vec();
    for number in [4_i64, 0, 1_788_264_000_000_000, 5] {
        expected.extend(number.to_be_bytes());
    }
    expected.push(1);
    expected.extend([[1_u8; 32], [2; 32]].concat());
    expected.extend([Uuid::from_u128(9), Uuid::from_u128(8)].iter().flat_map(Uuid::as_bytes));
    expected.extend(b"transfer\0GBP\0available\0merchant_settled\0");
    expected.push(1);
    expected.extend(ONE.0.as_bytes());
    expected.extend([0, 1]);
    expected.extend(MERCHANT.as_bytes());
    expected.extend([1, 0, 0, 0, 0, 0, 0, 0, 7]);
    assert_eq!(line.bytes_to_hash(4, LegSide::To, [LinkHash([1; 32]), LinkHash([2; 32])]), expected);
}

#[test]
fn a_leg_continues_the_chain_of_each_balance_once() {
    let balance = |budget| Some(HashChain::Balance(budget, gbp()));
    let settlements = Some(HashChain::Settlements);
    for (from, to, chains) in [
        (Pool::Available(ONE), Pool::Held(ONE), [balance(ONE), None]),
        (Pool::Held(ONE), Pool::CardNetwork, [balance(ONE), None]),
        (Pool::InboundPayments, Pool::Available(ONE), [None, balance(ONE)]),
        (Pool::Available(ONE), Pool::Available(OTHER), [balance(ONE), balance(OTHER)]),
        (Pool::PayerBanks, Pool::MerchantSettled(MERCHANT), [None, settlements]),
        (Pool::MerchantSettled(MERCHANT), Pool::PayerBanks, [settlements, None]),
        (Pool::Fees, Pool::CardNetwork, [None, None]),
    ] {
        assert_eq!(line(from, to).chains(), chains, "{from} {to}");
    }
}

#[test]
fn the_receiving_chain_of_a_transfer_includes_the_paying_one() {
    let transfer = line(Pool::Available(ONE), Pool::Available(OTHER));
    let last = Link { number: 3, hash: LinkHash([3; 32]) };
    let [paid, received] = transfer.links([Some(last), Some(Link::default())]).map(Option::unwrap);
    assert_eq!((paid.number, received.number), (4, 1));
    assert_eq!(received, transfer.link(Link::default(), LegSide::To, paid.hash));
    let [_, elsewhere] = transfer.links(start()).map(Option::unwrap);
    assert_ne!(received, elsewhere, "the hash depends on the earlier legs of the paying budget");
    assert_eq!(transfer.links([None, None]), [None, None]);
}

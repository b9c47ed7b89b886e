//! Tests that every change of a stored hash chain is found, and that a changed leg is named.

use super::*;
use crate::ids::{AccountId, BudgetId};
use crate::ledger::{HashChain, JournalKind, JournalTransaction, Leg, Pool, StoredPool};
use crate::money::{Currency, Minor};
use chrono::{DateTime, TimeDelta};
use proptest::prelude::*;
use std::collections::BTreeMap;
use uuid::Uuid;

/// A stored line with its links.
type Stored = (JournalLine, [Option<Link>; 2]);

fn budget(number: u8) -> BudgetId {
    BudgetId(Uuid::from_u128(u128::from(number) + 1))
}

fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

fn chain_of_first_budget() -> HashChain {
    HashChain::Balance(budget(0), gbp())
}

/// A journal transaction on some of three budgets. `what` selects the budgets and the kind.
fn transaction(number: u128, what: u8) -> JournalTransaction {
    let (one, other) = (budget(what % 3), budget((what % 3 + 1) % 3));
    let leg = |from, to, amount| Leg::new(from, to, Minor(amount)).unwrap();
    let merchant = Pool::MerchantSettled(Uuid::from_u128(7));
    let (kind, legs) = match what % 5 {
        0 => (JournalKind::Card, vec![leg(Pool::Available(one), Pool::Held(one), 5)]),
        1 => (JournalKind::Credit, vec![leg(Pool::InboundPayments, Pool::Available(one), 6)]),
        2 => (JournalKind::Transfer, vec![leg(Pool::Available(one), Pool::Available(other), 7)]),
        3 => (
            JournalKind::Payment,
            vec![leg(Pool::Reserved(one), Pool::OutboundPayments, 8), leg(Pool::Reserved(one), Pool::Fees, 2)],
        ),
        _ => (JournalKind::MerchantPayment, vec![leg(Pool::PayerBanks, merchant, 9)]),
    };
    let at = DateTime::UNIX_EPOCH + TimeDelta::seconds(i64::try_from(number).unwrap());
    let (id, cause) = (JournalId(Uuid::from_u128(100 + number)), (kind, Uuid::from_u128(1_000 + number)));
    JournalTransaction::new(id, account(), cause, gbp(), at, legs.into_iter().flatten()).unwrap()
}

/// The journal of an account as a store keeps it, and the end of each chain with its number of movements.
#[derive(Clone, Default)]
struct Journal {
    lines: Vec<Stored>,
    ends: BTreeMap<HashChain, (Link, i64)>,
}

impl Journal {
    fn of(transactions: &[u8]) -> Self {
        let mut journal = Self::default();
        for (number, what) in (0..).zip(transactions) {
            journal.add(&transaction(number, *what));
        }
        journal
    }

    fn add(&mut self, transaction: &JournalTransaction) {
        let mut moved: Vec<HashChain> = Vec::new();
        for line in transaction.lines() {
            let chains = line.chains();
            let links = line.links(chains.map(|chain| Some(self.ends.entry(chain?).or_default().0)));
            for (chain, link) in chains.into_iter().zip(links).filter_map(|(chain, link)| chain.zip(link)) {
                let end = self.ends.get_mut(&chain).unwrap();
                end.0 = link;
                end.1 += i64::from(!moved.contains(&chain));
                moved.push(chain);
            }
            self.lines.push((line, links));
        }
    }

    /// Verifies all chains as a store does.
    fn verified(&self) -> ChainsOfAccounts {
        let books = |(chain, (link, movements)): (&HashChain, &(Link, i64))| {
            let movements = (*chain != HashChain::Settlements).then_some(*movements);
            ((account(), *chain), ChainBooks::new(*link, movements))
        };
        let mut found: ChainsOfAccounts = self.ends.iter().map(books).collect();
        let mut stored = Vec::new();
        for (line, links) in &self.lines {
            for (link, side) in links.iter().zip([LegSide::From, LegSide::To]) {
                stored.extend(link.map(|link| (link.number, line, *links, side)));
            }
            if *links == [None, None] {
                for chain in line.chains().into_iter().flatten() {
                    found.entry((account(), chain)).or_default().unlinked += 1;
                }
            }
        }
        stored.sort_by_key(|(number, line, ..)| (*number, line.journal, line.line));
        for (_, line, links, side) in stored {
            verify_link(&mut found, &account(), line, links, side);
        }
        found
    }

    fn broken(&self) -> Vec<BrokenLink> {
        self.verified().values().filter_map(ChainBooks::broken).collect()
    }
}

fn broken_at(line: &JournalLine, reason: BrokenLinkReason) -> Vec<BrokenLink> {
    vec![BrokenLink { leg: Some((line.journal, line.line)), reason }]
}

fn broken_as_a_whole(reason: BrokenLinkReason) -> Vec<BrokenLink> {
    vec![BrokenLink { leg: None, reason }]
}

#[test]
fn an_unchanged_journal_has_no_broken_link() {
    let journal = Journal::of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    assert_eq!(journal.broken(), []);
    let links = journal.lines.iter().flat_map(|(_, links)| links).flatten().count();
    let verified: i64 = journal.verified().values().map(ChainBooks::verified).sum();
    assert_eq!(verified, i64::try_from(links).unwrap());
}

#[test]
fn a_missing_leg_is_found_at_the_leg_after_it_or_at_the_end() {
    let good = Journal::of(&[0, 6, 0, 6]);
    let mut journal = good.clone();
    journal.lines.remove(0);
    assert_eq!(journal.broken(), broken_at(&good.lines[1].0, BrokenLinkReason::NotFollowing));
    let mut journal = good;
    journal.lines.pop();
    assert_eq!(journal.broken(), broken_as_a_whole(BrokenLinkReason::OtherEnd));
}

#[test]
fn a_leg_whose_links_are_blanked_is_found() {
    for place in 0..3 {
        let mut journal = Journal::of(&[0, 0, 0]);
        journal.lines[place].1 = [None, None];
        assert_eq!(journal.broken().len(), 1, "{place}");
    }
}

#[test]
fn legs_older_than_the_chain_are_counted() {
    let (mut journal, early) = (Journal::of(&[0]), transaction(50, 0));
    journal.lines.extend(early.lines().map(|line| (line, [None, None])));
    assert_eq!(journal.broken(), broken_as_a_whole(BrokenLinkReason::Unlinked), "a leg without a link was added");
    journal.ends.get_mut(&chain_of_first_budget()).unwrap().1 += 1;
    assert_eq!(journal.broken(), []);
    journal.lines.pop();
    assert_eq!(journal.broken(), broken_as_a_whole(BrokenLinkReason::Unlinked), "a leg without a link is missing");
}

#[test]
fn legs_that_swap_their_contents_are_found() {
    let mut journal = Journal::of(&[0, 0]);
    let causes = [journal.lines[0].0.cause, journal.lines[1].0.cause];
    (journal.lines[0].0.cause, journal.lines[1].0.cause) = (causes[1], causes[0]);
    assert_eq!(journal.broken(), broken_at(&journal.lines[0].0.clone(), BrokenLinkReason::Changed));
}

#[test]
fn a_rewritten_hash_is_found_at_the_next_leg() {
    let mut journal = Journal::of(&[0, 0, 0]);
    journal.lines[0].0.amount = Minor(500);
    let forged = journal.lines[0].0.links([Some(Link::default()), None]);
    journal.lines[0].1 = forged;
    assert_eq!(journal.broken(), broken_at(&journal.lines[1].0.clone(), BrokenLinkReason::Changed));
}

#[test]
fn names_are_unique() {
    let names: std::collections::BTreeSet<_> = BrokenLinkReason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(names.len(), BrokenLinkReason::ALL.len());
}

/// Changes one member of a line, which `what` selects.
fn change(line: &mut JournalLine, what: u8) {
    let other = Uuid::from_u128(77);
    match what {
        0 => line.journal = JournalId(other),
        1 => line.line += 1,
        2 => line.kind = JournalKind::BatchRelease,
        3 => line.cause = other,
        4 => line.currency = Currency::parse("EUR").unwrap(),
        5 => line.at += TimeDelta::microseconds(1),
        6 => line.number = Some(1),
        7 => line.amount = Minor(line.amount.0 + 1),
        8 => line.from.budget = Some(BudgetId(other)),
        9 => line.to = StoredPool { budget: Some(BudgetId(other)), ..line.to },
        10 => line.settled_to = Some(other),
        _ => line.from.name = Pool::Reserved(budget(0)).kind(),
    }
}

proptest! {
    #[test]
    fn every_change_of_a_line_is_found(
        transactions in prop::collection::vec(any::<u8>(), 1..20),
        place in any::<prop::sample::Index>(),
        what in 0..12_u8,
    ) {
        let mut journal = Journal::of(&transactions);
        prop_assert_eq!(journal.broken(), vec![]);
        let place = place.index(journal.lines.len());
        let before = journal.lines[place].0.clone();
        change(&mut journal.lines[place].0, what);
        prop_assume!(journal.lines[place].0 != before);
        prop_assert!(!journal.broken().is_empty(), "{:?}", before);
    }

    #[test]
    fn every_missing_repeated_or_moved_line_is_found(
        transactions in prop::collection::vec(any::<u8>(), 2..20),
        places in any::<[prop::sample::Index; 2]>(),
    ) {
        let good = Journal::of(&transactions);
        let [one, other] = places.map(|place| place.index(good.lines.len()));
        let mut removed = good.clone();
        removed.lines.remove(one);
        prop_assert!(!removed.broken().is_empty());
        let mut repeated = good.clone();
        let mut copy = repeated.lines[one].clone();
        copy.0.journal = JournalId(Uuid::from_u128(88));
        repeated.lines.push(copy);
        prop_assert!(!repeated.broken().is_empty());
        let mut moved = good;
        let links = [one, other].map(|place| moved.lines[place].1);
        prop_assume!(links[0] != links[1]);
        (moved.lines[one].1, moved.lines[other].1) = (links[1], links[0]);
        prop_assert!(!moved.broken().is_empty());
    }
}

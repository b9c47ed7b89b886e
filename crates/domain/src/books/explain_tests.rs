//! Tests of explanations.

use super::*;

fn pools(available: i128, held: i128, reserved: i128) -> PoolSums {
    PoolSums { available: Total(available), held: Total(held), reserved: Total(reserved) }
}

fn booking(number: u128, moved: PoolSums) -> Booking {
    Booking {
        journal: JournalId(Uuid::from_u128(number)),
        kind: JournalKind::Card,
        cause: Uuid::from_u128(number),
        at: DateTime::UNIX_EPOCH,
        moved,
    }
}

/// A credit of 100, a hold of 30, and a clearing of 25 that ends the hold.
fn parts() -> ExplanationParts {
    let (credit, hold, clearing) = (pools(100, 0, 0), pools(-30, 30, 0), pools(5, -30, 0));
    let sum = |kind, count, moved| KindSum { kind, count, moved };
    ExplanationParts {
        budget: BudgetId(Uuid::nil()),
        currency: Currency::parse("GBP").unwrap(),
        stated: pools(75, 0, 0),
        sums: vec![sum(JournalKind::Credit, 1, credit), sum(JournalKind::Card, 2, hold.plus(clearing))],
        bookings: vec![booking(3, clearing), booking(2, hold), booking(1, credit)],
        skipped: PoolSums::default(),
        holds: OpenItems::default(),
        reservations: OpenItems::default(),
    }
}

#[test]
fn running_balances_end_at_the_current_balance() {
    let explained = explain(parts(), PageRequest::default());
    assert!(explained.adds_up());
    assert_eq!(explained.bookings.count, 3);
    let after: Vec<_> =
        explained.bookings.rows.iter().map(|row| (row.after.ledger().0, row.after.available.0)).collect();
    assert_eq!(after, [(75, 75), (100, 70), (100, 100)]);
}

#[test]
fn running_balances_continue_on_a_later_page() {
    let mut later = parts();
    later.skipped = later.bookings.remove(0).moved;
    let explained = explain(later, PageRequest { limit: 2, offset: 1 });
    let unpaged = explain(parts(), PageRequest::default());
    assert_eq!(explained.bookings.rows, unpaged.bookings.rows[1..]);
}

#[test]
fn each_difference_fails_its_own_proofs() {
    type Falsify = fn(&mut ExplanationParts);
    let falsify: [(Falsify, &[ProofName]); 5] = [
        (|parts| parts.stated.available.0 += 1, &[ProofName::AvailableIsPostings]),
        (|parts| parts.stated.held.0 += 1, &[ProofName::HeldIsPostings, ProofName::HeldIsOpenHolds]),
        (|parts| parts.holds.total.0 += 1, &[ProofName::HeldIsOpenHolds]),
        (|parts| parts.reservations.total.0 += 1, &[ProofName::ReservedIsReservations]),
        (|parts| parts.sums[1].moved.reserved.0 += 1, &[ProofName::ReservedIsPostings]),
    ];
    for (falsify, expected) in falsify {
        let mut parts = parts();
        falsify(&mut parts);
        let explained = explain(parts, PageRequest::default());
        let broken: Vec<_> = explained.proofs.iter().filter(|proof| !proof.holds()).map(|proof| proof.name).collect();
        assert_eq!((broken.as_slice(), explained.adds_up()), (expected, false));
    }
}

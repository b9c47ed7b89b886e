//! Explanations of balances.

use super::{PoolSums, budget_postings};
use crate::batch::PaymentBatchStatus;
use crate::ids::{BudgetId, CardId, JournalId, OrderId, PaymentBatchId, TransactionToken};
use crate::ledger::{JournalKind, JournalTransaction};
use crate::money::{Currency, Minor, Total};
use crate::page::{Page, PageRequest};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The part of a journal transaction that concerns one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// The id of the journal transaction.
    pub journal: JournalId,
    /// The kind of movement.
    pub kind: JournalKind,
    /// The id of its cause: a card message, credit, batch, payment, transfer, or payment of a checkout session.
    pub cause: Uuid,
    /// When it was booked.
    pub at: DateTime<Utc>,
    /// The change of each pool.
    pub moved: PoolSums,
}

impl Booking {
    /// The part of a journal transaction that concerns a budget. `None`: it has no leg to or from the budget.
    pub fn of(journal: &JournalTransaction, budget: BudgetId) -> Option<Self> {
        let mut own = budget_postings(journal).filter(|(of, ..)| *of == budget).peekable();
        own.peek()?;
        let mut moved = PoolSums::default();
        for (_, pool, amount) in own {
            moved.add(pool, amount);
        }
        Some(Self { journal: journal.id, kind: journal.kind, cause: journal.cause, at: journal.at, moved })
    }

    /// Adds up the changes of bookings.
    pub fn total<'a>(bookings: impl IntoIterator<Item = &'a Self>) -> PoolSums {
        bookings.into_iter().fold(PoolSums::default(), |sum, booking| sum.plus(booking.moved))
    }
}

/// The sum of all movements of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindSum {
    /// The kind of movement.
    pub kind: JournalKind,
    /// Number of journal transactions.
    pub count: i64,
    /// The change of each pool.
    pub moved: PoolSums,
}

impl KindSum {
    /// The sums of the kinds that occur, in the order of [`JournalKind::ALL`].
    pub fn of_each(bookings: &[Booking]) -> Vec<Self> {
        let of_kind = |kind| {
            let own: Vec<_> = bookings.iter().filter(|booking| booking.kind == kind).collect();
            let count = i64::try_from(own.len()).unwrap_or(i64::MAX);
            (count > 0).then(|| Self { kind, count, moved: Booking::total(own) })
        };
        JournalKind::ALL.into_iter().filter_map(of_kind).collect()
    }
}

/// Open holds or reservations: their number, their total, and the first items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenItems<T> {
    /// Number of items.
    pub count: i64,
    /// Total of all items.
    pub total: Total,
    /// The first items, at most [`MAX_LISTED`].
    pub rows: Vec<T>,
}

impl<T> Default for OpenItems<T> {
    fn default() -> Self {
        Self { count: 0, total: Total::ZERO, rows: Vec::new() }
    }
}

/// Maximum number of listed holds, and of listed reservations.
pub const MAX_LISTED: usize = 1000;

/// An open hold of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenHold {
    /// The token of its chain's first message.
    pub chain: TransactionToken,
    /// The card.
    pub card: CardId,
    /// The amount held, above zero.
    pub amount: Minor,
    /// When the chain began.
    pub created_at: DateTime<Utc>,
    /// When the hold is due to expire.
    pub due_at: DateTime<Utc>,
}

/// Money reserved for a payment order and not yet paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The batch.
    pub batch: PaymentBatchId,
    /// The payment order, which this budget funds.
    pub order: OrderId,
    /// The status of the batch: confirmed or started.
    pub status: PaymentBatchStatus,
    /// Amounts and fees of its payments that are not final.
    pub amount: Minor,
}

/// The rows from which a balance is explained. An adapter reads them in one consistent view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationParts {
    /// The budget.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The stored balances.
    pub stated: PoolSums,
    /// The sum of each kind of movement that occurred, in the order of [`JournalKind::ALL`].
    pub sums: Vec<KindSum>,
    /// The page of journal transactions, newest first by time, then by id.
    pub bookings: Vec<Booking>,
    /// The sum of newer transactions, which the page skips.
    pub skipped: PoolSums,
    /// Open holds, earliest due first.
    pub holds: OpenItems<OpenHold>,
    /// Reservations, oldest batch first.
    pub reservations: OpenItems<Reservation>,
}

/// A journal transaction with the balances after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningBalance {
    /// The transaction.
    pub booking: Booking,
    /// The budget's pools after it: the sum of this transaction and all older transactions.
    pub after: PoolSums,
}

/// The equality that a proof checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofName {
    /// The available balance is the sum of its postings.
    AvailableIsPostings,
    /// The held balance is the sum of its postings.
    HeldIsPostings,
    /// The reserved balance is the sum of its postings.
    ReservedIsPostings,
    /// The held balance is the sum of the open holds.
    HeldIsOpenHolds,
    /// The reserved balance is the sum of the reservations.
    ReservedIsReservations,
}

impl ProofName {
    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AvailableIsPostings => "available_is_postings",
            Self::HeldIsPostings => "held_is_postings",
            Self::ReservedIsPostings => "reserved_is_postings",
            Self::HeldIsOpenHolds => "held_is_open_holds",
            Self::ReservedIsReservations => "reserved_is_reservations",
        }
    }
}

/// Two sums that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Its name.
    pub name: ProofName,
    /// The stored balance.
    pub stated: Total,
    /// The computed sum.
    pub computed: Total,
}

impl Proof {
    /// Whether they are equal.
    pub fn holds(&self) -> bool {
        self.stated == self.computed
    }
}

/// The explanation of a balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalanceExplanation {
    /// The budget.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The stored balances.
    pub stated: PoolSums,
    /// The sum of each kind of movement that occurred.
    pub sums: Vec<KindSum>,
    /// The requested page.
    pub page: PageRequest,
    /// The journal transactions of the page, newest first.
    pub bookings: Page<RunningBalance>,
    /// Open holds.
    pub holds: OpenItems<OpenHold>,
    /// Reservations.
    pub reservations: OpenItems<Reservation>,
    /// The proofs.
    pub proofs: [Proof; 5],
}

impl BalanceExplanation {
    /// Whether all proofs hold.
    pub fn adds_up(&self) -> bool {
        self.proofs.iter().all(Proof::holds)
    }
}

/// Explains a balance: running balances from the newest transaction down, and proofs of its sums.
pub fn explain(parts: ExplanationParts, page: PageRequest) -> BalanceExplanation {
    let ExplanationParts { budget, currency, stated, sums, bookings, skipped, holds, reservations } = parts;
    let sum = sums.iter().fold(PoolSums::default(), |sum, kind| sum.plus(kind.moved));
    let mut after = sum.minus(skipped);
    let rows = bookings.into_iter().map(|booking| {
        let before = after.minus(booking.moved);
        RunningBalance { after: std::mem::replace(&mut after, before), booking }
    });
    let rows: Vec<_> = rows.collect();
    let count = sums.iter().map(|kind| kind.count).sum();
    let proof = |name, stated, computed| Proof { name, stated, computed };
    let proofs = [
        proof(ProofName::AvailableIsPostings, stated.available, sum.available),
        proof(ProofName::HeldIsPostings, stated.held, sum.held),
        proof(ProofName::ReservedIsPostings, stated.reserved, sum.reserved),
        proof(ProofName::HeldIsOpenHolds, stated.held, holds.total),
        proof(ProofName::ReservedIsReservations, stated.reserved, reservations.total),
    ];
    BalanceExplanation {
        budget,
        currency,
        stated,
        sums,
        page,
        bookings: Page { count, rows },
        holds,
        reservations,
        proofs,
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;

//! What a balance is made of.

use super::Pools;
use crate::batch::PaymentBatchStatus;
use crate::ids::{BudgetId, CardId, JournalId, OrderId, PaymentBatchId, TransactionToken};
use crate::ledger::JournalKind;
use crate::money::{Currency, Minor, Total};
use crate::page::{Page, PageRequest};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A journal transaction, as far as it touches one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// Its id.
    pub journal: JournalId,
    /// Why money moved.
    pub kind: JournalKind,
    /// The id of the card message, credit, batch or payment behind it.
    pub cause: Uuid,
    /// When.
    pub at: DateTime<Utc>,
    /// What it moved, by pool.
    pub moved: Pools,
}

/// All movements of one kind, added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindSum {
    /// Why money moved.
    pub kind: JournalKind,
    /// In how many journal transactions.
    pub count: i64,
    /// How much, by pool.
    pub moved: Pools,
}

/// Money that is kept for something: how much in all, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held<T> {
    /// For how many things.
    pub count: i64,
    /// How much for all of them.
    pub total: Total,
    /// The first of them, at most [`MAX_TOLD`].
    pub rows: Vec<T>,
}

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self { count: 0, total: Total::ZERO, rows: Vec::new() }
    }
}

/// So many holds, and so many reservations, are told one by one.
pub const MAX_TOLD: usize = 1000;

/// An open hold of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenHold {
    /// The token of its chain's first message.
    pub chain: TransactionToken,
    /// The card.
    pub card: CardId,
    /// How much is held, above zero.
    pub amount: Minor,
    /// When the chain began.
    pub created_at: DateTime<Utc>,
    /// When the hold is due to expire.
    pub due_at: DateTime<Utc>,
}

/// What is reserved for an order of a payment batch, and not paid yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The batch.
    pub batch: PaymentBatchId,
    /// The order of it that this budget pays.
    pub order: OrderId,
    /// Where the batch stands: confirmed or started.
    pub status: PaymentBatchStatus,
    /// How much of amounts and fees is not final yet.
    pub amount: Minor,
}

/// What a store reads for an explanation, in one view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationParts {
    /// The budget.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// What its balances are said to be.
    pub stated: Pools,
    /// Every kind of movement that occurred, in the order of [`JournalKind::ALL`].
    pub sums: Vec<KindSum>,
    /// The page of journal transactions, newest first by time, then by id.
    pub bookings: Vec<Booking>,
    /// What the newer ones moved, which the page skips.
    pub skipped: Pools,
    /// Open holds, those that are due first.
    pub holds: Held<OpenHold>,
    /// Reservations by the age of their batch.
    pub reservations: Held<Reservation>,
}

/// A journal transaction with the balances after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The transaction.
    pub booking: Booking,
    /// What the budget held after it: the sum of it and of all older ones.
    pub after: Pools,
}

/// What an explanation proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofName {
    /// The available balance is the sum of its postings.
    AvailableIsPostings,
    /// What is held is the sum of its postings.
    HeldIsPostings,
    /// What is reserved is the sum of its postings.
    ReservedIsPostings,
    /// What is held is the sum of the open holds.
    HeldIsOpenHolds,
    /// What is reserved is the sum of the reservations.
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

/// Two sums that must be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Which.
    pub name: ProofName,
    /// What the balance says.
    pub stated: Total,
    /// What it was found to be made of.
    pub computed: Total,
}

impl Proof {
    /// Whether they are one.
    pub fn holds(&self) -> bool {
        self.stated == self.computed
    }
}

/// A balance, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The budget.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// What its balances are said to be.
    pub stated: Pools,
    /// Every kind of movement that occurred.
    pub sums: Vec<KindSum>,
    /// The page that was asked for.
    pub page: PageRequest,
    /// Journal transactions of it, newest first.
    pub bookings: Page<Running>,
    /// Open holds.
    pub holds: Held<OpenHold>,
    /// Reservations.
    pub reservations: Held<Reservation>,
    /// What was compared.
    pub proofs: [Proof; 5],
}

impl Explanation {
    /// Whether everything that was compared is equal.
    pub fn adds_up(&self) -> bool {
        self.proofs.iter().all(Proof::holds)
    }
}

/// Explains a balance: running balances from the newest transaction down, and what adds up to what.
pub fn explain(parts: ExplanationParts, page: PageRequest) -> Explanation {
    let ExplanationParts { budget, currency, stated, sums, bookings, skipped, holds, reservations } = parts;
    let sum = sums.iter().fold(Pools::default(), |sum, kind| sum.plus(kind.moved));
    let mut after = sum.minus(skipped);
    let rows = bookings.into_iter().map(|booking| {
        let before = after.minus(booking.moved);
        Running { after: std::mem::replace(&mut after, before), booking }
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
    Explanation { budget, currency, stated, sums, page, bookings: Page { count, rows }, holds, reservations, proofs }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;

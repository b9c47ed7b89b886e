//! The check of the books of a whole store.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::books::{AccountBooks, BrokenLink, DisputeBooks, MerchantBooks};
use florin_domain::ids::{AccountId, BudgetId, CheckoutSessionId, DisputeId, JournalId, MerchantPaymentId};
use florin_domain::ledger::HashChain;
use florin_domain::money::Currency;
use std::sync::Arc;
use uuid::Uuid;

/// The result of a check of the books.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BooksReport {
    /// Number of journal transactions read.
    pub journal_transactions: i64,
    /// Number of balances checked.
    pub balances: i64,
    /// The discrepancies found; empty if the stored values agree.
    pub discrepancies: Vec<Discrepancy>,
}

/// A discrepancy between stored values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// Legs of a journal transaction are missing or contradict each other.
    Legs(JournalId),
    /// A balance differs from the sum of its postings.
    Balance {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// The held balance differs from the sum of the open holds.
    Holds {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// The reserved balance differs from the unpaid amount of confirmed and started payment batches.
    Reservations {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// A checkpoint of this balance differs from the sum of the postings that it covers. Explanations start from
    /// checkpoints. Only for stores that have them.
    Checkpoint {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// The stored count of an account's checkouts is wrong. Only for stores that keep such counts.
    CheckoutCount(AccountId),
    /// A stored count of an account's cards, budgets, people or merchant payments is wrong. Only for stores that keep
    /// such counts.
    ListCount(AccountId),
    /// The data that lists show of this account's merchant payments contradicts their sessions or refunds. Only for
    /// stores that keep this data with the payments.
    ListedPayments(AccountId),
    /// Two events of this object have the same sequence, or an event has a sequence beyond the last one that is stored
    /// for the object.
    Sequence(Uuid),
    /// A row of this table refers to an account, card, message or balance that does not exist, or contains an unknown
    /// name.
    Constraint(&'static str),
    /// The journal or the disputed chain does not agree with this dispute.
    Dispute(DisputeId),
    /// The journal does not agree with the payments of this settlement account or payee.
    Settlement(Uuid),
    /// The refunds of this payment exceed its amount.
    Refunds(MerchantPaymentId),
    /// The number of COMPLETED payments of this session contradicts its status.
    Session(CheckoutSessionId),
    /// A leg in a hash chain of the journal was changed, removed or inserted.
    HashChain {
        /// The account.
        account: AccountId,
        /// The chain.
        chain: HashChain,
        /// The first violation.
        broken: BrokenLink,
    },
}

impl Discrepancy {
    /// Returns the discrepancies of disputes.
    pub fn of_disputes(books: &[DisputeBooks]) -> impl Iterator<Item = Self> {
        books.iter().filter(|dispute| !dispute.agrees()).map(|dispute| Self::Dispute(dispute.dispute))
    }

    /// Returns the discrepancies of hash chains: the first violation of each.
    pub fn of_chains(books: &AccountBooks) -> impl Iterator<Item = Self> {
        let broken = books.broken_chains();
        broken.map(|(account, chain, broken)| Self::HashChain { account: account.clone(), chain, broken })
    }

    /// Returns the discrepancies of merchants' payments.
    pub fn of_merchant(books: &MerchantBooks) -> impl Iterator<Item = Self> {
        let settlements = books.disagreeing_settlements().map(|(target, ..)| Self::Settlement(target));
        let refunds = books.over_refunded().map(|payment| Self::Refunds(payment.payment));
        settlements.chain(refunds).chain(books.miscounted.iter().map(|found| Self::Session(found.session)))
    }
}

/// A step of a check of the books. The variants are in the order of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooksCheckStep {
    /// Check the structure of the database.
    Structure,
    /// Add up the journal, holds, reservations and payments.
    Sums,
    /// Verify the hash chains of the journal.
    HashChains {
        /// Number of links verified so far.
        verified: u64,
        /// Number of links to verify, according to the stored ends of the chains.
        all: u64,
    },
    /// Compare stored counts, checkpoints, lists and the numbers of events.
    Counts,
}

/// Receives each step of a check when the step begins, and [`BooksCheckStep::HashChains`] again while links are
/// verified.
pub type BooksCheckProgress = Arc<dyn Fn(BooksCheckStep) + Send + Sync>;

/// Checks the books of the whole store.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BooksCheck: Send + Sync {
    /// Checks that the store can read all its data. A store that finds damage is not used any more. The default does
    /// nothing, for databases that check their data themselves.
    async fn check_structure(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Checks every journal transaction, every balance, and every pool of holds and reservations against their sums,
    /// and verifies every hash chain of the journal, in one consistent view.
    async fn check_all(&self) -> Result<BooksReport, StoreError>;

    /// Does what [`Self::check_all`] does, and reports its steps. The default reports none.
    async fn watch_check_all(&self, progress: BooksCheckProgress) -> Result<BooksReport, StoreError> {
        drop(progress);
        self.check_all().await
    }
}

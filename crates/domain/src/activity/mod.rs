//! Everything that moved on an account, as one list (contract 5.6).
//!
//! A row is one movement of one source: a card message, a credit, a payment of a batch, a transfer. Its id is that of what
//! moved: the token of a message, the journal transaction of a credit (which has a number, and no other id), the payment,
//! the transfer.

mod credit;
mod kind;
mod status;

pub use credit::CreditDetail;
pub use kind::{ActivitySource, ActivityType};
pub use status::ActivityStatus;

use crate::batch::Payment;
use crate::budget::Transfer;
use crate::card::CardTransaction;
use crate::ids::{AccountId, ActivityId, BudgetId, CardId, JournalId};
use crate::ledger::{JournalKind, JournalTransaction, LedgerAccount};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// One movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Its id.
    pub id: ActivityId,
    /// The account.
    pub account: AccountId,
    /// What moved.
    pub kind: ActivityType,
    /// Where it stands.
    pub status: ActivityStatus,
    /// The budget that it is about; on a transfer the one that gives.
    pub budget: BudgetId,
    /// The currency of its amounts.
    pub currency: Currency,
    /// Its own amount, never negative.
    pub amount: Minor,
    /// What it does to the funds of the budget: negative when they are taken.
    pub impacted: Minor,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// All that is known of it.
    pub detail: ActivityDetail,
}

/// What moved, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityDetail {
    /// A card message.
    Card(Box<CardTransaction>),
    /// A credit; nothing where it stands in the journal only, as the first funds of a prepared account do.
    Credit(Option<Box<CreditDetail>>),
    /// A payment of a batch.
    Payment(Box<Payment>),
    /// A transfer between budgets.
    Transfer(Box<Transfer>),
}

/// Which movements are wanted: all that match every member that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActivityFilter {
    /// Of this type.
    pub kind: Option<ActivityType>,
    /// In this state.
    pub status: Option<ActivityStatus>,
    /// Of this budget.
    pub budget: Option<BudgetId>,
    /// Of this card; only card messages have one.
    pub card: Option<CardId>,
    /// In this currency.
    pub currency: Option<Currency>,
    /// Made at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Made at this time or earlier.
    pub to: Option<DateTime<Utc>>,
}

impl ActivityFilter {
    /// Whether anything of a source can match, so that the others need not be read.
    pub fn reaches(&self, source: ActivitySource) -> bool {
        self.kind.is_none_or(|kind| kind.source() == source)
            && self.status.is_none_or(|status| status.occurs_in(source))
            && (self.card.is_none() || source == ActivitySource::Card)
    }

    /// Whether a movement matches.
    pub fn matches(&self, activity: &Activity) -> bool {
        self.kind.is_none_or(|kind| kind == activity.kind)
            && self.status.is_none_or(|status| status == activity.status)
            && self.budget.is_none_or(|budget| activity.touches(budget))
            && self.card.is_none_or(|card| activity.card() == Some(card))
            && self.currency.is_none_or(|currency| currency == activity.currency)
            && self.from.is_none_or(|from| from <= activity.created_at)
            && self.to.is_none_or(|to| activity.created_at <= to)
    }
}

impl Activity {
    /// The order of the list: the newest first, and of one time the greatest id.
    pub fn order(&self) -> std::cmp::Reverse<(DateTime<Utc>, ActivityId)> {
        std::cmp::Reverse((self.created_at, self.id))
    }

    /// Its card, where it has one.
    pub fn card(&self) -> Option<CardId> {
        match &self.detail {
            ActivityDetail::Card(message) => Some(message.card),
            ActivityDetail::Credit(_) | ActivityDetail::Payment(_) | ActivityDetail::Transfer(_) => None,
        }
    }

    /// Whether it is about that budget; a transfer is about both of its ends.
    fn touches(&self, budget: BudgetId) -> bool {
        let receives = matches!(&self.detail, ActivityDetail::Transfer(transfer) if transfer.to == budget);
        self.budget == budget || receives
    }

    /// A transfer. `None`: its amount can't be taken, which no rule lets through.
    pub fn of_transfer(transfer: Transfer) -> Option<Self> {
        Some(Self {
            id: ActivityId(transfer.id.0),
            account: transfer.account.clone(),
            kind: ActivityType::Transfer,
            status: ActivityStatus::Completed,
            budget: transfer.from,
            currency: transfer.currency,
            amount: transfer.amount,
            impacted: transfer.amount.negated()?,
            created_at: transfer.created_at,
            detail: ActivityDetail::Transfer(Box::new(transfer)),
        })
    }

    /// A credit, from the journal. `None`: the transaction is none.
    pub fn of_credit(journal: &JournalTransaction, detail: Option<CreditDetail>) -> Option<Self> {
        let mut postings = journal.postings().iter();
        let (budget, amount) = postings.find_map(|posting| match posting.account {
            LedgerAccount::Available(budget) => Some((budget, posting.amount)),
            _ => None,
        })?;
        let JournalTransaction { id, currency, at, .. } = *journal;
        let credited = Credited { id, account: journal.account.clone(), budget, currency, amount, at };
        (journal.kind == JournalKind::Credit).then(|| credited.with(detail))
    }

    /// A payment, once its batch is confirmed. `None` before, and where it was cancelled: no money moves.
    pub fn of_payment(payment: Payment) -> Option<Self> {
        let status = ActivityStatus::of_payment(payment.status)?;
        let terms = payment.terms.as_ref()?;
        let impacted = match status {
            // Its money is available again.
            ActivityStatus::Failed => Some(Minor::ZERO),
            // The fee is not given back.
            ActivityStatus::Returned => terms.fee.negated(),
            _ => terms.cost().and_then(Minor::negated),
        };
        Some(Self {
            id: ActivityId(payment.id.0),
            account: payment.account.clone(),
            kind: ActivityType::Payment,
            status,
            budget: terms.budget,
            currency: terms.currency,
            amount: terms.amount,
            impacted: impacted?,
            created_at: payment.created_at,
            detail: ActivityDetail::Payment(Box::new(payment)),
        })
    }
}

/// A credit as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credited {
    /// The journal transaction.
    pub id: JournalId,
    /// The account.
    pub account: AccountId,
    /// The budget.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// How much.
    pub amount: Minor,
    /// When.
    pub at: DateTime<Utc>,
}

impl Credited {
    /// The movement that it is.
    pub fn with(self, detail: Option<CreditDetail>) -> Activity {
        Activity {
            id: ActivityId(self.id.0),
            account: self.account,
            kind: ActivityType::Credit,
            status: ActivityStatus::Completed,
            budget: self.budget,
            currency: self.currency,
            amount: self.amount,
            impacted: self.amount,
            created_at: self.at,
            detail: ActivityDetail::Credit(detail.map(Box::new)),
        }
    }
}

impl From<CardTransaction> for Activity {
    fn from(message: CardTransaction) -> Self {
        Self {
            id: ActivityId(message.token.0),
            account: message.account.clone(),
            kind: ActivityType::Card(message.kind),
            status: message.state.into(),
            budget: message.budget,
            currency: message.currency,
            amount: message.amount,
            impacted: message.impacted,
            created_at: message.created_at,
            detail: ActivityDetail::Card(Box::new(message)),
        }
    }
}

#[cfg(test)]
mod tests;

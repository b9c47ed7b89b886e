//! The activity of an account: every movement of money as one list (contract 5.6).
//!
//! A row is one movement of one source: a card message, a credit, a payment of a batch, a transfer, or a top-up of a budget.
//! Its id is the token of the message, the journal transaction of the credit or top-up (a credit has no id), or the id of
//! the payment or transfer.

mod credit;
mod kind;
mod status;

pub use credit::CreditDetail;
pub use kind::{ActivitySource, ActivityType};
pub use status::ActivityStatus;

use crate::batch::Payment;
use crate::budget::Transfer;
use crate::card::CardTransaction;
use crate::ids::{AccountId, ActivityId, BudgetId, CardId, JournalId, MerchantPaymentId};
use crate::ledger::{JournalKind, JournalTransaction, Pool};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// One movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Its id.
    pub id: ActivityId,
    /// The account.
    pub account: AccountId,
    /// The type of the movement.
    pub kind: ActivityType,
    /// Its state.
    pub status: ActivityStatus,
    /// Its budget; for a transfer, the sending budget.
    pub budget: BudgetId,
    /// The currency of its amounts.
    pub currency: Currency,
    /// Its own amount, never negative.
    pub amount: Minor,
    /// The change of the budget's funds: negative when funds are debited.
    pub impacted: Minor,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Its full record.
    pub detail: ActivityDetail,
}

/// The full record of a movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityDetail {
    /// A card message.
    Card(Box<CardTransaction>),
    /// A credit. `None` if only the journal has it, as for the opening funds of a seeded account.
    Credit(Option<Box<CreditDetail>>),
    /// A payment of a batch.
    Payment(Box<Payment>),
    /// A transfer between budgets.
    Transfer(Box<Transfer>),
    /// A top-up, with the payment that completed it.
    Deposit(MerchantPaymentId),
}

/// A filter of movements. It matches those that meet every given condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActivityFilter {
    /// The type to match.
    pub kind: Option<ActivityType>,
    /// The state to match.
    pub status: Option<ActivityStatus>,
    /// The budget to match.
    pub budget: Option<BudgetId>,
    /// The card to match; only card messages have one.
    pub card: Option<CardId>,
    /// The currency to match.
    pub currency: Option<Currency>,
    /// The earliest time of creation, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// The latest time of creation, inclusive.
    pub to: Option<DateTime<Utc>>,
}

impl ActivityFilter {
    /// Whether movements of a source can match; other sources need not be read.
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
    /// The sort key of the list: newest first, then greatest id first.
    pub fn order(&self) -> std::cmp::Reverse<(DateTime<Utc>, ActivityId)> {
        std::cmp::Reverse((self.created_at, self.id))
    }

    /// Its card, if it has one.
    pub fn card(&self) -> Option<CardId> {
        match &self.detail {
            ActivityDetail::Card(message) => Some(message.card),
            ActivityDetail::Credit(_)
            | ActivityDetail::Payment(_)
            | ActivityDetail::Transfer(_)
            | ActivityDetail::Deposit(_) => None,
        }
    }

    /// Whether it concerns a budget; a transfer concerns both of its budgets.
    fn touches(&self, budget: BudgetId) -> bool {
        let receives = matches!(&self.detail, ActivityDetail::Transfer(transfer) if transfer.to == budget);
        self.budget == budget || receives
    }

    /// The movement of a transfer. `None` if its amount can't be negated, which no rule allows.
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

    /// The movement of a credit or a top-up, from its journal transaction. `None` for any other kind of transaction. `detail`
    /// belongs to a credit.
    pub fn of_journal(journal: &JournalTransaction, detail: Option<CreditDetail>) -> Option<Self> {
        let mut postings = journal.postings().iter();
        let (budget, amount) = postings.find_map(|posting| match posting.pool {
            Pool::Available(budget) => Some((budget, posting.amount)),
            _ => None,
        })?;
        let JournalTransaction { id, cause, currency, at, .. } = *journal;
        let credited = Credited { id, account: journal.account.clone(), budget, currency, amount, at };
        match journal.kind {
            JournalKind::Credit => Some(credited.with(detail)),
            JournalKind::TopUp => Some(credited.by_top_up(MerchantPaymentId(cause))),
            _ => None,
        }
    }

    /// The movement of a payment of a confirmed batch. `None` before confirmation and after cancellation, when no money
    /// moves.
    pub fn of_payment(payment: Payment) -> Option<Self> {
        let status = ActivityStatus::of_payment(payment.status())?;
        let terms = payment.terms()?;
        let impacted = match status {
            // Its money is available again.
            ActivityStatus::Failed => Some(Minor::ZERO),
            // The fee is not refunded.
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

/// A credit or top-up as recorded in the journal.
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
    /// The amount.
    pub amount: Minor,
    /// When it was recorded.
    pub at: DateTime<Utc>,
}

impl Credited {
    /// The movement of this credit.
    pub fn with(self, detail: Option<CreditDetail>) -> Activity {
        self.movement(ActivityType::Credit, ActivityDetail::Credit(detail.map(Box::new)))
    }

    /// The movement of this top-up.
    pub fn by_top_up(self, payment: MerchantPaymentId) -> Activity {
        self.movement(ActivityType::Deposit, ActivityDetail::Deposit(payment))
    }

    fn movement(self, kind: ActivityType, detail: ActivityDetail) -> Activity {
        Activity {
            id: ActivityId(self.id.0),
            account: self.account,
            kind,
            status: ActivityStatus::Completed,
            budget: self.budget,
            currency: self.currency,
            amount: self.amount,
            impacted: self.amount,
            created_at: self.at,
            detail,
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

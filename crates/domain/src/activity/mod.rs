//! The activity of an account: every movement of money as one list (contract 5.6).
//!
//! A row is one movement of one source: a chain of card messages, a credit, a payment of a confirmed batch, one side of
//! a transfer, or a top-up of a budget.
//!
//! The id of a row is:
//!
//! - for a chain, the token of its first message;
//! - for a payment, its id;
//! - for the paying side of a transfer, the id of the transfer;
//! - for a credit, a top-up and the receiving side of a transfer, the id of the journal transaction that credited the
//!   budget.

mod credit;
mod cursor;
mod filter;
mod kind;
mod payment_numbers;
mod status;

pub use credit::CreditDetail;
pub use cursor::{ActivityChanges, ActivityCursor};
pub use filter::{ActivityFilter, ActivitySearch, MatchingChains};
pub use kind::{ActivitySource, ActivityType, FirstMessageClass};
pub use payment_numbers::PaymentNumbers;
pub use status::ActivityStatus;

use crate::batch::Payment;
use crate::budget::Transfer;
use crate::card::{CardTransaction, Chain};
use crate::ids::{
    AccountId, ActivityId, BudgetId, CardId, JournalId, MerchantPaymentId, PaymentId, PersonId, TransactionToken,
};
use crate::ledger::{JournalKind, JournalTransaction, Pool};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// A movement: one row of the activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Its id.
    pub id: ActivityId,
    /// The account.
    pub account: AccountId,
    /// Its type.
    pub kind: ActivityType,
    /// Its status.
    pub status: ActivityStatus,
    /// Its budget.
    pub budget: BudgetId,
    /// The currency of its amounts.
    pub currency: Currency,
    /// Its amount, never negative. For a chain: the amount held plus the amount cleared, less returns. For a declined
    /// message: the requested amount.
    pub amount: Minor,
    /// The change of the budget's funds: negative when funds are debited.
    pub impacted: Minor,
    /// When the money first moved, was held or was reserved.
    pub created_at: DateTime<Utc>,
    /// When it changed last.
    pub updated_at: DateTime<Utc>,
    /// Its full record.
    pub detail: ActivityDetail,
}

/// The full record of a movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityDetail {
    /// A chain of card messages.
    Card(Box<ChainDetail>),
    /// A credit. `None` if it is recorded only in the journal, such as the opening funds of a seeded account.
    Credit(Option<Box<CreditDetail>>),
    /// A payment of a batch.
    Payment {
        /// The payment.
        payment: Box<Payment>,
        /// Its numbers.
        numbers: PaymentNumbers,
    },
    /// The paying side of a transfer.
    Unload(Box<Transfer>),
    /// The receiving side of a transfer.
    Load(Box<Transfer>),
    /// A top-up.
    TopUp {
        /// The payment that completed it.
        payment: MerchantPaymentId,
        /// Its number. `None`: it was not recorded.
        number: Option<i64>,
    },
}

/// The messages of a chain, and the owner of its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainDetail {
    /// The first message.
    pub first: CardTransaction,
    /// The follow-ups by time.
    pub follow_ups: Vec<CardTransaction>,
    /// The person who owns the card now. `None` for a shared card.
    pub person: Option<PersonId>,
}

/// The key by which a caller looks up a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityKey {
    /// A chain, by the token of any of its messages; or any other movement that [`Self::BudgetMovement`] finds.
    Transaction(TransactionToken),
    /// A payment of a batch.
    Payment(PaymentId),
    /// A movement between budgets or into one: a credit, a top-up, or one side of a transfer.
    BudgetMovement(ActivityId),
    /// A credit, a top-up, a payment or its return, or one side of a transfer, by its number.
    Number(i64),
}

impl Activity {
    /// The sort key of the list: newest first, then greatest id first.
    pub fn order(&self) -> std::cmp::Reverse<(DateTime<Utc>, ActivityId)> {
        std::cmp::Reverse((self.created_at, self.id))
    }

    /// The source of the movement.
    pub const fn source(&self) -> ActivitySource {
        match self.detail {
            ActivityDetail::Card(_) => ActivitySource::Card,
            ActivityDetail::Credit(_) => ActivitySource::Credit,
            ActivityDetail::Payment { .. } => ActivitySource::Payment,
            ActivityDetail::Unload(_) => ActivitySource::Unload,
            ActivityDetail::Load(_) => ActivitySource::Load,
            ActivityDetail::TopUp { .. } => ActivitySource::TopUp,
        }
    }

    /// The card of a chain. `None` for any other movement.
    pub fn card(&self) -> Option<CardId> {
        match &self.detail {
            ActivityDetail::Card(chain) => Some(chain.first.card),
            _ => None,
        }
    }

    /// The person who owns the card. `None` for a shared card, and for a movement without a card.
    pub fn person(&self) -> Option<PersonId> {
        match &self.detail {
            ActivityDetail::Card(chain) => chain.person,
            _ => None,
        }
    }

    /// The number of a credit, a top-up, a payment or one side of a transfer. `None` if it is not recorded, before a
    /// payment is paid, and for a chain.
    pub fn number(&self) -> Option<i64> {
        match &self.detail {
            ActivityDetail::Credit(credit) => credit.as_ref().map(|credit| credit.box_transaction_id),
            ActivityDetail::Unload(transfer) => Some(transfer.number),
            ActivityDetail::Load(transfer) => Some(transfer.credit_number()),
            ActivityDetail::Payment { numbers, .. } => numbers.paid,
            ActivityDetail::TopUp { number, .. } => *number,
            ActivityDetail::Card(_) => None,
        }
    }

    /// All numbers of the movement. A returned payment has two.
    pub fn numbers(&self) -> impl Iterator<Item = i64> {
        let returned = match &self.detail {
            ActivityDetail::Payment { numbers, .. } => numbers.returned,
            _ => None,
        };
        self.number().into_iter().chain(returned)
    }

    /// The movement of a chain. `None` if the first message cannot begin a chain, or if an amount overflows, which the
    /// rules prevent.
    pub fn of_chain(
        first: CardTransaction,
        mut follow_ups: Vec<CardTransaction>,
        chain: Option<&Chain>,
        person: Option<PersonId>,
    ) -> Option<Self> {
        follow_ups.sort_by_key(|message| (message.created_at, message.token));
        let kind = FirstMessageClass::of(&first).activity()?;
        let amount = match chain {
            Some(chain) => chain.held().plus(chain.cleared)?,
            None => first.requested,
        };
        let impacted = match (chain, kind) {
            (None, _) => Minor::ZERO,
            (_, ActivityType::CardRefund | ActivityType::OtherCredit | ActivityType::Chargeback) => amount,
            _ => amount.negated()?,
        };
        Some(Self {
            id: ActivityId(first.token.0),
            account: first.account.clone(),
            kind,
            status: ActivityStatus::of_chain(kind, first.state, chain.is_some_and(|chain| chain.end().is_none())),
            budget: first.budget,
            currency: first.currency,
            amount,
            impacted,
            created_at: first.created_at,
            updated_at: follow_ups.last().map_or(first.created_at, |last| last.created_at),
            detail: ActivityDetail::Card(Box::new(ChainDetail { first, follow_ups, person })),
        })
    }

    /// The movements of a transfer: the paying and the receiving side. `None` if the amount can't be negated, which the
    /// rules prevent.
    pub fn of_transfer(transfer: &Transfer) -> Option<[Self; 2]> {
        let side = |id, budget, impacted, detail, kind| Self {
            id: ActivityId(id),
            account: transfer.account.clone(),
            kind,
            status: ActivityStatus::Complete,
            budget,
            currency: transfer.currency,
            amount: transfer.amount,
            impacted,
            created_at: transfer.created_at,
            updated_at: transfer.created_at,
            detail,
        };
        let [paid, received] = [(); 2].map(|()| Box::new(transfer.clone()));
        let (debit, credit) = (transfer.amount.negated()?, transfer.amount);
        let (paid, received) = (ActivityDetail::Unload(paid), ActivityDetail::Load(received));
        Some([
            side(transfer.id.0, transfer.from, debit, paid, ActivityType::Unload),
            side(transfer.journal.0, transfer.to, credit, received, ActivityType::Load),
        ])
    }

    /// The movement of a credit or a top-up, from its journal transaction. `None` for any other kind of transaction.
    /// `detail` is used for a credit only.
    pub fn of_journal(journal: &JournalTransaction, detail: Option<CreditDetail>) -> Option<Self> {
        let (budget, amount) = journal.legs().iter().find_map(|leg| match leg.to() {
            Pool::Available(budget) => Some((budget, leg.amount())),
            _ => None,
        })?;
        let JournalTransaction { id, cause, currency, at, number, .. } = *journal;
        let credited = JournalCredit { id, account: journal.account.clone(), budget, currency, amount, at };
        match journal.kind {
            JournalKind::Credit => Some(credited.with(detail)),
            JournalKind::TopUp => Some(credited.by_top_up(MerchantPaymentId(cause), number)),
            _ => None,
        }
    }

    /// The movement of a payment of a batch that was confirmed at this time. `None` before its confirmation, and for a
    /// payment without terms.
    pub fn of_payment(payment: Payment, numbers: PaymentNumbers, confirmed_at: Option<DateTime<Utc>>) -> Option<Self> {
        let status = ActivityStatus::of_payment(payment.status())?;
        let terms = payment.terms()?;
        let impacted = match status {
            // Its money is available again.
            ActivityStatus::Reverted | ActivityStatus::Cancelled => Some(Minor::ZERO),
            // The fee is not refunded.
            ActivityStatus::Refunded => terms.fee.negated(),
            _ => terms.cost().and_then(Minor::negated),
        };
        Some(Self {
            id: ActivityId(payment.id.0),
            account: payment.account.clone(),
            kind: ActivityType::BatchPayment,
            status,
            budget: terms.budget,
            currency: terms.currency,
            amount: terms.amount,
            impacted: impacted?,
            created_at: confirmed_at?,
            updated_at: payment.updated_at,
            detail: ActivityDetail::Payment { payment: Box::new(payment), numbers },
        })
    }
}

impl FirstMessageClass {
    /// The class of a first message.
    pub const fn of(first: &CardTransaction) -> Self {
        Self { kind: first.kind, requests_nothing: first.requested.is_zero() }
    }
}

/// A credit or top-up as recorded in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalCredit {
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

impl JournalCredit {
    /// The movement of this credit.
    pub fn with(self, detail: Option<CreditDetail>) -> Activity {
        self.movement(ActivityDetail::Credit(detail.map(Box::new)))
    }

    /// The movement of this top-up.
    pub fn by_top_up(self, payment: MerchantPaymentId, number: Option<i64>) -> Activity {
        self.movement(ActivityDetail::TopUp { payment, number })
    }

    fn movement(self, detail: ActivityDetail) -> Activity {
        Activity {
            id: ActivityId(self.id.0),
            account: self.account,
            kind: ActivityType::Deposit,
            status: ActivityStatus::Complete,
            budget: self.budget,
            currency: self.currency,
            amount: self.amount,
            impacted: self.amount,
            created_at: self.at,
            updated_at: self.at,
            detail,
        }
    }
}

#[cfg(test)]
mod tests;

//! Transfers between two budgets of an account (contract 5.6).

use super::{Budget, BudgetRecord};
use crate::event::{BudgetEvent, Event, MovementSource, PaymentMethod};
use crate::fault::{Fault, Flaw, FlawCode};
use crate::ids::{AccountId, BudgetId, JournalId, TransferId};
use crate::ledger::{AmountOutOfRange, Balances, JournalKind, JournalTransaction, Leg, Pool};
use crate::money::{Currency, DecimalAmount, Minor, Money};
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// A request to transfer money between two budgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferInstruction {
    /// The budget that pays.
    pub from: BudgetId,
    /// The budget that receives the money. It must differ from the budget that pays.
    pub to: BudgetId,
    /// The amount, above zero.
    pub amount: DecimalAmount,
    /// The currency, which both budgets must hold.
    pub currency: Currency,
    /// The purpose of the transfer.
    pub reference: Option<TransferReference>,
}

impl TransferInstruction {
    /// Checks that the two budgets differ.
    pub fn check_ends(from: BudgetId, to: BudgetId) -> Result<BudgetId, Flaw> {
        if from == to { Err(Flaw::value("must differ from the paying budget")) } else { Ok(to) }
    }
}

/// The reference of a transfer: 1 to 18 ASCII letters, digits, spaces and `- , . / : ? ( )`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferReference(String);

impl TransferReference {
    /// Maximum number of characters.
    pub const MAX: usize = 18;

    /// Checks the characters and the length.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b" -,./:?()".contains(&byte);
        if text.is_empty() || !text.bytes().all(allowed) {
            return Err(Flaw::format("must be letters, digits, spaces and - , . / : ? ( ) of the ASCII alphabet"));
        }
        if text.len() > Self::MAX {
            let message = format!("must be at most {} characters (got {})", Self::MAX, text.len());
            return Err(Flaw::new(FlawCode::TooLong, message));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The situation for a transfer. An adapter loads it under the locks of both budgets.
#[derive(Clone, Debug)]
pub struct TransferSituation {
    /// The budget that pays.
    pub from: BudgetRecord,
    /// The budget that receives. `None` if the account has no such budget.
    pub to: Option<BudgetRecord>,
    /// The next free number of the account's sequence, from 1.
    pub number: i64,
}

/// A completed transfer. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Its id.
    pub id: TransferId,
    /// The number of its debit in the account's sequence. Its credit has the next number.
    pub number: i64,
    /// The account of both budgets.
    pub account: AccountId,
    /// The budget that paid.
    pub from: BudgetId,
    /// The budget that received.
    pub to: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The amount in minor units, above zero.
    pub amount: Minor,
    /// Its journal transaction.
    pub journal: JournalId,
    /// The purpose of the transfer.
    pub reference: Option<String>,
    /// When it was completed.
    pub created_at: DateTime<Utc>,
}

impl Transfer {
    /// The number of its credit.
    pub const fn credit_number(&self) -> i64 {
        self.number.saturating_add(1)
    }
}

/// A transfer, and the balances of both budgets in its currency after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferDone {
    /// The transfer.
    pub transfer: Transfer,
    /// The balances of the paying budget after it.
    pub from: Balances,
    /// The balances of the receiving budget after it.
    pub to: Balances,
}

/// The result of a transfer. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferDecision {
    /// The transfer and the balances after it.
    pub done: TransferDone,
    /// Its journal transaction.
    pub journal: JournalTransaction,
    /// The events: the debit, then the credit.
    pub events: Vec<Event>,
}

/// Reasons to refuse a transfer. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferRefusal {
    /// The receiving budget is absent, or belongs to another account.
    #[error("names a budget that does not exist")]
    NoReceiver,
    /// The amount or the currency does not fit the budgets. Paths refer to the request's body.
    #[error("the transfer does not fit the budgets")]
    Faults(Vec<Fault>),
    /// The paying budget's available balance is lower than the amount.
    #[error("must be at most the available balance, {available} {}", available.currency)]
    InsufficientFunds {
        /// Its available balance, which can be negative after a clearing above its hold.
        available: Money,
    },
    /// A balance would leave its range.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

/// Decides a transfer of available money between two budgets.
///
/// ```
/// use florin_domain::budget::{TransferSituation, decide_transfer};
/// use florin_domain::test_support::{a_budget, a_stamp, a_transfer, minor};
///
/// let (from, to) = (a_budget().with("50.00 GBP").build(), a_budget().numbered(2).with("0.00 GBP").build());
/// let transfer = a_transfer("40.00 GBP", to.budget.id);
/// let situation = TransferSituation { from, to: Some(to), number: 1 };
/// let decision = decide_transfer(&situation, &transfer, &a_stamp()).unwrap();
/// assert_eq!(decision.done.from.available(), minor("10.00 GBP"));
/// ```
pub fn decide_transfer(
    situation: &TransferSituation,
    instruction: &TransferInstruction,
    stamp: &Stamp<'_>,
) -> Result<TransferDecision, TransferRefusal> {
    let giver = &situation.from;
    let receiver = situation.to.as_ref().ok_or(TransferRefusal::NoReceiver)?;
    let (amount, from, to) = fitting(giver, receiver, instruction)?;
    let currency = instruction.currency;
    if from.available() < amount {
        return Err(TransferRefusal::InsufficientFunds { available: from.available().of(currency) });
    }
    let (giver, receiver) = (&giver.budget, &receiver.budget);
    let leg = Leg::new(Pool::Available(giver.id), Pool::Available(receiver.id), amount)?;
    let moved = leg.as_slice();
    let (from, to) = (from.after(giver.id, moved)?, to.after(receiver.id, moved)?);
    let account = giver.account.clone();
    situation.number.checked_add(1).ok_or(AmountOutOfRange::Overflow)?;
    let (id, journal) = (TransferId(stamp.id()), JournalId(stamp.id()));
    let cause = (JournalKind::Transfer, id.0);
    let journal = JournalTransaction::new(journal, account.clone(), cause, currency, stamp.now, leg)?;
    let transfer = Transfer {
        id,
        number: situation.number,
        account,
        from: giver.id,
        to: receiver.id,
        currency,
        amount,
        journal: journal.id,
        reference: instruction.reference.as_ref().map(|reference| reference.as_str().to_owned()),
        created_at: stamp.now,
    };
    let side = |number, budget: &Budget, after: &Balances| {
        movement(&transfer, number, (budget.id, budget.name.clone()), after.ledger())
    };
    let debit = side(transfer.number, giver, &from).debited(giver.account.clone(), stamp.now);
    let credit = side(transfer.credit_number(), receiver, &to).credited(giver.account.clone(), stamp.now);
    let events = vec![debit, credit];
    Ok(TransferDecision { done: TransferDone { transfer, from, to }, journal, events })
}

/// Returns the amount in minor units, the balances of the budget that pays, and the balances of the budget that
/// receives. If there are faults, returns all of them.
fn fitting(
    giver: &BudgetRecord,
    receiver: &BudgetRecord,
    instruction: &TransferInstruction,
) -> Result<(Minor, Balances, Balances), TransferRefusal> {
    let currency = instruction.currency;
    let mut faults = Vec::new();
    let amount = instruction.amount.to_minor(currency);
    if let Err(flaw) = &amount {
        faults.push(flaw.clone().at("body.amount"));
    }
    let (from, to) = (giver.budget.in_currency(currency), receiver.budget.in_currency(currency));
    if from.is_none() || to.is_none() {
        let which = if from.is_none() { "paying" } else { "receiving" };
        faults.push(
            Flaw::value(format!("must be a currency that the {which} budget holds (got {currency})"))
                .at("body.currency"),
        );
    }
    match (amount, from, to) {
        (Ok(amount), Some(from), Some(to)) => Ok((amount, from, to)),
        _ => Err(TransferRefusal::Faults(faults)),
    }
}

/// Returns the movement that the event of one side of a transfer reports.
fn movement(
    transfer: &Transfer,
    number: i64,
    (budget, budget_name): (BudgetId, String),
    ledger_balance: Minor,
) -> BudgetEvent {
    BudgetEvent {
        number,
        budget,
        budget_name,
        amount: transfer.amount,
        currency: transfer.currency,
        ledger_balance,
        source: MovementSource::Orders,
        method: PaymentMethod::BalanceTransfer,
        order: None,
        reference: transfer.reference.clone(),
        bank_identifier: None,
        institution_address: None,
        identification: None,
        remitters_name: None,
        remitters_address: None,
    }
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;

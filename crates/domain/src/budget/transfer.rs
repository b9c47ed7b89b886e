//! Transfers between two budgets of an account (contract 5.6).

use super::{BudgetFeature, BudgetRecord};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, JournalId, TransferId};
use crate::ledger::{AmountOverflow, Balances, JournalKind, JournalTransaction, LedgerAccount, Posting, Unbalanced};
use crate::money::{Currency, DecimalAmount, Minor, Money};
use crate::text::Text;
use chrono::{DateTime, Utc};

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferInstruction {
    /// The budget that gives.
    pub from: BudgetId,
    /// The budget that receives: another one.
    pub to: BudgetId,
    /// How much, above zero.
    pub amount: DecimalAmount,
    /// In which currency; both budgets hold it.
    pub currency: Currency,
    /// What it is for.
    pub reference: Option<Text<0, 140>>,
}

impl TransferInstruction {
    /// Checks that money does not go where it is.
    pub fn check_ends(from: BudgetId, to: BudgetId) -> Result<BudgetId, Flaw> {
        if from == to { Err(Flaw::value("Another budget than the one that gives is wanted.")) } else { Ok(to) }
    }
}

/// What an adapter loads, under the locks of both budgets.
#[derive(Clone, Debug)]
pub struct TransferSituation {
    /// The budget that gives.
    pub from: BudgetRecord,
    /// The budget that receives; `None` where the account has no such one.
    pub to: Option<BudgetRecord>,
}

/// Ids and time, handed in so that the decision is pure.
#[derive(Clone, Copy, Debug)]
pub struct TransferStamp {
    /// The id of the transfer.
    pub transfer: TransferId,
    /// The id of its journal transaction.
    pub journal: JournalId,
    /// Now.
    pub now: DateTime<Utc>,
}

/// A transfer that was made. Never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Its id.
    pub id: TransferId,
    /// The account of both budgets.
    pub account: AccountId,
    /// The budget that gave.
    pub from: BudgetId,
    /// The budget that received.
    pub to: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// How much, in minor units, above zero.
    pub amount: Minor,
    /// Its journal transaction.
    pub journal: JournalId,
    /// What it was for.
    pub reference: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A transfer, and what both budgets hold in its currency afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferDone {
    /// The transfer.
    pub transfer: Transfer,
    /// What the budget that gave holds now.
    pub from: Balances,
    /// What the budget that received holds now.
    pub to: Balances,
}

/// What is to be stored, whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferDecision {
    /// The transfer and the balances after it.
    pub done: TransferDone,
    /// Its journal transaction.
    pub journal: JournalTransaction,
}

/// Why a transfer is refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferRefusal {
    /// The budget that is to receive is absent, or another account's.
    #[error("there is no such budget to receive")]
    NoReceiver,
    /// The amount or the currency does not fit the budgets; paths are those of the request's body.
    #[error("the transfer does not fit the budgets")]
    Faults(Vec<Fault>),
    /// Transfers are off for the budget that gives.
    #[error("the budget that gives takes no part in transfers")]
    GiverOff,
    /// Transfers are off for the budget that receives.
    #[error("the budget that receives takes no part in transfers")]
    ReceiverOff,
    /// The budget that gives has less than that to spend.
    #[error("only {available} is available")]
    InsufficientFunds {
        /// What it has; below zero after a clearing above its hold.
        available: Money,
    },
    /// A balance would leave 64 bits.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
    /// A rule made postings that do not balance: a bug.
    #[error(transparent)]
    Unbalanced(#[from] Unbalanced),
}

/// Decides a transfer: what can be spent of one budget can be spent of the other.
pub fn decide_transfer(
    situation: &TransferSituation,
    instruction: &TransferInstruction,
    stamp: TransferStamp,
) -> Result<TransferDecision, TransferRefusal> {
    let giver = &situation.from;
    let receiver = situation.to.as_ref().ok_or(TransferRefusal::NoReceiver)?;
    let (amount, from, to) = fitting(giver, receiver, instruction)?;
    if !giver.features.contains(&BudgetFeature::Transfers) {
        return Err(TransferRefusal::GiverOff);
    }
    if !receiver.features.contains(&BudgetFeature::Transfers) {
        return Err(TransferRefusal::ReceiverOff);
    }
    let currency = instruction.currency;
    if from.available() < amount {
        return Err(TransferRefusal::InsufficientFunds { available: from.available().of(currency) });
    }
    let (giver, receiver) = (&giver.budget, &receiver.budget);
    let postings = [
        Posting { account: LedgerAccount::Available(giver.id), amount: amount.negated().ok_or(AmountOverflow)? },
        Posting { account: LedgerAccount::Available(receiver.id), amount },
    ];
    let (from, to) = (from.after(giver.id, &postings)?, to.after(receiver.id, &postings)?);
    let account = giver.account.clone();
    let cause = (JournalKind::Transfer, stamp.transfer.0);
    let journal = JournalTransaction::new(stamp.journal, account.clone(), cause, currency, stamp.now, postings)?;
    let transfer = Transfer {
        id: stamp.transfer,
        account,
        from: giver.id,
        to: receiver.id,
        currency,
        amount,
        journal: stamp.journal,
        reference: instruction.reference.as_ref().map(|reference| reference.as_str().to_owned()),
        created_at: stamp.now,
    };
    Ok(TransferDecision { done: TransferDone { transfer, from, to }, journal })
}

/// The amount in minor units, and what both budgets hold of the currency; or all that does not fit.
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
        let which = if from.is_none() { "that gives" } else { "that receives" };
        faults.push(Flaw::value(format!("The budget {which} does not hold {currency}.")).at("body.currencyCode"));
    }
    match (amount, from, to) {
        (Ok(amount), Some(from), Some(to)) => Ok((amount, from, to)),
        _ => Err(TransferRefusal::Faults(faults)),
    }
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;

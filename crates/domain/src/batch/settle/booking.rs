//! Journal transactions of payments.

use super::{SettleDecision, SettleRefusal, SettleSituation};
use crate::batch::{BatchBalances, Payment, PaymentTerms};
use crate::event::{BudgetEvent, Event};
use crate::ids::{BudgetId, JournalId};
use crate::ledger::{AmountOutOfRange, JournalKind, JournalTransaction, Leg, Pool};
use crate::money::Currency;
use crate::stamp::Stamp;
use std::collections::BTreeMap;

/// The journal transactions so far, and the resulting balances.
pub(super) struct Books<'a> {
    situation: &'a SettleSituation,
    stamp: &'a Stamp<'a>,
    journal: Vec<JournalTransaction>,
    balances: BatchBalances,
    /// The last number that each balance used for a payment or return.
    numbers: BTreeMap<(BudgetId, Currency), i64>,
    /// The next free number in the account's sequence.
    number: i64,
}

impl<'a> Books<'a> {
    pub(super) const fn open(situation: &'a SettleSituation, stamp: &'a Stamp<'a>) -> Self {
        Self {
            situation,
            stamp,
            journal: Vec::new(),
            balances: BatchBalances::new(),
            numbers: BTreeMap::new(),
            number: situation.number,
        }
    }

    /// Books a payment, its return or its release. Returns the event about the money that left or entered the budget.
    /// `None` for a release.
    pub(super) fn write(
        &mut self,
        payment: &Payment,
        terms: &PaymentTerms,
        kind: JournalKind,
    ) -> Result<Option<Event>, SettleRefusal> {
        let legs = legs(terms, kind)?.into_iter().flatten();
        let (id, cause) = (JournalId(self.stamp.id()), (kind, payment.id.0));
        let (account, currency, now) = (payment.account.clone(), terms.currency, self.stamp.now);
        let booked = JournalTransaction::new(id, account, cause, currency, now, legs)?;
        let key = (terms.budget, terms.currency);
        let before = self.balances.get(&key).or_else(|| self.situation.balances.get(&key)).copied().unwrap_or_default();
        let after = before.after(terms.budget, booked.legs())?;
        self.balances.insert(key, after);
        let amount = match kind {
            JournalKind::Payment => terms.cost().ok_or(AmountOutOfRange::Overflow)?,
            JournalKind::PaymentReturn => terms.amount,
            _ => {
                self.journal.push(booked);
                return Ok(None);
            }
        };
        let number = self.number;
        self.number = number.checked_add(1).ok_or(AmountOutOfRange::Overflow)?;
        self.numbers.insert(key, number);
        self.journal.push(booked.numbered(number));
        let name = self.situation.budget_names.get(&terms.budget).cloned().unwrap_or_default();
        let movement = BudgetEvent::of_payment((payment, terms), number, name, (amount, after.ledger()));
        let account = payment.account.clone();
        Ok(Some(if kind == JournalKind::Payment {
            movement.debited(account, now)
        } else {
            movement.credited(account, now)
        }))
    }

    pub(super) fn close(self, decision: &mut SettleDecision) {
        decision.journal = self.journal;
        decision.balances = self.balances;
        decision.numbers = self.numbers;
    }
}

fn legs(terms: &PaymentTerms, kind: JournalKind) -> Result<[Option<Leg>; 2], AmountOutOfRange> {
    let (available, reserved) = (Pool::Available(terms.budget), Pool::Reserved(terms.budget));
    Ok(match kind {
        JournalKind::PaymentReturn => [Leg::new(Pool::OutboundPayments, available, terms.amount)?, None],
        JournalKind::PaymentRelease => {
            [Leg::new(reserved, available, terms.cost().ok_or(AmountOutOfRange::Overflow)?)?, None]
        }
        _ => [Leg::new(reserved, Pool::OutboundPayments, terms.amount)?, Leg::new(reserved, Pool::Fees, terms.fee)?],
    })
}

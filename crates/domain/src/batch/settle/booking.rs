//! Bookings of payments: how their money moves.

use super::{SettleRefusal, SettleSituation};
use crate::batch::{BatchBalances, Payment, PaymentTerms};
use crate::ids::JournalId;
use crate::ledger::{AmountOverflow, JournalKind, JournalTransaction, Pool, Posting};
use crate::stamp::Stamp;

/// The journal transactions written so far, and the resulting balances.
pub(super) struct Books<'a> {
    situation: &'a SettleSituation,
    stamp: &'a Stamp<'a>,
    journal: Vec<JournalTransaction>,
    balances: BatchBalances,
}

impl<'a> Books<'a> {
    pub(super) const fn open(situation: &'a SettleSituation, stamp: &'a Stamp<'a>) -> Self {
        Self { situation, stamp, journal: Vec::new(), balances: BatchBalances::new() }
    }

    /// Moves the money of a payment.
    pub(super) fn write(
        &mut self,
        payment: &Payment,
        terms: &PaymentTerms,
        kind: JournalKind,
    ) -> Result<(), SettleRefusal> {
        let postings = postings(terms, kind)?;
        let key = (terms.budget, terms.currency);
        let before = self.balances.get(&key).or_else(|| self.situation.balances.get(&key)).copied().unwrap_or_default();
        self.balances.insert(key, before.after(terms.budget, &postings)?);
        let (id, cause) = (JournalId(self.stamp.id()), (kind, payment.id.0));
        let (account, currency, now) = (payment.account.clone(), terms.currency, self.stamp.now);
        self.journal.push(JournalTransaction::new(id, account, cause, currency, now, postings)?);
        Ok(())
    }

    pub(super) fn close(self) -> (Vec<JournalTransaction>, BatchBalances) {
        (self.journal, self.balances)
    }
}

fn postings(terms: &PaymentTerms, kind: JournalKind) -> Result<[Posting; 3], AmountOverflow> {
    let (amount, fee) = (terms.amount, terms.fee);
    let cost = terms.cost().ok_or(AmountOverflow)?;
    let (available, reserved) = (Pool::Available(terms.budget), Pool::Reserved(terms.budget));
    let post = |pool, amount| Posting { pool, amount };
    let nothing = post(Pool::Fees, crate::money::Minor::ZERO);
    Ok(match kind {
        JournalKind::PaymentReturn => {
            [post(Pool::OutboundPayments, amount.negated().ok_or(AmountOverflow)?), post(available, amount), nothing]
        }
        JournalKind::PaymentRelease => {
            [post(reserved, cost.negated().ok_or(AmountOverflow)?), post(available, cost), nothing]
        }
        _ => [
            post(reserved, cost.negated().ok_or(AmountOverflow)?),
            post(Pool::OutboundPayments, amount),
            post(Pool::Fees, fee),
        ],
    })
}

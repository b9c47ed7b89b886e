//! Bookings of card messages: money moves between the pools of a budget and the networks.

use super::CardRefusal;
use crate::card::Card;
use crate::ids::{JournalId, TransactionToken};
use crate::ledger::{AmountOverflow, Balances, JournalKind, JournalTransaction, Pool, Posting};
use crate::money::Minor;
use crate::stamp::Stamp;

/// The change of each pool that a message moves money between. The changes add up to zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Movement {
    pub(super) available: Minor,
    pub(super) held: Minor,
    pub(super) network: Minor,
}

impl Movement {
    /// Moves money from available to held (positive) or back (negative).
    pub(super) fn hold(change: Minor) -> Result<Self, AmountOverflow> {
        Ok(Self { available: change.negated().ok_or(AmountOverflow)?, held: change, network: Minor::ZERO })
    }

    /// Removes `taken` from the hold and pays `amount` to the network. The difference is added to available, or
    /// subtracted from it if `amount` is larger.
    pub(super) fn clear(taken: Minor, amount: Minor) -> Result<Self, AmountOverflow> {
        Ok(Self {
            available: taken.minus(amount).ok_or(AmountOverflow)?,
            held: taken.negated().ok_or(AmountOverflow)?,
            network: amount,
        })
    }

    /// Moves `amount` from the network to available.
    pub(super) fn refund(amount: Minor) -> Result<Self, AmountOverflow> {
        Ok(Self { available: amount, held: Minor::ZERO, network: amount.negated().ok_or(AmountOverflow)? })
    }

    /// Books the movement of a message on the card's budget.
    pub(super) fn book(
        self,
        card: &Card,
        balances: &Balances,
        token: TransactionToken,
        stamp: &Stamp<'_>,
    ) -> Result<(JournalTransaction, Balances), CardRefusal> {
        let postings = [
            Posting { pool: Pool::Available(card.budget), amount: self.available },
            Posting { pool: Pool::Held(card.budget), amount: self.held },
            Posting { pool: Pool::CardNetwork, amount: self.network },
        ];
        let cause = (JournalKind::Card, token.0);
        let (id, account) = (JournalId(stamp.id()), card.account.clone());
        let journal = JournalTransaction::new(id, account, cause, card.currency, stamp.now, postings)?;
        let after = balances.after(card.budget, journal.postings())?;
        Ok((journal, after))
    }
}

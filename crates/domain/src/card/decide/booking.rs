//! Bookings of card messages: money moves between the pools of a budget and the networks.

use super::CardRefusal;
use crate::card::Card;
use crate::ids::{BudgetId, JournalId, TransactionToken};
use crate::ledger::{AmountOutOfRange, Balances, JournalKind, JournalTransaction, Leg, Pool};
use crate::money::Minor;
use crate::stamp::Stamp;

/// The changes of the pools: the amounts that the held money and the network gain, or lose if they are negative. The
/// available money loses the sum of both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolChange {
    held: Minor,
    network: Minor,
}

impl PoolChange {
    /// Moves money from available to held (positive) or back (negative).
    pub(super) const fn hold(change: Minor) -> Self {
        Self { held: change, network: Minor::ZERO }
    }

    /// Removes `taken` from the hold and pays `amount` to the network. The difference is added to available, or
    /// subtracted from it if `amount` is larger.
    pub(super) fn clear(taken: Minor, amount: Minor) -> Result<Self, AmountOutOfRange> {
        Ok(Self { held: taken.negated().ok_or(AmountOutOfRange::Overflow)?, network: amount })
    }

    /// Moves `amount` from the network to available.
    pub(super) fn refund(amount: Minor) -> Result<Self, AmountOutOfRange> {
        Ok(Self { held: Minor::ZERO, network: amount.negated().ok_or(AmountOutOfRange::Overflow)? })
    }

    /// The legs, as few as possible. The pool that gains or loses the most is a side of each of them.
    fn legs(self, budget: BudgetId) -> Result<impl Iterator<Item = Leg>, AmountOutOfRange> {
        let available =
            Minor::ZERO.minus(self.held).and_then(|rest| rest.minus(self.network)).ok_or(AmountOutOfRange::Overflow)?;
        let gains =
            [(Pool::Available(budget), available), (Pool::Held(budget), self.held), (Pool::CardNetwork, self.network)];
        let largest = gains.map(|(_, gain)| gain.0.unsigned_abs()).into_iter().max().unwrap_or_default();
        let hub = gains
            .iter()
            .find(|(_, gain)| gain.0.unsigned_abs() == largest)
            .map_or(Pool::CardNetwork, |(pool, _)| *pool);
        let [first, second, third] = gains.map(|(pool, gain)| Leg::new(hub, pool, gain));
        Ok([first?, second?, third?].into_iter().flatten())
    }

    /// Books the movement of a message on the card's budget. There is no journal transaction if nothing moves.
    pub(super) fn book(
        self,
        card: &Card,
        balances: &Balances,
        token: TransactionToken,
        stamp: &Stamp<'_>,
    ) -> Result<(Option<JournalTransaction>, Balances), CardRefusal> {
        let legs = self.legs(card.budget)?;
        let cause = (JournalKind::Card, token.0);
        let (id, account) = (JournalId(stamp.id()), card.account.clone());
        let journal = JournalTransaction::new(id, account, cause, card.currency, stamp.now, legs)?;
        let after = balances.after(card.budget, journal.legs())?;
        Ok(((!journal.legs().is_empty()).then_some(journal), after))
    }
}

#[cfg(test)]
#[path = "booking_tests.rs"]
mod tests;

//! Limits of cards compared with the messages that used them.

use crate::card::{CardLimit, CardTransaction, CountedAmount, CountedKind, MessageKind, Response};
use crate::ids::CardId;
use crate::money::{Currency, Minor, Total};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// The use of a limit, with the maximum use that messages account for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitBooks {
    /// The card.
    pub card: CardId,
    /// Its currency.
    pub currency: Currency,
    /// The limit, with its recorded use.
    pub limit: CardLimit,
    /// The amount that the limit counted for chains in its window, less what it gave back, plus the carried amount.
    pub max_spent: Total,
    /// Number of approved authorizations, ATM withdrawals and debits in its window, plus the carried uses.
    pub max_uses: u64,
}

impl LimitBooks {
    /// Whether chains and messages account for the use.
    ///
    /// Refunds lower the use, but not the amounts that were counted for chains. So a correct limit always passes, and a
    /// limit with more use than messages account for fails.
    pub fn agrees(&self) -> bool {
        let spent = Total::from(self.limit.spent);
        self.limit.spent >= Minor::ZERO && spent <= self.max_spent && u64::from(self.limit.uses) <= self.max_uses
    }
}

/// Sums up the use of limits from chains and messages, in any order.
#[derive(Clone, Debug, Default)]
pub struct LimitTally {
    limits: BTreeMap<CardId, Vec<LimitBooks>>,
}

impl LimitTally {
    /// The responses of messages that can use a limit.
    pub const COUNTED: [Response; 2] = [Response::Approved, Response::PartiallyApproved];

    /// Starts a tally of these limits.
    pub fn of(limits: impl IntoIterator<Item = (CardId, Currency, CardLimit)>) -> Self {
        let mut tally = Self::default();
        for (card, currency, limit) in limits {
            let (max_spent, max_uses) = (Total::from(limit.carried.spent), u64::from(limit.carried.uses));
            let books = LimitBooks { card, currency, limit, max_spent, max_uses };
            tally.limits.entry(card).or_default().push(books);
        }
        tally
    }

    /// Whether there are no limits, so that no message needs to be read.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Whether a card has limits.
    pub fn has_limits(&self, card: CardId) -> bool {
        self.limits.contains_key(&card)
    }

    /// Adds the amounts that limits counted for a chain of a card.
    pub fn count_chain(&mut self, card: CardId, counted: &[CountedAmount]) {
        let Some(limits) = self.limits.get_mut(&card) else { return };
        for entry in counted.iter().filter(|entry| entry.kind != CountedKind::Refunded) {
            let counts = |books: &&mut LimitBooks| {
                (books.limit.id, books.limit.window_start) == (entry.limit, entry.window_start)
            };
            for books in limits.iter_mut().filter(counts) {
                books.max_spent = books.max_spent.plus(Total::from(entry.amount));
            }
        }
    }

    /// Counts the use of a card by a message.
    pub fn count_message(&mut self, message: &CardTransaction) {
        self.count_response(message.card, message.response, message.kind, message.created_at);
    }

    /// Counts the use of a card by a message of this kind with this response.
    pub fn count_response(&mut self, card: CardId, response: Response, kind: MessageKind, at: DateTime<Utc>) {
        if Self::COUNTED.contains(&response)
            && let Some(limits) = self.limits.get_mut(&card)
        {
            for books in limits {
                books.count_use(kind, at);
            }
        }
    }

    /// Returns the limits with their tallies.
    pub fn into_books(self) -> Vec<LimitBooks> {
        self.limits.into_values().flatten().collect()
    }
}

impl LimitBooks {
    fn count_use(&mut self, kind: MessageKind, at: DateTime<Utc>) {
        let is_use = match kind {
            MessageKind::Authorization
            | MessageKind::CashbackAuthorization
            | MessageKind::AtmAuthorization
            | MessageKind::PinDebit
            | MessageKind::PinDebitCashback => true,
            MessageKind::Advice
            | MessageKind::Incremental
            | MessageKind::RefundAuthorization
            | MessageKind::Clearing
            | MessageKind::AtmClearing
            | MessageKind::RefundClearing
            | MessageKind::RefundReversal
            | MessageKind::Reversal
            | MessageKind::Expiry
            | MessageKind::CashbackClearing
            | MessageKind::PinDebitReversal
            | MessageKind::BalanceInquiry
            | MessageKind::Refund
            | MessageKind::RefundReturn
            | MessageKind::FeeCharge
            | MessageKind::FeeChargeReversal
            | MessageKind::ProvisionalCredit
            | MessageKind::Chargeback
            | MessageKind::ChargebackCompleted
            | MessageKind::ProvisionalDebit => false,
        };
        self.max_uses += u64::from(is_use && self.limit.window.start(at) == self.limit.window_start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CarriedUse, LimitWindow};
    use crate::test_support::{a_limit, noon};
    use chrono::TimeDelta;
    use uuid::Uuid;

    const CARD: CardId = CardId(Uuid::nil());

    fn books(spent: i64, uses: u32) -> LimitBooks {
        let carried = CarriedUse { spent: Minor(5), uses: 1 };
        let limit = CardLimit { spent: Minor(spent), uses, carried, ..a_limit(LimitWindow::Day, "10.00 GBP") };
        let (id, start, yesterday) = (limit.id, limit.window_start, noon() - TimeDelta::days(1));
        let mut tally = LimitTally::of([(CARD, Currency::parse("GBP").unwrap(), limit)]);
        let counted = |limit, window_start, amount, kind| {
            let amount = Minor(amount);
            CountedAmount { limit, window_start, amount, kind }
        };
        let other = crate::ids::LimitId(Uuid::max());
        let chain = [
            counted(id, start, 13, CountedKind::Spent),
            counted(id, start, 7, CountedKind::Permanent),
            counted(id, start, 100, CountedKind::Refunded),
            counted(id, yesterday.date_naive(), 100, CountedKind::Spent),
            counted(other, start, 100, CountedKind::Spent),
        ];
        tally.count_chain(CARD, &chain);
        tally.count_chain(CardId(Uuid::max()), &chain);
        for (response, kind, at) in [
            (Response::PartiallyApproved, MessageKind::Authorization, noon()),
            (Response::Approved, MessageKind::Advice, noon()),
            (Response::Approved, MessageKind::Incremental, noon()),
            (Response::Approved, MessageKind::Clearing, noon()),
            (Response::NotSufficientFunds, MessageKind::Authorization, noon()),
            (Response::Approved, MessageKind::AtmAuthorization, yesterday),
        ] {
            tally.count_response(CARD, response, kind, at);
            tally.count_response(CardId(Uuid::max()), response, kind, at);
        }
        tally.into_books().remove(0)
    }

    #[test]
    fn usage_that_no_message_explains_is_found() {
        assert_eq!((books(15, 1).max_spent, books(15, 1).max_uses), (Total(25), 2));
        for (spent, uses, agrees) in [(15, 1, true), (0, 0, true), (25, 2, true), (26, 1, false), (15, 3, false)] {
            assert_eq!(books(spent, uses).agrees(), agrees, "{spent} {uses}");
        }
    }
}

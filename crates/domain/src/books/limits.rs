//! Spending limits compared with the messages that used them.

use crate::card::{CardTransaction, MessageKind, Response, SpendingLimit, SpendingWindow};
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
    pub limit: SpendingLimit,
    /// The sum of approved authorizations, increments, ATM withdrawals and advices in its window.
    pub most_spent: Total,
    /// Number of approved authorizations and ATM withdrawals in its window.
    pub most_uses: u64,
}

impl LimitBooks {
    /// Whether messages account for the use.
    ///
    /// Releases, and amounts that an advice replaced, are not subtracted, because that needs every message of each
    /// chain. So a correct limit always passes, and a limit that was used up without messages fails.
    pub fn agrees(&self) -> bool {
        let spent = Total::from(self.limit.spent);
        self.limit.spent >= Minor::ZERO && spent <= self.most_spent && u64::from(self.limit.uses) <= self.most_uses
    }
}

/// The part of a card message that matters to spending limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    kind: MessageKind,
    impacted: Minor,
    at: DateTime<Utc>,
}

/// Sums up the use of spending limits from messages, in any order.
#[derive(Clone, Debug, Default)]
pub struct LimitTally {
    limits: BTreeMap<CardId, Vec<LimitBooks>>,
}

impl LimitTally {
    /// The answers to messages that can use a limit.
    pub const COUNTED: [Response; 2] = [Response::Approved, Response::PartiallyApproved];

    /// Starts a tally of these limits.
    pub fn of(limits: impl IntoIterator<Item = (CardId, Currency, SpendingLimit)>) -> Self {
        let mut tally = Self::default();
        for (card, currency, limit) in limits {
            let books = LimitBooks { card, currency, limit, most_spent: Total::ZERO, most_uses: 0 };
            tally.limits.entry(card).or_default().push(books);
        }
        tally
    }

    /// Whether there are no limits, so that no message needs to be read.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Whether a card has limits.
    pub fn wants(&self, card: CardId) -> bool {
        self.limits.contains_key(&card)
    }

    /// Counts a message.
    pub fn see(&mut self, message: &CardTransaction) {
        let CardTransaction { kind, impacted, created_at: at, .. } = *message;
        self.see_answered(message.card, message.response, (kind, impacted), at);
    }

    /// Counts a message of this kind with the impact in its record and its answer.
    pub fn see_answered(
        &mut self,
        card: CardId,
        response: Response,
        (kind, impacted): (MessageKind, Minor),
        at: DateTime<Utc>,
    ) {
        if Self::COUNTED.contains(&response)
            && let Some(limits) = self.limits.get_mut(&card)
        {
            let seen = Seen { kind, impacted, at };
            for books in limits {
                books.count(seen);
            }
        }
    }

    /// Returns the limits with their tallies.
    pub fn into_books(self) -> Vec<LimitBooks> {
        self.limits.into_values().flatten().collect()
    }
}

impl LimitBooks {
    fn count(&mut self, Seen { kind, impacted, at }: Seen) {
        if SpendingWindow::start(self.limit.window, at) != self.limit.window_start {
            return;
        }
        let uses = match kind {
            MessageKind::Authorization | MessageKind::AtmAuthorization => 1,
            // These messages can raise the amount that their chains spent.
            MessageKind::Advice | MessageKind::Incremental => 0,
            MessageKind::RefundAuthorization
            | MessageKind::Clearing
            | MessageKind::AtmClearing
            | MessageKind::RefundClearing
            | MessageKind::RefundReversal
            | MessageKind::Reversal
            | MessageKind::Expiry => return,
        };
        self.most_uses += uses;
        // The impact is negative for a debit, and includes fees.
        self.most_spent = self.most_spent.plus(Total(i128::from(impacted.0).abs()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeDelta, TimeZone};
    use uuid::Uuid;

    const CARD: CardId = CardId(Uuid::nil());

    fn noon() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 9, 1, 12, 0, 0).unwrap()
    }

    fn books(spent: i64, uses: u32) -> LimitBooks {
        let window = SpendingWindow::Day;
        let (amount, window_start) = (Minor(1000), window.start(noon()));
        let limit = SpendingLimit { window, amount, most_uses: None, window_start, spent: Minor(spent), uses };
        let mut tally = LimitTally::of([(CARD, Currency::parse("GBP").unwrap(), limit)]);
        for (response, kind, impacted, at) in [
            (Response::PartiallyApproved, MessageKind::Authorization, -10, noon()),
            (Response::Approved, MessageKind::Advice, -9, noon()),
            (Response::Approved, MessageKind::Incremental, -6, noon()),
            (Response::Approved, MessageKind::Clearing, -15, noon()),
            (Response::NotSufficientFunds, MessageKind::Authorization, 0, noon()),
            (Response::Approved, MessageKind::AtmAuthorization, -100, noon() - TimeDelta::days(1)),
        ] {
            tally.see_answered(CARD, response, (kind, Minor(impacted)), at);
            tally.see_answered(CardId(Uuid::max()), response, (kind, Minor(impacted)), at);
        }
        tally.into_books().remove(0)
    }

    #[test]
    fn usage_that_no_message_explains_is_found() {
        assert_eq!((books(15, 1).most_spent, books(15, 1).most_uses), (Total(25), 1));
        for (spent, uses, agrees) in [(15, 1, true), (0, 0, true), (25, 1, true), (26, 1, false), (15, 2, false)] {
            assert_eq!(books(spent, uses).agrees(), agrees, "{spent} {uses}");
        }
    }
}

//! A chain with its messages, its hold and its journal.

use super::{CardTransaction, Chain, DeclineExplanation};
use crate::ids::TransactionToken;
use crate::ledger::{JournalTransaction, Leg, Pool};
use crate::money::Minor;

/// Everything that is stored about one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHistory {
    /// Its messages by time, first message first. A declined first message has no follow-ups.
    pub messages: Vec<ExplainedMessage>,
    /// The chain; `None` if its first message was declined.
    pub chain: Option<Chain>,
    /// Its journal transactions in the order of the messages that caused them.
    pub journal: Vec<JournalTransaction>,
}

/// A message, with the explanation of its decline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedMessage {
    /// The record.
    pub transaction: CardTransaction,
    /// The explanation of its decline. `None` if it was approved, or was declined before Florin stored explanations.
    pub declined: Option<DeclineExplanation>,
}

/// The hold after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldStep {
    /// The message.
    pub message: TransactionToken,
    /// The amount held after it.
    pub held: Minor,
}

impl ChainHistory {
    /// Creates a history, and sorts its messages and its journal.
    pub fn of(mut messages: Vec<ExplainedMessage>, chain: Option<Chain>, mut journal: Vec<JournalTransaction>) -> Self {
        messages.sort_by_key(|message| {
            let message = &message.transaction;
            (message.token != message.chain, message.created_at, message.token)
        });
        let place = |cause| messages.iter().position(|message| message.transaction.token.0 == cause);
        journal.sort_by_key(|transaction| (place(transaction.cause), transaction.id));
        Self { messages, chain, journal }
    }

    /// Computes the hold after each message from the journal.
    pub fn steps(&self) -> Vec<HoldStep> {
        let mut held = 0_i64;
        let step = |message: &ExplainedMessage| {
            let message = message.transaction.token;
            let caused = self.journal.iter().filter(|transaction| transaction.cause == message.0);
            for posting in caused.flat_map(JournalTransaction::legs).flat_map(Leg::postings) {
                if matches!(posting.pool, Pool::Held(_)) {
                    held = held.saturating_add(posting.amount.0);
                }
            }
            HoldStep { message, held: Minor(held) }
        };
        self.messages.iter().map(step).collect()
    }
}

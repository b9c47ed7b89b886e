//! Situations: what the rules for messages read.

use crate::card::{Card, CardLimit, CardTransaction, Chain, Guards, MessageKind, RecipientAddress, TransactionState};
use crate::ledger::Balances;

/// The situation for a first message. An adapter loads it under the lock of the budget.
#[derive(Clone, Debug)]
pub struct FirstSituation {
    /// The card.
    pub card: Card,
    /// Its limits.
    pub limits: Vec<CardLimit>,
    /// Further data that the rules read, such as controls and the PIN.
    pub guards: Guards,
    /// The address to which a physical card was sent. Addresses of cardholders are compared with it.
    pub recipient: Option<RecipientAddress>,
    /// Its budget's balances in the card's currency.
    pub balances: Balances,
}

/// The situation for a follow-up. An adapter loads it under the lock of the budget.
#[derive(Clone, Debug)]
pub struct ChainSituation {
    /// The card.
    pub card: Card,
    /// Its limits.
    pub limits: Vec<CardLimit>,
    /// Further data that the rules read, such as controls and the PIN.
    pub guards: Guards,
    /// Its budget's balances in the card's currency.
    pub balances: Balances,
    /// The first message of the chain.
    pub first: CardTransaction,
    /// The kind and state of the message that the follow-up names.
    pub named_message: (MessageKind, TransactionState),
    /// The chain. `None` if the first message was declined.
    pub chain: Option<Chain>,
}

//! An integrator plays card messages (contract 5.3 to 5.5).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardRefusal, FirstMessage, FollowUp, MessageStamp, decide_first, decide_follow_up};
use florin_domain::ids::{CardId, JournalId, TransactionToken};
use florin_ports::{FirstMessageOrder, FollowUpOrder, RepeatClaim, StoreError, WriteError, Written};
use std::sync::Arc;

/// A message to a card of the account: authorization, ATM withdrawal authorization, refund authorization.
pub async fn send_first_message(
    services: &Services,
    account: &Account,
    card: CardId,
    message: FirstMessage,
    repeat: Option<RepeatClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let stamp = stamp(services, account).await?;
    let order = FirstMessageOrder {
        account: account.id.clone(),
        card,
        decide: Arc::new(move |situation| decide_first(situation, &message, &stamp)),
        repeat,
    };
    services.cards.first_message(order).await
}

/// A message that follows another one of the account: advice, clearing, reversal and their kin.
pub async fn send_follow_up(
    services: &Services,
    account: &Account,
    token: TransactionToken,
    message: FollowUp,
    repeat: Option<RepeatClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let stamp = stamp(services, account).await?;
    let order = FollowUpOrder {
        account: account.id.clone(),
        token,
        decide: Arc::new(move |situation| decide_follow_up(situation, token, &message, &stamp)),
        repeat,
    };
    services.cards.follow_up(order).await
}

/// Ids and time of one message.
async fn stamp(services: &Services, account: &Account) -> Result<MessageStamp, StoreError> {
    let at = services.at(account).await?;
    Ok(MessageStamp { token: TransactionToken(at.next_id()), journal: JournalId(at.next_id()), now: at.now() })
}

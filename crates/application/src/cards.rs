//! An integrator plays card messages (contract 5.3 to 5.5).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardRefusal, FirstMessage, FollowUp, MessageStamp, decide_first, decide_follow_up};
use florin_domain::ids::{CardId, JournalId, TransactionToken};
use florin_domain::money::Currency;
use florin_ports::{FirstMessageOrder, FollowUpOrder, RatesUnavailable, RepeatClaim, WriteError, Written};
use std::sync::Arc;

/// Why a first message came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum FirstMessageError {
    /// Nobody exchanges the merchant's currency.
    #[error("nobody exchanges {0}")]
    NoRates(Currency),
    /// What currencies are worth can't be had now.
    #[error(transparent)]
    Rates(#[from] RatesUnavailable),
    /// It was not written.
    #[error(transparent)]
    Write(#[from] WriteError<CardRefusal>),
}

/// A message to a card of the account: authorization, ATM withdrawal authorization, refund authorization. Its amounts are
/// in the merchant's currency where one is named, else in the card's.
pub async fn send_first_message(
    services: &Services,
    account: &Account,
    card: CardId,
    (mut message, merchant): (FirstMessage, Option<Currency>),
    repeat: Option<RepeatClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, FirstMessageError> {
    if let Some(currency) = merchant {
        // Asked before any lock is taken: rates may come from far away.
        let quotes = services.rates.quotes(currency).await?;
        message.extras.quotes = Some(quotes.ok_or(FirstMessageError::NoRates(currency))?);
    }
    let stamp = stamp(services);
    let order = FirstMessageOrder {
        account: account.id.clone(),
        card,
        decide: Arc::new(move |situation| decide_first(situation, &message, &stamp)),
        repeat,
    };
    Ok(services.cards.first_message(order).await?)
}

/// A message that follows another one of the account: advice, clearing, reversal and their kin.
pub async fn send_follow_up(
    services: &Services,
    account: &Account,
    token: TransactionToken,
    message: FollowUp,
    repeat: Option<RepeatClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let stamp = stamp(services);
    let order = FollowUpOrder {
        account: account.id.clone(),
        token,
        decide: Arc::new(move |situation| decide_follow_up(situation, token, &message, &stamp)),
        repeat,
    };
    services.cards.follow_up(order).await
}

/// Ids and time of one message.
pub(crate) fn stamp(services: &Services) -> MessageStamp {
    MessageStamp {
        token: TransactionToken(services.ids.next_id()),
        journal: JournalId(services.ids.next_id()),
        now: services.clock.now(),
    }
}

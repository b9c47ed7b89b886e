//! Simulates card messages (contract 5.3 to 5.5).

use crate::Services;
use crate::consult::{DecisionPass, MessageSender, consult};
use florin_domain::card::decide::{
    CardRefusal, ChainSituation, FirstMessage, FirstSituation, FirstUseSituation, FollowUp, decide_first,
    decide_first_use, decide_follow_up_with_endpoint,
};
use florin_domain::card::{CardTransaction, MultiClearing, Pin};
use florin_domain::ids::{CardId, TransactionToken};
use florin_domain::money::Currency;
use florin_ports::{
    ExchangeRates, FirstMessageCommand, FirstUseCommand, FollowUpCommand, IdempotencyClaim, Mode, RatesUnavailable,
    WriteError, Written,
};
use std::sync::Arc;

/// Reasons that a first message fails.
#[derive(Debug, thiserror::Error)]
pub enum FirstMessageError {
    /// No exchange rate exists for the merchant's currency.
    #[error("no exchange rate for {0}")]
    NoRates(Currency),
    /// The exchange rates are unavailable.
    #[error(transparent)]
    Rates(#[from] RatesUnavailable),
    /// The message was refused or could not be stored.
    #[error(transparent)]
    Write(#[from] WriteError<CardRefusal>),
}

/// A first message to a card.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// The card, which must be the account's.
    pub card: CardId,
    /// The message.
    pub message: FirstMessage,
    /// The currency of the merchant, in which the amounts are given. `None`: the currency of the card.
    pub merchant_currency: Option<Currency>,
    /// The PIN that the cardholder entered.
    pub pin: Option<Pin>,
}

/// Sends a first message, such as an authorization or a debit, to a card of the account. A message with a PIN can put a
/// physical card into use.
pub async fn send_first_message(
    services: &Services,
    sender: MessageSender<'_>,
    NewMessage { card, mut message, merchant_currency, pin }: NewMessage,
    mode: Mode,
    claim: Option<IdempotencyClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, FirstMessageError> {
    let account = sender.account;
    message.extras.pin = pin.map(|pin| services.digests.pin(card, &pin));
    // Get rates before any lock is acquired, because the source of rates may be slow.
    let message = with_rates(services.rates.as_ref(), message, merchant_currency).await?;
    let clock = services.clock_of(account).await.map_err(WriteError::Store)?;
    // The answer stays correct if the card changes meanwhile: a card in use never waits for its first use again.
    let has_pin = message.extras.pin.is_some();
    let awaits_first_use =
        has_pin && services.cards.awaits_first_use(&account.id, card).await.map_err(WriteError::Store)?;
    let client = account.client;
    let run = async |pass: DecisionPass| {
        let (mut message, clock) = (message.clone(), clock.clone());
        message.extras.decision = pass.endpoint_decision;
        let first_id = pass.token.map(|token| token.0);
        let (account, claim) = (account.id.clone(), claim.clone());
        if awaits_first_use {
            let decide = move |situation: &FirstUseSituation| {
                clock.rule_with_first_id(first_id, |stamp| decide_first_use(situation, &message, client, stamp))
            };
            let command = FirstUseCommand { account, card, decide: Arc::new(decide), mode, claim };
            return services.cards.first_use(command).await;
        }
        let decide = move |situation: &FirstSituation| {
            clock.rule_with_first_id(first_id, |stamp| decide_first(situation, &message, stamp))
        };
        let command = FirstMessageCommand { account, card, decide: Arc::new(decide), mode, claim };
        services.cards.first_message(command).await
    };
    Ok(consult(services, sender, mode, run).await?)
}

/// Adds the exchange rates of the merchant's currency to the message. `None`: it needs no rates.
async fn with_rates(
    rates: &dyn ExchangeRates,
    mut message: FirstMessage,
    merchant_currency: Option<Currency>,
) -> Result<FirstMessage, FirstMessageError> {
    if let Some(currency) = merchant_currency {
        message.extras.quotes = Some(rates.quotes(currency).await?.ok_or(FirstMessageError::NoRates(currency))?);
    }
    Ok(message)
}

/// Sends a follow-up, such as a clearing or a reversal, to a message of the account. The record of a clearing contains
/// `place`, its place among several clearings.
pub async fn send_follow_up(
    services: &Services,
    sender: MessageSender<'_>,
    token: TransactionToken,
    (message, place): (FollowUp, MultiClearing),
    mode: Mode,
    claim: Option<IdempotencyClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let account = sender.account;
    let clock = services.clock_of(account).await?;
    let run = async |DecisionPass { endpoint_decision, token: given }: DecisionPass| {
        let (message, clock) = (message.clone(), clock.clone());
        let first_id = given.map(|token| token.0);
        let decide = move |situation: &ChainSituation| {
            let decision = clock.rule_with_first_id(first_id, |stamp| {
                decide_follow_up_with_endpoint(situation, token, &message, endpoint_decision, stamp)
            });
            decision.map(|decision| decision.placed(place))
        };
        let (account, claim) = (account.id.clone(), claim.clone());
        let command = FollowUpCommand { account, token, decide: Arc::new(decide), mode, claim };
        services.cards.follow_up(command).await
    };
    consult(services, sender, mode, run).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::card::decide::{Extras, FirstKind};
    use florin_domain::card::{AcceptorInput, Network};
    use florin_domain::money::{DecimalAmount, Quotes};
    use florin_domain::text::Text;
    use florin_ports::MockExchangeRates;

    fn message() -> FirstMessage {
        let acceptor = AcceptorInput {
            mid: Text::parse("1").unwrap(),
            name: None,
            city: None,
            state: None,
            postal_code: None,
            country_code: None,
            mcc: None,
        };
        let amount = DecimalAmount::from_json_number("1").unwrap();
        let acceptor = acceptor.completed();
        FirstMessage { kind: FirstKind::Purchase, amount, network: Network::Visa, acceptor, extras: Extras::default() }
    }

    #[tokio::test]
    async fn rates_are_fetched_only_if_a_currency_of_the_merchant_is_given() {
        let dollars = Currency::parse("USD").unwrap();
        let quotes = Quotes { from: dollars, rates: vec![] };
        let plain = with_rates(&MockExchangeRates::new(), message(), None).await.unwrap();
        assert_eq!(plain, message());
        let mut rates = MockExchangeRates::new();
        let returned = quotes.clone();
        rates.expect_quotes().times(1).returning(move |_| Ok(Some(returned.clone())));
        let abroad = with_rates(&rates, message(), Some(dollars)).await.unwrap();
        assert_eq!(abroad.extras.quotes, Some(quotes));
    }

    #[tokio::test]
    async fn a_missing_rate_refuses_the_message() {
        let dollars = Currency::parse("USD").unwrap();
        let mut rates = MockExchangeRates::new();
        rates.expect_quotes().times(1).returning(|_| Ok(None));
        let unknown = with_rates(&rates, message(), Some(dollars)).await;
        assert!(matches!(unknown, Err(FirstMessageError::NoRates(currency)) if currency == dollars));
        let mut rates = MockExchangeRates::new();
        rates.expect_quotes().times(1).returning(|_| Err(RatesUnavailable("far away".into())));
        assert!(matches!(with_rates(&rates, message(), Some(dollars)).await, Err(FirstMessageError::Rates(_))));
    }
}

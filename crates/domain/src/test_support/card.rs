//! Builders of cards, limits and first messages.

use super::ids::{BUDGET, account, noon};
use super::money::{currency, decimal, minor};
use crate::card::decide::{Extras, FirstKind, FirstMessage};
use crate::card::{
    AcceptorInput, Card, CardHolder, CardLimit, CardName, CardPhone, CardRequest, CardState, CarriedUse, LimitChange,
    LimitWindow, MAX_CARDS, Network, PhysicalCardRequest, RecipientAddress,
};
use crate::checkout::CountryCode;
use crate::ids::{CardId, LimitId, UserToken};
use crate::money::Minor;
use crate::text::Text;
use chrono::NaiveDate;
use uuid::Uuid;

/// A builder of a card.
#[derive(Clone, Debug)]
pub struct CardBuilder(Card);

/// Returns a builder of an ACTIVE card in GBP, valid until the end of 2030.
pub fn a_card() -> CardBuilder {
    CardBuilder(Card {
        id: CardId(Uuid::from_u128(0xca)),
        account: account(),
        budget: BUDGET,
        currency: currency("GBP"),
        state: CardState::Active,
        user_token: UserToken(Uuid::from_u128(0xaa)),
        expires_on: NaiveDate::from_ymd_opt(2030, 12, 31).unwrap(),
    })
}

impl CardBuilder {
    /// Sets the state of the card.
    #[must_use]
    pub fn in_state(mut self, state: CardState) -> Self {
        self.0.state = state;
        self
    }

    /// Sets the currency of the card, which its budget must hold.
    #[must_use]
    pub fn in_currency(mut self, code: &str) -> Self {
        self.0.currency = currency(code);
        self
    }

    /// Builds the card.
    pub fn build(self) -> Card {
        self.0
    }
}

impl From<CardBuilder> for Card {
    fn from(builder: CardBuilder) -> Self {
        builder.build()
    }
}

/// Returns a request to create a card called Zoë on [`BUDGET`], with default values.
pub fn a_card_request() -> CardRequest {
    let card = a_card().build();
    CardRequest {
        id: card.id,
        account: card.account,
        holder: CardHolder::Budget(card.budget),
        currency: None,
        user_token: card.user_token,
        name: CardName::parse("Zoë").unwrap(),
        phone: CardPhone::default(),
        expires_on: None,
        activate: false,
        max_cards: MAX_CARDS,
        now: noon(),
    }
}

/// Returns a request to set a limit of 10.00, with any number of uses.
pub fn a_limit_change(window: LimitWindow) -> LimitChange {
    let (id, amount) = (LimitId(Uuid::from_u128(0x11)), decimal("10"));
    LimitChange { id, window, amount, currency: None, max_uses: None, active: true, turned_off: false, now: noon() }
}

/// Returns an unused limit of an amount such as `50.00 GBP`, with any number of uses.
pub fn a_limit(window: LimitWindow, amount: &str) -> CardLimit {
    CardLimit {
        id: LimitId(Uuid::from_u128(0x11a0 + window as u128)),
        window,
        amount: minor(amount),
        max_uses: None,
        active: true,
        turned_off: false,
        window_start: window.start(noon()),
        spent: Minor::ZERO,
        uses: 0,
        carried: CarriedUse::default(),
    }
}

/// Returns a first message with an amount in the card's currency and the default acceptor of the sandbox.
pub fn first_message(kind: FirstKind, amount: &str) -> FirstMessage {
    let acceptor = AcceptorInput {
        mid: Text::parse("11111").unwrap(),
        name: None,
        city: None,
        state: None,
        postal_code: None,
        country_code: None,
        mcc: None,
    };
    let (amount, acceptor) = (decimal(amount), acceptor.completed());
    FirstMessage { kind, amount, network: Network::Visa, acceptor, extras: Extras::default() }
}

/// Returns the authorization of a purchase, or an account check if the amount is `0`.
pub fn a_purchase(amount: &str) -> FirstMessage {
    first_message(FirstKind::Purchase, amount)
}

/// Returns the authorization of an ATM withdrawal.
pub fn a_withdrawal(amount: &str) -> FirstMessage {
    first_message(FirstKind::Atm, amount)
}

/// Returns the authorization of a refund.
pub fn a_refund(amount: &str) -> FirstMessage {
    first_message(FirstKind::Refund, amount)
}

/// Returns a request to order a physical card.
pub fn a_physical_card_request() -> PhysicalCardRequest {
    let recipient = RecipientAddress {
        recipient_name: Some("Ada Lovelace".to_owned()),
        address_line1: "1 High Street".to_owned(),
        address_line2: None,
        city: "London".to_owned(),
        region: None,
        postcode: "EC1A 1BB".to_owned(),
        country_code: CountryCode::parse("GB").unwrap(),
    };
    PhysicalCardRequest { recipient, max_cards: 10 }
}

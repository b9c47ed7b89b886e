//! Cards and their state changes in responses.

use super::{LimitView, Time};
use chrono::{DateTime, NaiveTime, SubsecRound, TimeDelta, Utc};
use florin_domain::card::{
    Card, CardBudget, CardNumber, CardOwnerKind, CardProfile, CardState, CardTransition, LimitWindow, RecipientAddress,
};
use serde::Serialize;
use utoipa::ToSchema;

/// A card. Members without a stored value are null.
#[derive(Serialize, ToSchema)]
#[schema(as = Card)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardView {
    /// The id of the card; card messages call it `cardToken`.
    #[schema(format = Uuid)]
    id: String,
    /// The person who owns an individual card; null for shared cards.
    #[schema(required, nullable, format = Uuid)]
    person_id: Option<String>,
    /// The id of the account.
    account_id: String,
    /// The name on the card, without diacritics.
    name: String,
    /// The state of the card.
    #[schema(pattern = "^(UNACTIVATED|ACTIVE|SUSPENDED|REPLACED|TERMINATED)$")]
    state: &'static str,
    /// The reason for the last state change; null if none was given.
    #[schema(required, nullable)]
    state_reason: Option<String>,
    /// `VIRTUAL_PAN`, or `PHYSICAL_MSR` for a physical card.
    #[schema(pattern = "^(VIRTUAL_PAN|PHYSICAL_MSR)$")]
    card_type: &'static str,
    /// The last four digits of the card number.
    #[schema(pattern = "^[0-9]{4}$")]
    last_four: String,
    /// The month in which the card expires: `MMYY`.
    #[schema(pattern = "^[0-9]{4}$")]
    expiration: String,
    /// The last second in which the card is valid.
    #[schema(value_type = String, format = DateTime)]
    expiration_time: Time,
    /// Whether the card has a PIN.
    pin_is_set: bool,
    /// The progress of producing the card.
    #[schema(pattern = "^(ISSUED|ORDERED|REORDERED|REJECTED|SHIPPED|DIGITALLY_PRESENTED)$")]
    fulfillment_status: &'static str,
    /// Always null: Florin has no card products.
    #[schema(required, nullable)]
    card_product_name: Option<String>,
    /// `BUDGET` for a shared card, `PEOPLE` for an individual card.
    #[schema(pattern = "^(BUDGET|PEOPLE)$")]
    card_owner_type: &'static str,
    /// The id of `token`.
    #[schema(format = Uuid)]
    user_token_id: String,
    /// The holder of the card.
    token: CardTokenView,
    /// The budgets that were listed for the card, in order, each with its access.
    budgets: Vec<CardBudgetView>,
    /// The spending limit of the shortest window; null if the card has none.
    #[schema(required, nullable = true)]
    spending_limit: Option<LimitView>,
    /// For a physical card, its state. For a virtual card, the state of the last physical card that was ordered for it.
    /// `NOT_REQUESTED`: none was ordered.
    #[schema(pattern = "^(NOT_REQUESTED|UNACTIVATED|ACTIVE|SUSPENDED|REPLACED|TERMINATED)$")]
    physical_card_state: &'static str,
    /// The phone number of a shared card.
    #[schema(required, nullable)]
    budget_card_phone_number: Option<String>,
    /// The person to whom `budgetCardPhoneNumber` belongs.
    #[schema(required, nullable, format = Uuid)]
    budget_card_phone_number_person_id: Option<String>,
    /// The currency of the card. Florin extension.
    currency_code: &'static str,
    /// The virtual card for which a physical card was ordered; null for virtual cards. Florin extension.
    #[schema(required, nullable, format = Uuid)]
    virtual_card_id: Option<String>,
    /// The address to which a physical card is sent. Null for virtual cards, and after the card has ended or changed
    /// its owner. Florin extension.
    #[schema(required)]
    recipient_address: Option<RecipientView>,
    /// The card that replaced this one; null if the card was not replaced. Florin extension.
    #[schema(required, nullable, format = Uuid)]
    replaced_by_card_id: Option<String>,
    /// When the card was created; null if it was part of the account's initial data.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
    /// When the card last changed; null if it was part of the account's initial data.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    updated_at: Option<Time>,
}

/// The holder of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardToken)]
#[serde(rename_all = "camelCase")]
struct CardTokenView {
    /// Equals `userToken`.
    #[schema(format = Uuid)]
    id: String,
    /// The person who owns an individual card; null for shared cards.
    #[schema(required, nullable, format = Uuid)]
    person_id: Option<String>,
    /// The id of the account.
    account_id: String,
    /// The `userToken` of the card's messages. Every new card gets its own, even if one person owns several.
    #[schema(format = Uuid)]
    user_token: String,
    /// The budget of a shared card; null for individual cards.
    #[schema(required, nullable, format = Uuid)]
    budget_id: Option<String>,
}

/// The address to which a physical card is sent. Members without a stored value are null.
#[derive(Serialize, ToSchema)]
#[schema(as = CardRecipient)]
#[serde(rename_all = "camelCase")]
struct RecipientView {
    #[schema(required, nullable)]
    recipient_name: Option<String>,
    address_line1: String,
    #[schema(required, nullable)]
    address_line2: Option<String>,
    city: String,
    #[schema(required, nullable)]
    region: Option<String>,
    postcode: String,
    /// ISO 3166, two capital letters.
    country_code: String,
}

/// A budget that was listed for a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardBudget)]
#[serde(rename_all = "camelCase")]
struct CardBudgetView {
    /// The id of the budget.
    #[schema(format = Uuid)]
    id: String,
    /// The name of the budget.
    name: String,
    /// The type of the budget.
    #[serde(rename = "type")]
    #[schema(pattern = "^(accountBalance|shared|individual)$")]
    kind: &'static str,
    /// Whether the card may spend from the budget.
    #[schema(pattern = "^(allowed|denied)$")]
    access: &'static str,
}

/// The test number and security code of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDetails)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardDetailsView {
    /// The id of the card.
    #[schema(format = Uuid)]
    card_id: String,
    /// Sixteen digits that pass the Luhn check. No card scheme issues this number.
    #[schema(pattern = "^9[0-9]{15}$")]
    number: String,
    /// The three digits that cardholders enter online.
    #[schema(pattern = "^[0-9]{3}$")]
    security_code: String,
    /// The month in which the card expires: `MMYY`.
    #[schema(pattern = "^[0-9]{4}$")]
    expiration: String,
}

/// A state change of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransition)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransitionView {
    /// The state before the change.
    from_state: &'static str,
    /// The state after the change.
    to_state: &'static str,
    /// The reason that the client gave; null if it gave none.
    #[schema(required, nullable)]
    reason: Option<String>,
    /// The id of the API client that requested the change.
    #[schema(format = Uuid)]
    client_id: String,
    /// When the state changed.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

impl CardView {
    /// Builds the view of a card with the usage of its spending limit at the given time.
    pub(crate) fn at(profile: &CardProfile, now: DateTime<Utc>) -> Self {
        let (record, card) = (&profile.record, &profile.record.card);
        let token = card.user_token.to_string();
        let person = record.person.as_ref().map(|personal| personal.person.to_string());
        let mut limits = profile.limits.iter().filter(|limit| limit.window != LimitWindow::Transaction);
        Self {
            id: card.id.to_string(),
            person_id: person.clone(),
            account_id: card.account.to_string(),
            name: record.name.clone(),
            state: card.state.as_str(),
            state_reason: record.state_reason.clone(),
            card_type: if record.physical.is_some() { "PHYSICAL_MSR" } else { "VIRTUAL_PAN" },
            last_four: record.last_four(),
            expiration: expiration(card),
            expiration_time: Time(last_second(card)),
            pin_is_set: record.pin.is_some(),
            fulfillment_status: record.fulfillment.as_str(),
            card_product_name: None,
            card_owner_type: record.owner().as_str(),
            user_token_id: token.clone(),
            token: CardTokenView {
                id: token.clone(),
                person_id: person,
                account_id: card.account.to_string(),
                user_token: token,
                budget_id: (record.owner() == CardOwnerKind::Budget).then(|| card.budget.to_string()),
            },
            budgets: profile.budgets.iter().map(CardBudgetView::from).collect(),
            spending_limit: limits.next().map(|limit| LimitView::at(limit, card.currency, now)),
            physical_card_state: profile.physical_state.map_or("NOT_REQUESTED", CardState::as_str),
            budget_card_phone_number: record.phone.number.as_ref().map(|number| number.as_str().to_owned()),
            budget_card_phone_number_person_id: record.phone.person.map(|person| person.to_string()),
            currency_code: card.currency.code(),
            virtual_card_id: record.physical.as_ref().map(|physical| physical.virtual_card.to_string()),
            recipient_address: record
                .physical
                .as_ref()
                .and_then(|physical| physical.recipient.as_ref())
                .map(Into::into),
            replaced_by_card_id: record.replaced_by.map(|card| card.to_string()),
            created_at: record.created_at.map(Time),
            updated_at: record.updated_at.map(Time),
        }
    }

    /// Builds the view of a card that was just changed, at its `updated_at`.
    pub(crate) fn after_change(profile: &CardProfile) -> Self {
        Self::at(profile, profile.record.updated_at.unwrap_or_default())
    }
}

impl From<&RecipientAddress> for RecipientView {
    fn from(address: &RecipientAddress) -> Self {
        let RecipientAddress { recipient_name, address_line1, address_line2, city, region, postcode, country_code } =
            address.clone();
        let country_code = country_code.as_str().to_owned();
        Self { recipient_name, address_line1, address_line2, city, region, postcode, country_code }
    }
}

impl From<&CardBudget> for CardBudgetView {
    fn from(budget: &CardBudget) -> Self {
        Self {
            id: budget.id.to_string(),
            name: budget.name.clone(),
            kind: budget.kind.as_str(),
            access: if budget.active { "allowed" } else { "denied" },
        }
    }
}

impl From<&Card> for CardDetailsView {
    fn from(card: &Card) -> Self {
        let CardNumber { number, security_code } = CardNumber::of(card.id);
        Self { card_id: card.id.to_string(), number, security_code, expiration: expiration(card) }
    }
}

fn expiration(card: &Card) -> String {
    card.expires_on.format("%m%y").to_string()
}

fn last_second(card: &Card) -> DateTime<Utc> {
    let midnight = card.expires_on.and_time(NaiveTime::MIN).and_utc();
    (midnight + TimeDelta::seconds(86_399)).trunc_subsecs(0)
}

impl From<CardTransition> for TransitionView {
    fn from(transition: CardTransition) -> Self {
        Self {
            from_state: transition.from.as_str(),
            to_state: transition.to.as_str(),
            reason: transition.reason,
            client_id: transition.client.to_string(),
            created_at: Time(transition.created_at),
        }
    }
}

//! Creating virtual cards (contract 5.6).

use super::{Card, CardName, CardOwner, CardRecord, CardState, FulfillmentStatus};
use crate::budget::{BudgetFeature, BudgetRecord};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, CardId, PersonId, UserToken};
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

/// Default maximum number of cards of an account, in any state.
pub const MAX_CARDS: u64 = 1_000_000;
/// The reason of the first state of a card.
pub(super) const NEW_CARD: &str = "New card";
/// Maximum number of years that a card is valid.
pub const MAX_YEARS: u32 = 10;
/// Default number of years that a card is valid.
const YEARS: u32 = 3;

/// A request to create a card, with its new ids and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRequest {
    /// The id of the new card.
    pub id: CardId,
    /// Its account.
    pub account: AccountId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// Its currency, which the budget must hold. By default GBP if the budget holds it, else the budget's first one.
    pub currency: Option<Currency>,
    /// Its owner.
    pub owner: CardOwner,
    /// The token of its holder.
    pub user_token: UserToken,
    /// Its name.
    pub name: CardName,
    /// The phone number of a shared card.
    pub phone: Option<Text<1, 32>>,
    /// The person who has the phone.
    pub phone_person: Option<PersonId>,
    /// The last day on which it is valid. By default, the end of the month in three years.
    pub expires_on: Option<NaiveDate>,
    /// Whether it starts as ACTIVE instead of UNACTIVATED.
    pub activate: bool,
    /// Maximum number of cards of the account.
    pub max_cards: u64,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// What an adapter loads under the lock that serializes creations on an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateCardSituation {
    /// The budget that will pay.
    pub budget: BudgetRecord,
    /// Number of cards of the account.
    pub cards: u64,
}

/// Reasons to refuse the creation of a card. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateCardRefusal {
    /// A value does not fit the budget or the date. The paths are those of the request's body.
    #[error("a value is not valid for this budget or on this date")]
    Faults(Vec<Fault>),
    /// The budget lacks the feature for cards of this owner.
    #[error("names a budget without the feature {}", .0.as_str())]
    CardsOff(BudgetFeature),
    /// The account has the maximum number of cards.
    #[error("an account has at most {0} cards")]
    TooMany(u64),
}

/// Decides the creation of a card.
///
/// ```
/// use florin_domain::card::{CardState, CreateCardSituation, decide_create_card};
/// use florin_domain::test_support::{a_budget, a_card_request};
///
/// let situation = CreateCardSituation { budget: a_budget().with("0.00 GBP").build(), cards: 0 };
/// let record = decide_create_card(&situation, &a_card_request()).unwrap();
/// assert_eq!(record.card.state, CardState::Unactivated);
/// ```
pub fn decide_create_card(
    situation: &CreateCardSituation,
    request: &CardRequest,
) -> Result<CardRecord, CreateCardRefusal> {
    let mut faults = Vec::new();
    let currency = currency_of(&situation.budget, request.currency);
    if let Err(flaw) = &currency {
        faults.push(flaw.clone().at("body.currencyCode"));
    }
    let today = request.now.date_naive();
    let expires_on = request.expires_on.unwrap_or_else(|| usual_expiry(today));
    if expires_on < today || expires_on > years_on(today, MAX_YEARS) {
        let flaw = Flaw::range(format!("must be from today to {MAX_YEARS} years from today"));
        faults.push(flaw.at("body.expiryDate"));
    }
    let Some(currency) = currency.ok().filter(|_| faults.is_empty()) else {
        return Err(CreateCardRefusal::Faults(faults));
    };
    let feature = match request.owner {
        CardOwner::Budget => BudgetFeature::BudgetCards,
        CardOwner::People => BudgetFeature::PeopleCards,
    };
    if !situation.budget.features.contains(&feature) {
        return Err(CreateCardRefusal::CardsOff(feature));
    }
    if situation.cards >= request.max_cards {
        return Err(CreateCardRefusal::TooMany(request.max_cards));
    }
    let state = if request.activate { CardState::Active } else { CardState::Unactivated };
    let card = Card {
        id: request.id,
        account: request.account.clone(),
        budget: request.budget,
        currency,
        state,
        user_token: request.user_token,
        expires_on,
    };
    Ok(CardRecord {
        card,
        owner: request.owner,
        name: request.name.as_str().to_owned(),
        state_reason: Some(NEW_CARD.to_owned()),
        fulfillment: FulfillmentStatus::Issued,
        phone: request.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        phone_person: request.phone_person,
        replaced_by: None,
        created_at: Some(request.now),
        updated_at: Some(request.now),
    })
}

/// The last day of a card that is created today, unless the request names one.
pub(super) fn usual_expiry(today: NaiveDate) -> NaiveDate {
    end_of_month(years_on(today, YEARS))
}

fn currency_of(budget: &BudgetRecord, named: Option<Currency>) -> Result<Currency, Flaw> {
    let held = || budget.budget.balances.iter().map(|(currency, _)| *currency);
    match named {
        Some(named) if held().any(|currency| currency == named) => Ok(named),
        Some(named) => Err(Flaw::value(format!("must be a currency that the budget holds (got {named})"))),
        None => {
            let pounds = held().find(|currency| currency.code() == "GBP");
            pounds.or_else(|| held().next()).ok_or_else(Flaw::required)
        }
    }
}

fn years_on(day: NaiveDate, years: u32) -> NaiveDate {
    // Fails only at the end of chrono's calendar.
    day.checked_add_months(Months::new(years * 12)).unwrap_or(day)
}

fn end_of_month(day: NaiveDate) -> NaiveDate {
    let first = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    first.and_then(|next| next.pred_opt()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::{a_budget, a_card_request, currency};
    use chrono::TimeZone;

    fn request() -> CardRequest {
        let now = Utc.with_ymd_and_hms(2028, 2, 29, 12, 0, 0).unwrap();
        CardRequest { currency: Some(currency("GBP")), now, ..a_card_request() }
    }

    fn situation(code: &str, cards: u64) -> CreateCardSituation {
        CreateCardSituation { budget: a_budget().with(&format!("0.00 {code}")).build(), cards }
    }

    fn day(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn a_new_card_is_not_activated_and_expires_after_three_years() {
        let record = decide_create_card(&situation("GBP", 0), &request()).unwrap();
        assert_eq!((record.card.state, record.card.expires_on), (CardState::Unactivated, day(2031, 2, 28)));
        let active = CardRequest { activate: true, ..request() };
        assert_eq!(decide_create_card(&situation("GBP", 0), &active).unwrap().card.state, CardState::Active);
    }

    #[test]
    fn every_invalid_value_is_reported_with_its_path() {
        let faults = |expires_on| {
            let request = CardRequest { expires_on: Some(expires_on), ..request() };
            match decide_create_card(&situation("EUR", 0), &request) {
                Err(CreateCardRefusal::Faults(faults)) => {
                    faults.into_iter().map(|fault| (fault.path, fault.flaw.code)).collect::<Vec<_>>()
                }
                other => panic!("{other:?}"),
            }
        };
        let currency = ("body.currencyCode".to_owned(), FlawCode::InvalidValue);
        let date = ("body.expiryDate".to_owned(), FlawCode::OutOfRange);
        assert_eq!(faults(day(2028, 2, 28)), [currency.clone(), date.clone()]);
        assert_eq!(faults(day(2038, 3, 1)), [currency.clone(), date]);
        assert_eq!(faults(day(2028, 2, 29)), std::slice::from_ref(&currency));
        assert_eq!(faults(day(2038, 2, 28)), [currency]);
    }

    #[test]
    fn budgets_without_the_feature_and_full_accounts_are_refused() {
        let limited = CardRequest { max_cards: 3, ..request() };
        assert!(decide_create_card(&situation("GBP", 2), &limited).is_ok());
        let mut off = situation("GBP", 3);
        assert_eq!(decide_create_card(&off, &limited), Err(CreateCardRefusal::TooMany(3)));
        for (owner, feature, other) in [
            (CardOwner::Budget, BudgetFeature::BudgetCards, BudgetFeature::PeopleCards),
            (CardOwner::People, BudgetFeature::PeopleCards, BudgetFeature::BudgetCards),
        ] {
            off.budget.features = [BudgetFeature::Payments, other].into();
            let request = CardRequest { owner, ..limited.clone() };
            assert_eq!(decide_create_card(&off, &request), Err(CreateCardRefusal::CardsOff(feature)));
        }
    }

    #[test]
    fn the_currency_is_pounds_or_the_first_of_the_budget() {
        let any = CardRequest { currency: None, ..request() };
        let currency_of = |budget: crate::test_support::BudgetBuilder| {
            let situation = CreateCardSituation { budget: budget.build(), cards: 0 };
            decide_create_card(&situation, &any).unwrap().card.currency.code()
        };
        assert_eq!(currency_of(a_budget().with("0.00 EUR").with("0.00 GBP").with("0.00 USD")), "GBP");
        assert_eq!(currency_of(a_budget().with("0.00 EUR").with("0.00 USD")), "EUR");
    }

    #[test]
    fn the_record_has_what_was_requested() {
        let record = decide_create_card(&situation("GBP", 0), &request()).unwrap();
        assert_eq!((record.state_reason.as_deref(), record.fulfillment), (Some(NEW_CARD), FulfillmentStatus::Issued));
        assert_eq!((record.created_at, record.updated_at), (Some(request().now), Some(request().now)));
        assert_eq!(record.name, "Zoe");
    }
}

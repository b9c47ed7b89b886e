//! Creating virtual cards (contract 5.6).

use super::{Card, CardOwner, CardRecord, CardState};
use crate::budget::{BudgetFeature, BudgetRecord};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, CardId, UserToken};
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

/// Maximum number of cards of an account, in any state.
pub const MAX_CARDS: u64 = 10_000;
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
    /// Its currency, which the budget must hold.
    pub currency: Currency,
    /// Its owner.
    pub owner: CardOwner,
    /// Its holder: the given person, or a new token.
    pub user_token: UserToken,
    /// Its name.
    pub name: Option<Text<1, 140>>,
    /// The last day on which it is valid. By default, the end of the month in three years.
    pub expires_on: Option<NaiveDate>,
    /// Whether it starts as ACTIVE instead of UNACTIVATED.
    pub activate: bool,
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
    #[error("an account has at most {MAX_CARDS} cards")]
    TooMany,
}

/// Decides the creation of a card.
///
/// ```
/// use florin_domain::card::{CardOwner, CardRequest, CardState, CreateCardSituation, decide_create_card};
/// use florin_domain::test_support::{BUDGET, a_budget, a_card, account, currency, noon};
///
/// let request = CardRequest {
///     id: a_card().build().id,
///     account: account(),
///     budget: BUDGET,
///     currency: currency("GBP"),
///     owner: CardOwner::Budget,
///     user_token: a_card().build().user_token,
///     name: None,
///     expires_on: None,
///     activate: false,
///     now: noon(),
/// };
/// let situation = CreateCardSituation { budget: a_budget().with("0.00 GBP").build(), cards: 0 };
/// let record = decide_create_card(&situation, &request).unwrap();
/// assert_eq!(record.card.state, CardState::Unactivated);
/// ```
pub fn decide_create_card(
    situation: &CreateCardSituation,
    request: &CardRequest,
) -> Result<CardRecord, CreateCardRefusal> {
    let mut faults = Vec::new();
    let currency = request.currency;
    if situation.budget.budget.in_currency(currency).is_none() {
        faults.push(
            Flaw::value(format!("must be a currency that the budget holds (got {currency})")).at("body.currencyCode"),
        );
    }
    let today = request.now.date_naive();
    let expires_on = request.expires_on.unwrap_or_else(|| end_of_month(years_on(today, YEARS)));
    if expires_on < today || expires_on > years_on(today, MAX_YEARS) {
        let flaw = Flaw::range(format!("must be from today to {MAX_YEARS} years from today"));
        faults.push(flaw.at("body.expiryDate"));
    }
    if !faults.is_empty() {
        return Err(CreateCardRefusal::Faults(faults));
    }
    let feature = match request.owner {
        CardOwner::Budget => BudgetFeature::BudgetCards,
        CardOwner::Person => BudgetFeature::PeopleCards,
    };
    if !situation.budget.features.contains(&feature) {
        return Err(CreateCardRefusal::CardsOff(feature));
    }
    if situation.cards >= MAX_CARDS {
        return Err(CreateCardRefusal::TooMany);
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
    let name = request.name.as_ref().map(|name| name.as_str().to_owned());
    Ok(CardRecord { card, owner: request.owner, name, created_at: Some(request.now) })
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
    use crate::test_support::{BUDGET, a_budget, account, currency};
    use chrono::TimeZone;
    use uuid::Uuid;

    fn request() -> CardRequest {
        CardRequest {
            id: CardId(Uuid::from_u128(1)),
            account: account(),
            budget: BUDGET,
            currency: currency("GBP"),
            owner: CardOwner::Budget,
            user_token: UserToken(Uuid::from_u128(3)),
            name: None,
            expires_on: None,
            activate: false,
            now: Utc.with_ymd_and_hms(2028, 2, 29, 12, 0, 0).unwrap(),
        }
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
        let mut off = situation("GBP", MAX_CARDS);
        assert_eq!(decide_create_card(&off, &request()), Err(CreateCardRefusal::TooMany));
        for (owner, feature, other) in [
            (CardOwner::Budget, BudgetFeature::BudgetCards, BudgetFeature::PeopleCards),
            (CardOwner::Person, BudgetFeature::PeopleCards, BudgetFeature::BudgetCards),
        ] {
            off.budget.features = [BudgetFeature::Payments, other].into();
            let request = CardRequest { owner, ..request() };
            assert_eq!(decide_create_card(&off, &request), Err(CreateCardRefusal::CardsOff(feature)));
        }
    }

    #[test]
    fn the_last_four_digits_keep_leading_zeros() {
        let record = decide_create_card(&situation("GBP", 0), &request()).unwrap();
        assert_eq!(record.last_four(), "0001");
    }
}

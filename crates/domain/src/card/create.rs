//! Making virtual cards (contract 5.6).

use super::{Card, CardOwner, CardRecord, CardState};
use crate::budget::{BudgetFeature, BudgetRecord};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, CardId, UserToken};
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

/// An account has at most so many cards, ended ones included.
pub const MAX_CARDS: u64 = 10_000;
/// A card is valid for at most so many years.
pub const MAX_YEARS: u32 = 10;
/// A card is valid for so many years where nobody says how long.
const YEARS: u32 = 3;

/// What a client asks for, with the ids and the time that it gets.
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
    /// Whose it is.
    pub owner: CardOwner,
    /// Its holder: the person who was named, or a token of nobody.
    pub user_token: UserToken,
    /// What to call it.
    pub name: Option<Text<1, 140>>,
    /// The last day on which it is to be valid; by default the last of the month, three years on.
    pub expires_on: Option<NaiveDate>,
    /// Whether it is to be in use at once.
    pub activate: bool,
    /// Now.
    pub now: DateTime<Utc>,
}

/// What an adapter loads, under a lock that one creation on an account has at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateCardSituation {
    /// The budget that is to pay.
    pub budget: BudgetRecord,
    /// How many cards the account has.
    pub cards: u64,
}

/// Why a card is not made. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateCardRefusal {
    /// A value does not fit the budget, or the day; paths are those of the request's body.
    #[error("the card does not fit its budget or its time")]
    Faults(Vec<Fault>),
    /// Cards are off for the budget.
    #[error("the budget takes no cards")]
    CardsOff,
    /// The account has as many cards as it can have.
    #[error("an account has at most {MAX_CARDS} cards")]
    TooMany,
}

/// Decides the making of a card.
pub fn decide_create_card(
    situation: &CreateCardSituation,
    request: &CardRequest,
) -> Result<CardRecord, CreateCardRefusal> {
    let mut faults = Vec::new();
    let currency = request.currency;
    if situation.budget.budget.in_currency(currency).is_none() {
        faults.push(Flaw::value(format!("The budget does not hold {currency}.")).at("body.currencyCode"));
    }
    let today = request.now.date_naive();
    let expires_on = request.expires_on.unwrap_or_else(|| end_of_month(years_on(today, YEARS)));
    if expires_on < today || expires_on > years_on(today, MAX_YEARS) {
        let flaw = Flaw::range(format!("A day from today to one {MAX_YEARS} years on is wanted."));
        faults.push(flaw.at("body.expiryDate"));
    }
    if !faults.is_empty() {
        return Err(CreateCardRefusal::Faults(faults));
    }
    if !situation.budget.features.contains(&BudgetFeature::Cards) {
        return Err(CreateCardRefusal::CardsOff);
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
    // Only a day at the end of all days has none so far on.
    day.checked_add_months(Months::new(years * 12)).unwrap_or(day)
}

fn end_of_month(day: NaiveDate) -> NaiveDate {
    let first = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    first.and_then(|next| next.pred_opt()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::fault::FlawCode;
    use crate::ledger::Balances;
    use chrono::TimeZone;
    use uuid::Uuid;

    fn request() -> CardRequest {
        CardRequest {
            id: CardId(Uuid::from_u128(1)),
            account: AccountId::parse("F1").unwrap(),
            budget: BudgetId(Uuid::from_u128(2)),
            currency: Currency::parse("GBP").unwrap(),
            owner: CardOwner::Budget,
            user_token: UserToken(Uuid::from_u128(3)),
            name: None,
            expires_on: None,
            activate: false,
            now: Utc.with_ymd_and_hms(2028, 2, 29, 12, 0, 0).unwrap(),
        }
    }

    fn situation(code: &str, cards: u64) -> CreateCardSituation {
        let budget = BudgetRecord::seeded(Budget {
            id: BudgetId(Uuid::from_u128(2)),
            account: AccountId::parse("F1").unwrap(),
            name: "Main".into(),
            balances: vec![(Currency::parse(code).unwrap(), Balances::default())],
        });
        CreateCardSituation { budget, cards }
    }

    fn day(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn a_card_waits_for_its_activation_and_lives_three_years() {
        let record = decide_create_card(&situation("GBP", 0), &request()).unwrap();
        assert_eq!((record.card.state, record.card.expires_on), (CardState::Unactivated, day(2031, 2, 28)));
        let active = CardRequest { activate: true, ..request() };
        assert_eq!(decide_create_card(&situation("GBP", 0), &active).unwrap().card.state, CardState::Active);
    }

    #[test]
    fn what_does_not_fit_is_named() {
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
    fn budgets_without_cards_and_full_accounts_take_none() {
        let mut off = situation("GBP", MAX_CARDS);
        assert_eq!(decide_create_card(&off, &request()), Err(CreateCardRefusal::TooMany));
        off.budget.features = [BudgetFeature::Transfers].into();
        assert_eq!(decide_create_card(&off, &request()), Err(CreateCardRefusal::CardsOff));
    }

    #[test]
    fn the_last_four_digits_are_four() {
        let record = decide_create_card(&situation("GBP", 0), &request()).unwrap();
        assert_eq!(record.last_four(), "0001");
    }
}

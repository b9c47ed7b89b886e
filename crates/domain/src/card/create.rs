//! Creating virtual cards (contract 5.6).

use super::{
    Card, CardHolder, CardLimit, CardLimits, CardName, CardPhone, CardRecord, CardState, CarriedUse, Controls,
    FulfillmentStatus,
};
use crate::budget::{BudgetFeature, BudgetRecord};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, CardId, LimitId, UserToken};
use crate::money::Currency;
use crate::people::Person;
use crate::stamp::Stamp;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

/// Default maximum number of cards of an account, in any state.
pub const MAX_CARDS: u64 = 1_000_000;
/// The recorded reason for the first state of a new card.
pub(super) const NEW_CARD: &str = "New card";
/// Maximum number of years that a card is valid.
pub const MAX_YEARS: u32 = 10;
/// Default number of years that a card is valid.
const DEFAULT_YEARS: u32 = 3;

/// A request to create a card, with its new ids and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRequest {
    /// The id of the new card.
    pub id: CardId,
    /// Its account.
    pub account: AccountId,
    /// Its holder.
    pub holder: CardHolder,
    /// Its currency. A budget that the card may spend from must hold it. Default: GBP if one of these budgets holds it,
    /// otherwise the first currency of the first of these budgets.
    pub currency: Option<Currency>,
    /// Its `userToken`.
    pub user_token: UserToken,
    /// Its name.
    pub name: CardName,
    /// The phone of a shared card.
    pub phone: CardPhone,
    /// The last day on which it is valid (UTC). Default: the end of the month, three years from today.
    pub expires_on: Option<NaiveDate>,
    /// Whether it starts as ACTIVE instead of UNACTIVATED.
    pub activate: bool,
    /// Maximum number of cards of the account.
    pub max_cards: u64,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// The situation for the creation of a card. An adapter loads it under the lock that serializes creations on
/// an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateCardSituation {
    /// The budgets that the request names, in order. An element is `None` if the account has no such budget.
    pub budgets: Vec<Option<BudgetRecord>>,
    /// The person that the request names. `None` if it names nobody, or the account has no such person.
    pub person: Option<Person>,
    /// Number of cards of the account.
    pub cards: u64,
}

/// Reasons to refuse the creation of a card. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateCardRefusal {
    /// The account has no such budget. The path refers to the request's body.
    #[error("names a budget that does not exist")]
    NoBudget(String),
    /// The account has no such person.
    #[error("names a person that does not exist")]
    NoPerson,
    /// The data of the person was erased.
    #[error("names a person who was erased")]
    Erased,
    /// The currency is in none of the budgets, or the expiry date is out of range today. Paths refer to the request's
    /// body.
    #[error("a value is not valid for this budget or on this date")]
    Faults(Vec<Fault>),
    /// A budget lacks the feature that cards of this kind of owner need.
    #[error("{path} names a budget without the feature {}", feature.as_str())]
    FeatureMissing {
        /// The path of the budget in the request's body.
        path: String,
        /// The feature.
        feature: BudgetFeature,
    },
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
/// let budget = a_budget().with("0.00 GBP").build();
/// let situation = CreateCardSituation { budgets: vec![Some(budget)], person: None, cards: 0 };
/// let record = decide_create_card(&situation, &a_card_request()).unwrap();
/// assert_eq!(record.card.state, CardState::Unactivated);
/// ```
pub fn decide_create_card(
    situation: &CreateCardSituation,
    request: &CardRequest,
) -> Result<CardRecord, CreateCardRefusal> {
    let budgets = spendable_budgets(situation, &request.holder)?;
    let mut faults = Vec::new();
    let funding = funding_of(&budgets, request.currency);
    if let Err(flaw) = &funding {
        faults.push(flaw.clone().at("body.currencyCode"));
    }
    let today = request.now.date_naive();
    let expires_on = request.expires_on.unwrap_or_else(|| default_expiry(today));
    if expires_on < today || expires_on > years_after(today, MAX_YEARS) {
        let flaw = Flaw::range(format!("must be from today to {MAX_YEARS} years from today"));
        faults.push(flaw.at("body.expiryDate"));
    }
    let Some((budget, currency)) = funding.ok().filter(|_| faults.is_empty()) else {
        return Err(CreateCardRefusal::Faults(faults));
    };
    let feature = match request.holder {
        CardHolder::Budget(_) => BudgetFeature::BudgetCards,
        CardHolder::Person(_) => BudgetFeature::PeopleCards,
    };
    if let Some((place, _)) = budgets.iter().find(|(_, budget)| !budget.features.contains(&feature)) {
        return Err(CreateCardRefusal::FeatureMissing { path: request.holder.path(*place), feature });
    }
    if situation.cards >= request.max_cards {
        return Err(CreateCardRefusal::TooMany(request.max_cards));
    }
    let state = if request.activate { CardState::Active } else { CardState::Unactivated };
    let card = Card {
        id: request.id,
        account: request.account.clone(),
        budget,
        currency,
        state,
        user_token: request.user_token,
        expires_on,
    };
    Ok(CardRecord {
        card,
        person: match &request.holder {
            CardHolder::Budget(_) => None,
            CardHolder::Person(personal) => Some(personal.clone()),
        },
        name: request.name.as_str().to_owned(),
        state_reason: Some(NEW_CARD.to_owned()),
        fulfillment: FulfillmentStatus::Issued,
        phone: request.phone.clone(),
        controls: Controls::default(),
        pin: None,
        physical: None,
        replaced_by: None,
        created_at: Some(request.now),
        updated_at: Some(request.now),
    })
}

/// Returns a new card that takes the place of a card: UNACTIVATED, virtual, and with the expiry date of a new card. It
/// gets copies of the controls, and of the limits with their used amounts. It has no PIN, because a digest is valid for
/// one card only.
pub(super) fn successor(
    record: &CardRecord,
    limits: &[CardLimit],
    fulfillment: FulfillmentStatus,
    stamp: &Stamp<'_>,
) -> (CardRecord, CardLimits) {
    let mut new = record.clone();
    new.card.id = CardId(stamp.id());
    new.card.user_token = UserToken(stamp.id());
    new.card.state = CardState::Unactivated;
    new.card.expires_on = default_expiry(stamp.now.date_naive());
    new.state_reason = Some(NEW_CARD.to_owned());
    new.fulfillment = fulfillment;
    new.pin = None;
    new.physical = None;
    (new.created_at, new.updated_at) = (Some(stamp.now), Some(stamp.now));
    let copy = |limit: &CardLimit| {
        let current = limit.current(stamp.now);
        let carried = CarriedUse { spent: current.spent, uses: current.uses };
        CardLimit { id: LimitId(stamp.id()), carried, ..current }
    };
    let limits = CardLimits { card: new.card.clone(), limits: limits.iter().map(copy).collect() };
    (new, limits)
}

/// Returns the default expiry date of a card that is created today.
pub(super) fn default_expiry(today: NaiveDate) -> NaiveDate {
    end_of_month(years_after(today, DEFAULT_YEARS))
}

/// Returns the budgets that the card may spend from, with their places in the request. Refuses a missing budget or
/// person, and an erased person.
fn spendable_budgets<'a>(
    situation: &'a CreateCardSituation,
    holder: &CardHolder,
) -> Result<Vec<(usize, &'a BudgetRecord)>, CreateCardRefusal> {
    if holder.person().is_some() {
        let person = situation.person.as_ref().ok_or(CreateCardRefusal::NoPerson)?;
        if person.is_erased() {
            return Err(CreateCardRefusal::Erased);
        }
    }
    let mut spendable = Vec::new();
    for place in 0..holder.budgets().len() {
        let budget = situation.budgets.get(place).and_then(Option::as_ref);
        let budget = budget.ok_or_else(|| CreateCardRefusal::NoBudget(holder.path(place)))?;
        if holder.may_spend(place) {
            spendable.push((place, budget));
        }
    }
    Ok(spendable)
}

/// Returns the first budget that holds the currency of the card, and the currency. The budgets of a card and their
/// currencies never change, so every payment of the card comes from this budget.
fn funding_of(budgets: &[(usize, &BudgetRecord)], named: Option<Currency>) -> Result<(BudgetId, Currency), Flaw> {
    let all = || {
        budgets.iter().flat_map(|(_, record)| {
            record.budget.balances.iter().map(move |(currency, _)| (record.budget.id, *currency))
        })
    };
    match named {
        Some(named) => all()
            .find(|(_, currency)| *currency == named)
            .ok_or_else(|| Flaw::value(format!("must be a currency that a budget of the card holds (got {named})"))),
        None => {
            all().find(|(_, currency)| currency.code() == "GBP").or_else(|| all().next()).ok_or_else(Flaw::required)
        }
    }
}

fn years_after(day: NaiveDate, years: u32) -> NaiveDate {
    // The addition fails only at the end of chrono's calendar.
    day.checked_add_months(Months::new(years * 12)).unwrap_or(day)
}

fn end_of_month(day: NaiveDate) -> NaiveDate {
    let first = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    first.and_then(|next| next.pred_opt()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{GrantedBudget, IndividualHolder};
    use crate::fault::FlawCode;
    use crate::people::erase_person;
    use crate::test_support::{BUDGET, a_budget, a_card_request, a_person, currency};
    use chrono::TimeZone;
    use uuid::Uuid;

    fn request() -> CardRequest {
        let now = Utc.with_ymd_and_hms(2028, 2, 29, 12, 0, 0).unwrap();
        CardRequest { currency: Some(currency("GBP")), now, ..a_card_request() }
    }

    fn situation(code: &str, cards: u64) -> CreateCardSituation {
        let budget = a_budget().with(&format!("0.00 {code}")).build();
        CreateCardSituation { budgets: vec![Some(budget)], person: None, cards }
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
        let mut full = situation("GBP", 3);
        assert_eq!(decide_create_card(&full, &limited), Err(CreateCardRefusal::TooMany(3)));
        for (holder, path, feature, other) in [
            (limited.holder.clone(), "body.budgetId", BudgetFeature::BudgetCards, BudgetFeature::PeopleCards),
            (personal(&[true]), "body.budgets[0].budgetId", BudgetFeature::PeopleCards, BudgetFeature::BudgetCards),
        ] {
            let budget = full.budgets[0].as_mut().unwrap();
            budget.features = [BudgetFeature::Payments, other].into();
            full.person = Some(a_person("ada@example.com"));
            let request = CardRequest { holder, ..limited.clone() };
            let path = path.to_owned();
            assert_eq!(decide_create_card(&full, &request), Err(CreateCardRefusal::FeatureMissing { path, feature }));
        }
    }

    /// Returns the holder of an individual card with one budget per flag, active or not. The first budget is
    /// [`BUDGET`].
    fn personal(active: &[bool]) -> CardHolder {
        let granted = |(number, active): (u128, &bool)| {
            let budget = if number == 0 { BUDGET } else { BudgetId(Uuid::from_u128(number)) };
            GrantedBudget { budget, active: *active }
        };
        let person = a_person("ada@example.com").id;
        CardHolder::Person(IndividualHolder { person, budgets: (0..).zip(active).map(granted).collect() })
    }

    #[test]
    fn the_first_active_budget_that_holds_the_currency_pays() {
        let budget = |number: u128, amounts: &[&str]| {
            let mut record = amounts.iter().fold(a_budget(), |builder, amount| builder.with(amount)).build();
            record.budget.id = BudgetId(Uuid::from_u128(number));
            Some(record)
        };
        let budgets = vec![budget(1, &["0.00 GBP"]), budget(2, &["0.00 USD"]), budget(3, &["0.00 EUR", "0.00 GBP"])];
        let situation = CreateCardSituation { budgets, person: Some(a_person("ada@example.com")), cards: 0 };
        let decide = |active: &[bool], code: Option<&str>| {
            let request = CardRequest { holder: personal(active), currency: code.map(currency), ..request() };
            decide_create_card(&situation, &request).map(|record| {
                assert_eq!(record.person.unwrap().budgets.len(), 3);
                (record.card.budget.0.as_u128(), record.card.currency.code())
            })
        };
        assert_eq!(decide(&[true, true, true], Some("GBP")), Ok((1, "GBP")));
        assert_eq!(decide(&[false, true, true], Some("GBP")), Ok((3, "GBP")));
        assert_eq!(decide(&[false, true, true], None), Ok((3, "GBP")));
        assert_eq!(decide(&[false, true, false], None), Ok((2, "USD")));
        assert!(matches!(decide(&[true, true, false], Some("EUR")), Err(CreateCardRefusal::Faults(_))));
    }

    #[test]
    fn a_missing_person_or_budget_is_refused() {
        let ada = a_person("ada@example.com");
        let known = CreateCardSituation { person: Some(ada.clone()), ..situation("GBP", 0) };
        let decide = |situation: &CreateCardSituation, active: &[bool]| {
            let request = CardRequest { holder: personal(active), ..request() };
            decide_create_card(situation, &request).err()
        };
        assert_eq!(decide(&known, &[true]), None);
        let missing = Some(CreateCardRefusal::NoBudget("body.budgets[1].budgetId".into()));
        assert_eq!(decide(&known, &[true, false]), missing);
        assert_eq!(
            decide(&CreateCardSituation { person: None, ..known.clone() }, &[true]),
            Some(CreateCardRefusal::NoPerson)
        );
        let erased = CreateCardSituation { person: Some(erase_person(&ada, request().now)), ..known };
        assert_eq!(decide(&erased, &[true]), Some(CreateCardRefusal::Erased));
        let none = CreateCardSituation { budgets: vec![None], ..situation("GBP", 0) };
        let missing = Err(CreateCardRefusal::NoBudget("body.budgetId".into()));
        assert_eq!(decide_create_card(&none, &request()), missing);
    }

    #[test]
    fn the_default_currency_is_gbp_or_the_first_of_the_budget() {
        let any = CardRequest { currency: None, ..request() };
        let currency_of = |budget: crate::test_support::BudgetBuilder| {
            let situation = CreateCardSituation { budgets: vec![Some(budget.build())], person: None, cards: 0 };
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

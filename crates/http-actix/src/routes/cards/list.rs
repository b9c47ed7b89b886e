//! `GET /v2/cards` (contract 5.6)

use super::common::READ;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, named, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{CardView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use florin_domain::card::{CardFilter, CardOwnerKind, CardSearch, CardState};
use florin_domain::ids::{BudgetId, CardId, PersonId};

parameters! {
    /// Filters of the list of cards, and its order.
    pub(crate) struct CardParameters in Query {
        /// Only cards in one of these states, comma-separated.
        "state" => states: Vec<CardState>,
        /// The order of the names: `asc` (default) or `desc`.
        "orderBy" => order: Option<Order>,
        /// Only cards that were created on this day or later (UTC).
        "startDate" => from: Option<NaiveDate>,
        /// Only cards that were created on this day or earlier (UTC).
        "endDate" => to: Option<NaiveDate>,
        /// Only cards whose name contains this text at the start of a word, or whose last four digits begin with it.
        /// Case and diacritics are ignored. 1 to 100 characters.
        "search" => search: Option<CardSearch>,
        /// Only shared cards of this budget, and individual cards with this budget among their `budgets`.
        "budgetId" => budget: Option<BudgetId>,
        /// Only the card with this id.
        "cardId" => card: Option<CardId>,
        /// Only cards with one of these ids, comma-separated.
        "cardIds" => cards: Vec<CardId>,
        /// Only cards with this kind of owner.
        "cardOwnerType" => owner: Option<CardOwnerKind>,
        /// Only cards of this person.
        "personId" => person: Option<PersonId>,
        /// Only cards of one of these people, comma-separated.
        "personIds" => people: Vec<PersonId>,
    }
}

/// The order of the list of cards, by name.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

named! {
    Order: [Order::Ascending, Order::Descending], |order| match order {
        Order::Ascending => "asc",
        Order::Descending => "desc",
    };
}

impl From<CardParameters> for CardFilter {
    fn from(parameters: CardParameters) -> Self {
        let CardParameters { states, order, from, to, search, budget, card, cards, owner, person, people } = parameters;
        Self {
            budget,
            states,
            ids: combined_filter(card, cards),
            owner,
            people: combined_filter(person, people),
            created_from: from.map(midnight),
            created_before: to.and_then(|day| day.checked_add_days(Days::new(1))).map(midnight),
            search,
            descending: matches!(order, Some(Order::Descending)),
        }
    }
}

/// Combines the filter for one id and the filter for several ids. `None`: neither was sent. Empty: no id matches both.
fn combined_filter<T: PartialEq>(one: Option<T>, several: Vec<T>) -> Option<Vec<T>> {
    match (one, several) {
        (None, several) if several.is_empty() => None,
        (None, several) => Some(several),
        (Some(one), several) if several.is_empty() || several.contains(&one) => Some(vec![one]),
        (Some(_), _) => Some(Vec::new()),
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

/// Lists the account's cards, ordered by name, then by id.
#[utoipa::path(get, path = "/v2/cards", tag = "Cards", operation_id = "listCards",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter, PageParameters, CardParameters),
    responses((status = 200, description = "One page of cards.", body = List<CardView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<CardParameters>();
    let account = call.account(account_id).await?;
    let found = app.management.cards.list(&account.id, expect_valid(filter)?.into(), page).await?;
    let now = app.management.time.now_of(&account);
    ok_list(&List::new(page, found, |profile| CardView::at(&profile, now)))
}

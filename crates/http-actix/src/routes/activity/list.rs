//! `GET /v2/activity/{accountId}`

use super::common::{IncludeParameter, READ, UUID};
use crate::call::Call;
use crate::codes::ErrorCode;
use crate::declare::{CommaSeparated, FromTime, PageParameters, Part, TextValue, ToTime, parameters, plain_text};
use crate::extract::query::Query;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::ActivityListView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::activity::{ActivityCursor, ActivityFilter, ActivitySearch, ActivityStatus, ActivityType};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::{AccountId, BudgetId, CardId, PersonId};
use florin_domain::money::Currency;
use utoipa::openapi::schema::Object;

parameters! {
    /// Path parameter: an account.
    pub(crate) struct AccountPath in Path {
        /// The id of the account.
        "accountId" => account: AccountId,
    }
}

parameters! {
    /// Filters of the activity of an account.
    pub(crate) struct ActivityParameters in Query {
        /// Only rows of one of these types, separated by commas or repeated, with or without `[]`. Some types are never
        /// produced, and match nothing.
        "type" => kinds: CommaSeparated<ActivityType>,
        /// Excludes rows of these types, separated by commas or repeated, with or without `[]`.
        "excludeType" => excluded: CommaSeparated<ActivityType>,
        /// Only rows with one of these statuses, separated by commas or repeated, with or without `[]`. Some statuses
        /// are never produced, and match nothing.
        "status" => statuses: CommaSeparated<ActivityStatus>,
        /// Only rows of one of these budgets, separated by commas or repeated, with or without `[]`.
        "budgetId" => budgets: CommaSeparated<BudgetId>,
        /// Only rows of cards that one of these people owns now, separated by commas or repeated, with or without `[]`.
        "personId" => people: CommaSeparated<PersonId>,
        /// Only rows of this card. Florin extension.
        "cardId" => card: Option<CardId>,
        /// Only rows in this currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// Only rows whose `createdAt` is this time or later.
        "from" => from: Option<FromTime>,
        /// Only rows whose `createdAt` is this time or earlier.
        "to" => to: Option<ToTime>,
        /// Only rows whose counterparty or reference contains this text. ASCII letters match in either case. Digits
        /// also find the row with this number in the account's sequence (Florin extension). 1 to 100 characters.
        "search" => search: Option<ActivitySearch>,
    }
}

impl From<ActivityParameters> for ActivityFilter {
    fn from(sent: ActivityParameters) -> Self {
        Self {
            kinds: sent.kinds.0,
            excluded: sent.excluded.0,
            statuses: sent.statuses.0,
            budgets: sent.budgets.0,
            people: sent.people.0,
            card: sent.card,
            currency: sent.currency,
            from: sent.from.map(|from| from.0),
            to: sent.to.map(|to| to.0),
            search: sent.search,
        }
    }
}

/// A place in the feed of changes. `None`: the beginning, sent as `0`.
pub(crate) struct Cursor(Option<ActivityCursor>);

impl TextValue for Cursor {
    fn parse(text: &str) -> Result<Self, Flaw> {
        ActivityCursor::parse(text).map(Self)
    }

    fn schema() -> Object {
        let number = "[0-9]{1,18}";
        plain_text().pattern(Some(format!("^(0|{number}\\.{number}\\.{UUID})$"))).build()
    }
}

/// The parameter `cursor`, which requests the feed of changes instead of the list. It cannot be combined with
/// `offset`.
pub(crate) struct FeedParameter {
    cursor: Option<Cursor>,
}

impl crate::declare::Parameters for FeedParameter {
    fn read(request: &HttpRequest, query: &Query, faults: &mut Faults) -> Option<Self> {
        let cursor = Part::Query.read::<Option<Cursor>>("cursor", request, query, faults);
        if query.has("cursor") && query.has("offset") {
            faults.push(Flaw::value("cannot be combined with cursor").at("query.offset"));
        }
        Some(Self { cursor: cursor? })
    }
}

impl utoipa::IntoParams for FeedParameter {
    fn into_params(
        _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
    ) -> Vec<utoipa::openapi::path::Parameter> {
        let about = "Returns the feed of changes instead of the list, oldest change first: `0` for the whole feed, \
            or the `nextCursor` of the previous response. `count` is null, and `offset` is not allowed. \
            Florin extension.";
        vec![crate::declare::parameter::<Option<Cursor>>(Part::Query, "cursor", &[about])]
    }
}

/// Lists everything that moved or held money on an account, newest first.
///
/// There is one row for each chain of card messages, credit, top-up and payment of a confirmed batch, and one for each
/// side of a transfer. With `cursor`, returns the rows that changed, oldest change first.
#[utoipa::path(get, path = "/v2/activity/{accountId}", tag = "Activity", operation_id = "listActivity",
    security(("apiKey" = [READ.scope])),
    params(AccountPath, PageParameters, ActivityParameters, IncludeParameter, FeedParameter),
    responses((status = 200, description = "One page of rows.", body = ActivityListView), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let path = call.read::<AccountPath>();
    let page = call.page();
    let (filter, include) = (call.read::<ActivityParameters>(), call.read::<IncludeParameter>());
    let feed = call.read::<FeedParameter>();
    let account = call.path_account(path.map(|path| path.account), "account").await?;
    let (filter, messages) = (expect_valid(filter)?.into(), expect_valid(include)?.messages());
    let activities = &app.services.activities;
    match expect_valid(feed)?.cursor {
        None => {
            let found = activities.list(&account.id, filter, page).await?;
            ok(&ActivityListView::page(page, &found, messages))
        }
        Some(Cursor(after)) => {
            let found = activities.changes(&account.id, filter, after, page.limit).await?;
            ok(&ActivityListView::changes(page, &found.ok_or_else(outdated)?, messages))
        }
    }
}

/// Returns the 400 for a cursor from before a restore.
fn outdated() -> Problem {
    let message = "is from before a restore of the account; begin with cursor=0";
    Problem::new(StatusCode::BAD_REQUEST, "query.cursor", ErrorCode::InvalidValue, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::pattern_tests::check_text;

    #[test]
    fn the_pattern_of_cursors_matches_what_the_parser_accepts() {
        let id = "0198c0de-0000-7000-8000-00000000000a";
        let upper = id.to_uppercase();
        check_text::<Cursor>(
            &["0", &format!("0.0.{id}"), &format!("3.14.{upper}"), &format!("3.999999999999999999.{id}")],
            &[
                "",
                "00",
                "1",
                "1.2",
                "1.2.3",
                id,
                &format!("-1.2.{id}"),
                &format!("1..{id}"),
                &format!("1.2.{id}0"),
                &format!("1.2.{id}.3"),
                "1.2.------------------------------------",
            ],
        );
    }
}

//! `GET /v2/activity/{type}/{id}`

use super::common::{IncludeParameter, READ, UUID};
use crate::call::Call;
use crate::declare::{AccountParameter, Parameters, Part, TextValue, named, parameter, plain_text};
use crate::extract::query::Query;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::ActivityDetailView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::activity::ActivityKey;
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::{ActivityId, PaymentId, TransactionToken, parse_uuid};
use florin_domain::text::Text;
use utoipa::openapi::schema::Object;

/// The `type` in the path: what the `id` identifies.
#[derive(Clone, Copy)]
pub(crate) enum Resource {
    Transaction,
    Payment,
    Order,
    BoxTransaction,
}

named! {
    Resource: [Resource::Transaction, Resource::Payment, Resource::Order, Resource::BoxTransaction],
        |resource| match resource {
            Resource::Transaction => "transaction",
            Resource::Payment => "payment",
            Resource::Order => "order",
            Resource::BoxTransaction => "boxTransaction",
        };
}

/// The `id` in the path, as sent. Its form depends on the type.
pub(crate) struct Id(Text<1, 64>);

impl TextValue for Id {
    fn parse(text: &str) -> Result<Self, Flaw> {
        Text::parse(text).map(Self)
    }

    fn schema() -> Object {
        plain_text().pattern(Some(format!("^({UUID}|[0-9]{{1,18}})$"))).build()
    }
}

/// Path parameters: the key of a movement. `None`: the type is `order`, which finds nothing.
pub(crate) struct ActivityPath(Option<ActivityKey>);

impl Parameters for ActivityPath {
    fn read(request: &HttpRequest, query: &Query, faults: &mut Faults) -> Option<Self> {
        let resource = Part::Path.read::<Resource>("type", request, query, faults);
        let id = Part::Path.read::<Id>("id", request, query, faults)?;
        key(resource?, id.0.as_str()).map(Self).map_err(|flaw| faults.push(flaw.at("path.id"))).ok()
    }
}

fn key(resource: Resource, id: &str) -> Result<Option<ActivityKey>, Flaw> {
    Ok(Some(match resource {
        Resource::Transaction => ActivityKey::Transaction(TransactionToken(parse_uuid(id)?)),
        Resource::Payment => ActivityKey::Payment(PaymentId(parse_uuid(id)?)),
        Resource::BoxTransaction if id.bytes().all(|byte| byte.is_ascii_digit()) => {
            ActivityKey::Number(id.parse().map_err(|_| Flaw::range("must be a 64-bit number"))?)
        }
        Resource::BoxTransaction => ActivityKey::BudgetMovement(ActivityId(parse_uuid(id)?)),
        Resource::Order => return Ok(None),
    }))
}

impl utoipa::IntoParams for ActivityPath {
    fn into_params(
        _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
    ) -> Vec<utoipa::openapi::path::Parameter> {
        let about_type = "What the id identifies. `transaction`: a chain of card messages, or anything that \
            `boxTransaction` finds by its UUID. `payment`: a payment of a batch. `boxTransaction`: a credit, a top-up \
            or one side of a transfer, and by its number also a payment of a batch or its return. `order`: nothing.";
        let about_id = "The token of any message of a chain, the id of a row, or with `boxTransaction` a number in the \
            account's sequence.";
        vec![parameter::<Resource>(Part::Path, "type", &[about_type]), parameter::<Id>(Part::Path, "id", &[about_id])]
    }
}

/// Returns one movement with all its details.
#[utoipa::path(get, path = "/v2/activity/{type}/{id}", tag = "Activity", operation_id = "findActivity",
    security(("apiKey" = [READ.scope])),
    params(ActivityPath, AccountParameter, IncludeParameter),
    responses((status = 200, description = "The movement.", body = ActivityDetailView), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let (key, include) = (call.read::<ActivityPath>(), call.read::<IncludeParameter>());
    let account = call.account(account_id).await?;
    let messages = expect_valid(include)?.messages();
    let found = match expect_valid(key)?.0 {
        Some(key) => app.services.activities.find(&account.id, key).await?,
        None => None,
    };
    let found = found.ok_or_else(|| Problem::absent("path.id", "activity"))?;
    ok(&ActivityDetailView::of(&found, messages))
}

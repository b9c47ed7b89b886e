//! `POST /v2/cards/{cardId}/spending-limits` (contract 5.6)

use super::{CARD, WRITE, card_id};
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, decimal, one_of, whole};
use crate::mapping::limit_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::LimitView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewLimit, set_limit};
use florin_domain::card::{LimitSet, SpendingWindow};
use florin_domain::fault::Faults;
use florin_ports::Answer;
use utoipa::ToSchema;

/// The most uses that can be set.
const MAX_USES: u32 = 1_000_000_000;

/// A limit to be set.
#[derive(ToSchema)]
#[schema(as = SpendingLimitRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct LimitBody {
    /// DAY from 00:00 UTC, WEEK from Sunday, MONTH from the 1st.
    #[schema(pattern = "^(DAY|WEEK|MONTH|LIFETIME)$", example = "DAY")]
    window: String,
    /// At most this in a window, in the card's currency: a decimal, zero or above.
    #[schema(pattern = "^[0-9]{1,15}(\\.[0-9]{1,4})?$", example = "100.00")]
    amount: String,
    /// At most so many uses in a window; any number by default.
    #[schema(nullable = true, minimum = 1, maximum = 1_000_000_000)]
    most_uses: Option<u32>,
}

/// Sets the limit of a card over a window, or changes the one it has. What was used in the window that is on still counts
/// after a change; a new limit counts from now on.
#[utoipa::path(post, path = "/v2/cards/{cardId}/spending-limits", tag = "Cards", operation_id = "setSpendingLimit",
    request_body = LimitBody,
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses(
        (status = 200, description = "The limit, changed.", body = LimitView),
        (status = 201, description = "The limit, which is new.", body = LimitView),
        ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = card_id(&mut write.call);
    let limit = new_limit(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let (card, limit) = (read(card)?, read(limit)?);
    let claim = claim(&write, &account, false, render);
    let object = (CARD, "card");
    execute(claim, object, limit_problem, render, async |claim| {
        set_limit(&app.management, &account, card, limit, claim).await
    })
    .await
}

/// Reads the body; `None` where faults were noted.
fn new_limit(body: Option<&Json>, faults: &mut Faults) -> Option<NewLimit> {
    let mut members = Members::of_body(body, faults)?;
    let windows = &SpendingWindow::ALL;
    let window = members.required("window", faults, |value| one_of(value, windows, SpendingWindow::as_str));
    let amount = members.required("amount", faults, decimal);
    let most_uses = members.optional("mostUses", faults, |value| whole(value, 1, MAX_USES));
    members.finish(faults);
    Some(NewLimit { window: window?, amount: amount?, most_uses: most_uses? })
}

fn render(set: &LimitSet) -> Answer {
    let status = if set.is_new { StatusCode::CREATED } else { StatusCode::OK };
    answer(status, &LimitView::new(&set.limit, set.card.currency))
}

//! `POST /v2/cards/{cardId}/spending-limits` (contract 5.6)

use super::common::{CARD, CardPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, DecimalText, IdempotencyKeyHeader, Whole, body};
use crate::idempotency::{claim, execute};
use crate::mapping::limit_problem;
use crate::problem::{Problem, read};
use crate::reply::answer;
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::LimitView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewLimit, set_limit};
use florin_domain::card::{LimitSet, SpendingWindow};
use florin_ports::Answer;

body! {
    /// A spending limit.
    pub(crate) struct LimitBody as "SpendingLimitRequest" {
        /// The window that the limit applies to. DAY starts at 00:00 UTC, WEEK on Sunday, MONTH on the 1st.
        #[example("DAY")]
        "window" => window: SpendingWindow,
        /// Maximum amount per window in the card's currency: a decimal of zero or more.
        #[example("100.00")]
        "amount" => amount: DecimalText,
        /// Maximum number of uses per window. Default: unlimited.
        "mostUses" => max_uses: Option<Whole<1, 1_000_000_000>>,
    }
}

/// Sets or changes a card's spending limit for a window.
///
/// A new limit starts counting now. After a change, the usage of the current window still counts.
#[utoipa::path(post, path = "/v2/cards/{cardId}/spending-limits", tag = "Cards", operation_id = "setSpendingLimit",
    request_body = LimitBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses(
        (status = 200, description = "The changed limit.", body = LimitView),
        (status = 201, description = "The new limit.", body = LimitView),
        ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<LimitBody>()?;
    let account = write.account().await?;
    let (card, LimitBody { window, amount, max_uses }) = (read(card)?.id, read(body)?);
    let limit = NewLimit { window, amount: amount.0, most_uses: max_uses.map(|uses| uses.0) };
    let claim = claim(&write, &account, false, render)?;
    execute(claim, (CARD, "card"), limit_problem, render, async |claim| {
        set_limit(&app.management, &account, card, limit, claim).await
    })
    .await
}

fn render(set: &LimitSet) -> Answer {
    let status = if set.is_new { StatusCode::CREATED } else { StatusCode::OK };
    answer(status, &LimitView::new(&set.limit, set.card.currency))
}

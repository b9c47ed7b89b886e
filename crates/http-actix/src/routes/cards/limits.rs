//! `/v2/cards/{cardId}/spending-limits` and `/transaction-limits` (contract 5.6)

use super::common::{CARD, CardPath, READ, WRITE, no_card};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, PageParameters, WholeNumber, ZeroOrMoreNumber};
use crate::declare::{body, named, parameters};
use crate::idempotency::{claim, claim_without_body, execute};
use crate::mapping::{limit_problem, removal_problem};
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, no_content, ok_list};
use crate::routes::error_sets::{LimitErrors, ListErrors, RemoveErrors};
use crate::state::App;
use crate::views::{LimitView, List};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{NewLimit, remove_limit, set_limit};
use florin_domain::card::{LimitSet, LimitWindow};
use florin_domain::ids::LimitId;
use florin_domain::money::Currency;
use florin_domain::page::Page;
use florin_ports::StoredResponse;

/// The window of a spending limit.
#[derive(Clone, Copy)]
pub(crate) struct SpendingWindow(LimitWindow);
/// The window of a transaction limit.
#[derive(Clone, Copy)]
pub(crate) struct TransactionWindow(LimitWindow);

/// The windows of transaction limits.
const TRANSACTION: [LimitWindow; 1] = [LimitWindow::Transaction];

named! {
    SpendingWindow: LimitWindow::SPENDING.map(SpendingWindow), |window| window.0.as_str();
    TransactionWindow: TRANSACTION.map(TransactionWindow), |window| window.0.as_str();
}

/// Declares the body of a limit. The two kinds differ only in their windows.
macro_rules! limit_body {
    ($body:ident as $schema:literal, $about:literal, $window:ident, $example:literal) => {
        body! {
            #[doc = $about]
            pub(crate) struct $body as $schema {
                /// Maximum amount per window, in the card's currency.
                #[example(100.5)]
                "amount" => amount: ZeroOrMoreNumber,
                /// The window that the limit applies to. DAY starts at 00:00 UTC, WEEK on Sunday, MONTH on the 1st.
                #[example($example)]
                "limitWindow" => window: $window,
                /// ISO 4217 code; must be the card's currency.
                #[example("GBP")]
                "currencyCode" => currency: Option<Currency>,
                /// Whether the limit is active. An inactive limit declines nothing, but still counts. Default: true.
                "active" => active: Option<bool>,
                /// Maximum number of uses per window. -1: unlimited, 0: none. Default: -1.
                #[example(15)]
                "usageLimit" => usage: Option<WholeNumber<-1, 1_000_000_000>>,
                /// Whether the client turned the limit off, with the same effect as `active: false`. Default: false.
                "limitTurnedOff" => turned_off: Option<bool>,
            }
        }

        impl From<$body> for NewLimit {
            fn from(body: $body) -> Self {
                Self {
                    window: body.window.0,
                    amount: body.amount.0,
                    currency: body.currency,
                    max_uses: body.usage.and_then(|usage| u32::try_from(usage.0).ok()),
                    active: body.active.unwrap_or(true),
                    turned_off: body.turned_off.unwrap_or(false),
                }
            }
        }
    };
}

limit_body!(SpendingLimitBody as "SpendingLimitRequest", "A spending limit.", SpendingWindow, "DAY");
limit_body!(
    TransactionLimitBody as "TransactionLimitRequest", "A transaction limit.", TransactionWindow, "TRANSACTION"
);

parameters! {
    /// Path parameter: a limit.
    pub(crate) struct LimitPath in Path {
        /// The id of the limit.
        "limitId" => id: LimitId,
    }
}

/// Lists the spending limits of a card, shortest window first, with the usage of the current windows.
#[utoipa::path(get, path = "/v2/cards/{cardId}/spending-limits", tag = "Cards", operation_id = "listSpendingLimits",
    security(("apiKey" = [READ.scope])),
    params(CardPath, AccountParameter, PageParameters),
    responses((status = 200, description = "The limits.", body = List<LimitView>), ListErrors))]
pub(crate) async fn list_spending(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    list(app, request, &LimitWindow::SPENDING).await
}

/// Lists the transaction limit of a card, if it has one.
#[utoipa::path(get, path = "/v2/cards/{cardId}/transaction-limits", tag = "Cards",
    operation_id = "listTransactionLimits",
    security(("apiKey" = [READ.scope])),
    params(CardPath, AccountParameter, PageParameters),
    responses((status = 200, description = "The limits.", body = List<LimitView>), ListErrors))]
pub(crate) async fn list_transaction(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    list(app, request, &TRANSACTION).await
}

async fn list(app: Data<App>, request: HttpRequest, windows: &[LimitWindow]) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = call.read::<CardPath>();
    let page = call.page();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.limits(&account.id, expect_valid(card)?.id).await?.ok_or_else(no_card)?;
    let (currency, now) = (found.card.currency, app.management.time.now_of(&account));
    let limits: Vec<_> = found.limits.into_iter().filter(|limit| windows.contains(&limit.window)).collect();
    let count = i64::try_from(limits.len()).unwrap_or(i64::MAX);
    let [offset, size] = [page.offset, page.limit].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let rows = limits.into_iter().skip(offset).take(size).collect();
    ok_list(&List::new(page, Page { count, rows }, |limit| LimitView::at(&limit, currency, now)))
}

/// Sets or changes a card's spending limit for a window.
///
/// A new limit starts counting now. After a change, the usage of the current window still counts.
#[utoipa::path(post, path = "/v2/cards/{cardId}/spending-limits", tag = "Cards", operation_id = "setSpendingLimit",
    security(("apiKey" = [WRITE.scope])),
    request_body = SpendingLimitBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The limit.", body = LimitView), LimitErrors))]
pub(crate) async fn set_spending(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    set::<SpendingLimitBody>(app, request, payload).await
}

/// Sets or changes a card's limit for a single transaction.
#[utoipa::path(post, path = "/v2/cards/{cardId}/transaction-limits", tag = "Cards",
    operation_id = "setTransactionLimit",
    security(("apiKey" = [WRITE.scope])),
    request_body = TransactionLimitBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The limit.", body = LimitView), LimitErrors))]
pub(crate) async fn set_transaction(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    set::<TransactionLimitBody>(app, request, payload).await
}

async fn set<B: crate::declare::FieldType + Into<NewLimit>>(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<B>()?;
    let account = write.account().await?;
    let (card, limit) = (expect_valid(card)?.id, expect_valid(body)?.into());
    let claim = claim(&write, &account, false, render)?;
    execute(claim, (CARD, "card"), limit_problem, render, async |claim| {
        set_limit(&app.management, &account, card, limit, claim).await
    })
    .await
}

fn render(set: &LimitSet) -> StoredResponse {
    answer(StatusCode::OK, &LimitView::at(&set.limit, set.card.currency, set.now))
}

/// Removes a spending limit of a card, with its usage.
///
/// Florin extension.
#[utoipa::path(delete, path = "/v2/cards/{cardId}/spending-limits/{limitId}", tag = "Cards",
    operation_id = "removeSpendingLimit",
    security(("apiKey" = [WRITE.scope])),
    params(CardPath, LimitPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Removed."), RemoveErrors))]
pub(crate) async fn remove_spending(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    remove(app, request, payload, &LimitWindow::SPENDING).await
}

/// Removes a card's transaction limit.
///
/// Florin extension.
#[utoipa::path(delete, path = "/v2/cards/{cardId}/transaction-limits/{limitId}", tag = "Cards",
    operation_id = "removeTransactionLimit",
    security(("apiKey" = [WRITE.scope])),
    params(CardPath, LimitPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Removed."), RemoveErrors))]
pub(crate) async fn remove_transaction(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    remove(app, request, payload, &TRANSACTION).await
}

async fn remove(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
    windows: &'static [LimitWindow],
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let (card, limit) = (call.read::<CardPath>(), call.read::<LimitPath>());
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let claim = claim_without_body(&call, key, &account, |_| no_content());
    let card_and_limit = (expect_valid(card)?.id, expect_valid(limit)?.id);
    execute(
        claim,
        (CARD, "card"),
        removal_problem,
        |_| no_content(),
        async |claim| remove_limit(&app.management, &account, card_and_limit, windows, claim).await,
    )
    .await
}

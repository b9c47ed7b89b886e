//! `POST /v2/merchant/checkouts`

use super::bodies::CreateCheckoutBody;
use super::common::{MERCHANT, WRITE_CHECKOUTS};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::{checkout_problem, shopping_only};
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreateCheckoutErrors;
use crate::state::App;
use crate::views::CheckoutView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewCheckout, create_checkout};
use florin_domain::fault::Faults;
use florin_domain::merchant::{Checkout, checkout_kind};
use florin_ports::StoredResponse;

/// Creates an ACTIVE checkout.
///
/// A SHOPPING checkout needs an APPROVED settlement account of its currency. A `TOP_UP` checkout needs the permission
/// `canCreateTopUpCheckouts`.
#[utoipa::path(post, path = "/v2/merchant/checkouts", tag = "Merchant", operation_id = "createCheckout",
    security(("apiKey" = [WRITE_CHECKOUTS.scope])),
    request_body = CreateCheckoutBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The checkout.", body = CheckoutView), CreateCheckoutErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_CHECKOUTS).await?.with_body(payload).await?;
    let body = write.read::<CreateCheckoutBody>()?;
    let new = body.and_then(|body| new_checkout(body, &mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, render)?;
    let new = expect_valid(new)?;
    execute(claim, MERCHANT, checkout_problem, render, async |claim| {
        create_checkout(&app.merchants, &account, new, claim).await
    })
    .await
}

/// Checks the members together. Returns `None` if faults were recorded.
fn new_checkout(body: CreateCheckoutBody, faults: &mut Faults) -> Option<NewCheckout> {
    let currency = faults.take("body.currencyCode", body.currency.currency());
    let shipping = match body.shipping {
        Some(options) => Some(options.read(faults)?),
        None => None,
    };
    let kind = checkout_kind(body.checkout_type, body.settlement_account, shipping);
    let kind = kind.map_err(|members| members.into_iter().for_each(|member| faults.push(shopping_only(member)))).ok();
    Some(NewCheckout {
        kind: kind?,
        name: body.name,
        currency: currency?,
        return_url: body.return_url,
        locale: body.locale,
    })
}

fn render(checkout: &Checkout) -> StoredResponse {
    answer(StatusCode::CREATED, &CheckoutView::from(checkout.clone()))
}

//! `PATCH /v2/merchant/checkouts/{checkoutId}`

use super::bodies::EditCheckoutBody;
use super::common::{CHECKOUT, CheckoutPath, WRITE_CHECKOUTS};
use crate::call::Call;
use crate::declare::{AccountParameter, Clearable, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::checkout_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::SetErrors;
use crate::state::App;
use crate::views::CheckoutView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_checkout;
use florin_domain::fault::Faults;
use florin_domain::merchant::{Checkout, CheckoutEdit};
use florin_ports::StoredResponse;

/// Changes a checkout. Existing sessions keep the settings with which they were created.
#[utoipa::path(patch, path = "/v2/merchant/checkouts/{checkoutId}", tag = "Merchant", operation_id = "updateCheckout",
    security(("apiKey" = [WRITE_CHECKOUTS.scope])),
    request_body = EditCheckoutBody,
    params(CheckoutPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The checkout.", body = CheckoutView), SetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_CHECKOUTS).await?.with_body(payload).await?;
    let checkout = write.call.read::<CheckoutPath>();
    let body = write.read::<EditCheckoutBody>()?;
    let edit = body.and_then(|body| edit(body, &mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, render)?;
    let (checkout, edit) = (expect_valid(checkout)?.id, expect_valid(edit)?);
    execute(claim, CHECKOUT, checkout_problem, render, async |claim| {
        edit_checkout(&app.merchants, &account, checkout, edit, claim).await
    })
    .await
}

/// Checks the members together. Returns `None` if faults were recorded.
fn edit(body: EditCheckoutBody, faults: &mut Faults) -> Option<CheckoutEdit> {
    // `type` and `currencyCode` have no values here: reading one records a fault.
    let EditCheckoutBody { checkout_type: _type, currency: _currency, .. } = &body;
    let shipping = match body.shipping {
        Clearable::Missing => None,
        Clearable::Null => Some(None),
        Clearable::Value(options) => Some(Some(options.read(faults)?)),
    };
    Some(CheckoutEdit {
        name: body.name.sent(),
        status: body.status.sent(),
        return_url: body.return_url.sent(),
        locale: body.locale.changed(),
        settlement_account: body.settlement_account.changed(),
        shipping,
    })
}

fn render(checkout: &Checkout) -> StoredResponse {
    answer(StatusCode::OK, &CheckoutView::from(checkout.clone()))
}

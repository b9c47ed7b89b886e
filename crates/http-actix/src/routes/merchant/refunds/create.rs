//! `POST /v2/merchant/payments/{paymentId}/refunds`

use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::create_refund_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreateRefundErrors;
use crate::routes::merchant::amount::AmountBody;
use crate::routes::merchant::common::WRITE_REFUNDS;
use crate::routes::merchant::payments::{PAYMENT, PaymentPath};
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::{DryRunView, RefundAnswer};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::create_merchant_refund;
use florin_domain::checkout::MerchantPayment;
use florin_domain::text::Text;

body! {
    /// A new refund.
    pub(crate) struct CreateRefundBody as "CreateRefundRequest" {
        /// The amount to pay back, in the currency of the payment. At most 1000.00, and at most the part of the payment
        /// that is not refunded yet.
        "amount" => amount: AmountBody,
        /// The reason for the refund.
        #[example("Returned")]
        "reason" => reason: Option<Text<1, 140>>,
    }
}

/// Refunds a COMPLETED payment of a SHOPPING session, or a part of it.
///
/// The merchant must authorise the refund at its bank, on the page of `authorisationUrl`, within 20 minutes. Otherwise
/// the refund is CANCELLED. Only this response contains the URL. The settlement account needs a bank that supports
/// refunds.
#[utoipa::path(post, path = "/v2/merchant/payments/{paymentId}/refunds", tag = "Merchant",
    operation_id = "createMerchantRefund",
    security(("apiKey" = [WRITE_REFUNDS.scope])),
    request_body = CreateRefundBody,
    params(PaymentPath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The refund.", body = RefundAnswer<'static>), CreateRefundErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE_REFUNDS).await?;
    let mode = call.read_mode()?;
    app.checkouts.payer_banks()?;
    let mut write = call.with_body(payload).await?;
    let path = write.call.read::<PaymentPath>();
    let body = write.read::<CreateRefundBody>()?;
    let new = body.and_then(|body| Some((body.amount.read(&mut write.call.faults)?, body.reason)));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let rendering_app = web::Data::clone(&app);
    let render = move |refund: &MerchantPayment, dry_run: Option<DryRunView>| {
        let url = |id| rendering_app.checkouts.authorisation_url(&refund.account, id);
        answer(StatusCode::CREATED, &RefundAnswer::of(refund, Some(&url), dry_run))
    };
    let recorded = render.clone();
    let recorded = move |refund: &MerchantPayment| recorded(refund, None);
    let recorded = without_tokens(
        &app,
        &account.id,
        |refund: &MerchantPayment| refund.refund.as_ref().map(|refund| refund.id.0),
        recorded,
    );
    let claim = claim(&write, &account, false, recorded)?;
    let (payment, new) = (expect_valid(path)?.id, expect_valid(new)?);
    execute(claim, PAYMENT, create_refund_problem, render, async |claim| {
        let written = create_merchant_refund(&app.checkouts, &account, payment, new, mode, claim).await;
        with_tokens(&app, &account.id, written)
    })
    .await
}

//! `POST /v2/sandbox/refunds/{refundId}/authorise`

use super::common::MERCHANTS;
use super::pay_session::payer_visit;
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, WholeNumber, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::authorise_refund_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::AuthoriseRefundErrors;
use crate::routes::merchant::{REFUND, RefundPath};
use crate::state::App;
use crate::views::{DryRunView, RefundAnswer};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::authorise_refund;
use florin_domain::checkout::{BankVisit, MerchantPayment, PayerOutcome};
use florin_ports::StoredResponse;

body! {
    /// The decision of the merchant at its bank, and the reaction of the bank.
    pub(crate) struct AuthoriseRefundBody as "AuthoriseRefundRequest" {
        /// What the merchant decides, and how the bank reacts.
        #[example("approve")]
        "outcome" => outcome: PayerOutcome,
        /// Minutes until the bank reports, by the account's clock. Only with `pending`, `fail_later`, `time_out` and
        /// `technical_error`. Default: 1.
        "afterMinutes" => after_minutes: Option<WholeNumber<1, { BankVisit::MAX_MINUTES }>>,
    }
}

/// Decides on a refund that awaits authorisation, as the merchant would on the page of `authorisationUrl`.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/refunds/{refundId}/authorise", tag = "Sandbox",
    operation_id = "authoriseMerchantRefund",
    security(("apiKey" = [MERCHANTS.scope])),
    request_body = AuthoriseRefundBody,
    params(RefundPath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The refund.", body = RefundAnswer<'static>), AuthoriseRefundErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &MERCHANTS).await?;
    let mode = call.read_mode()?;
    let mut write = call.with_body(payload).await?;
    let path = write.call.read::<RefundPath>();
    let body = write.read::<AuthoriseRefundBody>()?;
    let visit = body.and_then(|body| payer_visit(body.outcome, body.after_minutes.as_ref(), &mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, |refund| render(refund, None))?;
    let (id, visit) = (expect_valid(path)?.id, expect_valid(visit)?);
    let decision = app.checkouts.simulated_bank()?.visit(visit, app.checkouts.time.now_of(&account));
    execute(claim, REFUND, authorise_refund_problem, render, async |claim| {
        authorise_refund(&app.checkouts, &account, id, decision, mode, claim).await
    })
    .await
}

fn render(refund: &MerchantPayment, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::OK, &RefundAnswer::of(refund, None, dry_run))
}

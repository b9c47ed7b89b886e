//! `POST /v2/cards/simulations/disputes`

use super::common::dispute_answer;
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, PositiveNumber, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::dispute_problem;
use crate::problem::{Problem, read};
use crate::routes::cards::common::SIMULATE;
use crate::routes::error_sets::DisputeErrors;
use crate::state::App;
use crate::views::DisputeAnswer;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::open_dispute;
use florin_domain::card::DisputeReason;
use florin_domain::card::decide::DisputeRequest;
use florin_domain::ids::TransactionToken;

body! {
    /// A new dispute.
    pub(crate) struct OpenDisputeBody as "OpenDisputeRequest" {
        /// The token of a settled purchase or debit: a clearing, a force post, a debit, or an authorization that was
        /// cleared.
        "transactionToken" => transaction: TransactionToken,
        /// Amount above zero, in the card's currency. Default: all that is undisputed.
        #[example(10.00)]
        "amount" => amount: Option<PositiveNumber>,
        /// Why the cardholder contests the transaction.
        "reason" => reason: DisputeReason,
    }
}

/// Disputes a settled purchase or debit, or a part of it. No money moves yet. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes", tag = "Simulations", operation_id = "openDispute",
    request_body = OpenDisputeBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The dispute.", body = DisputeAnswer<'static>), DisputeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<OpenDisputeBody>()?;
    let account = write.account().await?;
    let OpenDisputeBody { transaction, amount, reason } = read(body)?;
    let new = (transaction, DisputeRequest { amount: amount.map(|amount| amount.0), reason });
    let claim = claim(&write, &account, false, |done| dispute_answer(done, None))?;
    let object = ("body.transactionToken", "card transaction");
    execute(claim, object, dispute_problem, dispute_answer, async |claim| {
        open_dispute(&app.services, &account, new, mode, claim).await
    })
    .await
}

//! `POST /v2/budgets/{budgetId}/transfer` (contract 5.6)

use super::common::{BUDGET, BudgetPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, OtherBudget, PositiveDecimalText, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::transfer_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::TransferErrors;
use crate::state::App;
use crate::views::{DryRunView, TransferView};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::transfer;
use florin_domain::budget::{TransferDone, TransferInstruction, TransferReference};
use florin_domain::money::Currency;
use florin_ports::StoredResponse;

body! {
    /// A transfer from the budget in the path.
    pub(crate) struct TransferBody as "TransferRequest" {
        /// The budget that receives the money: another budget of the account.
        "destinationBudgetId" => to: OtherBudget,
        /// ISO 4217 code; both budgets must hold this currency.
        #[example("GBP")]
        "currency" => currency: Currency,
        /// Amount, a decimal above zero.
        #[example("300.00")]
        "amount" => amount: PositiveDecimalText,
        /// Reference text.
        #[example("Float for May")]
        "reference" => reference: Option<TransferReference>,
    }
}

/// Transfers available money from this budget to another budget of the account.
///
/// The debit and the credit receive the next two numbers in the account's sequence.
/// Example: `{"destinationBudgetId": "0198c0de-0005-7000-8000-000000000002", "currency": "GBP", "amount": "300.00",
/// "reference": "Float for May"}`.
#[utoipa::path(post, path = "/v2/budgets/{budgetId}/transfer", tag = "Budgets", operation_id = "transfer",
    security(("apiKey" = [WRITE.scope])),
    request_body = TransferBody,
    params(BudgetPath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The numbers of both sides, and the transfer.", body = TransferView),
        TransferErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let mode = call.read_mode()?;
    let mut write = call.with_body(payload).await?;
    let from = write.call.read::<BudgetPath>().map(|path| path.id);
    let body = write.read_for::<TransferBody>(from)?;
    let account = write.account().await?;
    let TransferBody { to, amount, currency, reference } = expect_valid(body)?;
    let instruction =
        TransferInstruction { from: expect_valid(from)?, to: to.0, amount: amount.0, currency, reference };
    let claim = claim(&write, &account, false, |done| render(done, None))?;
    execute(claim, (BUDGET, "budget"), transfer_problem, render, async |claim| {
        transfer(&app.management, &account, instruction, mode, claim).await
    })
    .await
}

fn render(done: &TransferDone, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::OK, &TransferView::new(done, dry_run))
}

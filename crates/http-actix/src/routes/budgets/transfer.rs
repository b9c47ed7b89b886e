//! `POST /v2/budgets/{budgetId}/transfer` (contract 5.6)

use super::{BUDGET, WRITE, budget_id};
use crate::call::Call;
use crate::dry_run::send;
use crate::extract::json::Json;
use crate::extract::members::{Members, positive_decimal, string, text};
use crate::mapping::{transfer_problem, write_problem};
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::{DryRunView, TransferView};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::transfer;
use florin_domain::budget::{TransferDone, TransferInstruction};
use florin_domain::fault::Faults;
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_ports::Answer;
use utoipa::ToSchema;

/// Money to be moved.
#[derive(ToSchema)]
#[schema(as = TransferRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct TransferBody {
    /// The budget that receives: another one of the account.
    #[schema(format = Uuid)]
    to_budget_id: String,
    /// A decimal above zero.
    #[schema(pattern = "^[0-9]{1,15}(\\.[0-9]{1,4})?$", example = "25.00")]
    amount: String,
    /// ISO 4217; both budgets must hold it.
    #[schema(pattern = "^[A-Z]{3}$", example = "GBP")]
    currency_code: String,
    /// What it is for.
    #[schema(nullable = true, max_length = 140)]
    reference: Option<String>,
}

/// Moves money from this budget to another one of the account: what can be spent of one can be spent of the other.
#[utoipa::path(post, path = "/v2/budgets/{budgetId}/transfer", tag = "Budgets", operation_id = "transfer",
    request_body = TransferBody,
    params(
        ("budgetId" = String, Path, description = "The budget that gives.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The transfer, and both balances after it.", body = TransferView),
        ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let from = budget_id(&mut write.call);
    let instruction = instruction(write.body.as_ref(), from, &mut write.call.faults);
    let account = write.account().await?;
    let instruction = read(instruction)?;
    let claim = claim(&write, &account, false, |done| render(done, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = transfer(&app.management, &account, instruction, mode, claim).await;
    let object = (BUDGET, "budget");
    send(written.map_err(|error| write_problem(error, object, recorded.as_ref(), transfer_problem))?, render)
}

/// Reads the body; `None` where faults were noted.
fn instruction(body: Option<&Json>, from: Option<BudgetId>, faults: &mut Faults) -> Option<TransferInstruction> {
    let mut members = Members::of_body(body, faults)?;
    let to = members.required("toBudgetId", faults, |value| {
        let to = BudgetId::parse(string(value)?)?;
        from.map_or(Ok(to), |from| TransferInstruction::check_ends(from, to))
    });
    let amount = members.required("amount", faults, positive_decimal);
    let currency = members.required("currencyCode", faults, |value| Currency::parse(string(value)?));
    let reference = members.optional("reference", faults, text);
    members.finish(faults);
    Some(TransferInstruction { from: from?, to: to?, amount: amount?, currency: currency?, reference: reference? })
}

fn render(done: &TransferDone, dry_run: Option<DryRunView>) -> Answer {
    answer(StatusCode::CREATED, &TransferView::new(done, dry_run))
}

//! `POST /v2/budgets/generate-credit` (contract 5.2)

use crate::call::Call;
use crate::dry_run::send;
use crate::extract::json::Json;
use crate::extract::members::{Members, one_of, string, text};
use crate::mapping::{credit_problem, write_problem};
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim};
use crate::routes::error_sets::SimulationErrors;
use crate::state::App;
use crate::views::{Amount, DryRunView};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Permission, generate_credit};
use florin_domain::access::Scope;
use florin_domain::budget::{Credit, CreditInstruction, CreditScheme};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::BudgetId;
use florin_domain::money::{Currency, DecimalAmount};
use florin_ports::Answer;
use serde::Serialize;
use utoipa::ToSchema;

const PERMISSION: Permission = Permission::sandbox(Scope::BudgetsSimulate);

/// The credit that was taken.
#[derive(Serialize, ToSchema)]
#[schema(as = GeneratedCredit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreditView {
    /// Numbers the credits of an account.
    #[schema(minimum = 1)]
    box_transaction_id: i64,
    balance: CreditBalanceView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// The budget's balances afterwards, in the credit's currency.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditBalance)]
#[serde(rename_all = "camelCase")]
struct CreditBalanceView {
    /// All the money in it.
    #[schema(value_type = String)]
    running_balance: Amount,
    /// What can be spent.
    #[schema(value_type = String)]
    available_balance: Amount,
}

/// An inbound credit.
#[derive(ToSchema)]
#[schema(as = GenerateCreditRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct CreditBody {
    /// The budget to credit.
    #[schema(format = Uuid)]
    budget_id: String,
    /// A decimal above zero.
    #[schema(pattern = "^[0-9]{1,15}(\\.[0-9]{1,4})?$", example = "200.00")]
    settlement_price_amount: String,
    /// ISO 4217; the budget must hold it.
    #[schema(pattern = "^[A-Z]{3}$", example = "GBP")]
    settlement_price_currency: String,
    #[schema(min_length = 1, max_length = 140)]
    remitters_name: String,
    #[schema(min_length = 1, max_length = 140)]
    remitters_address: String,
    #[schema(min_length = 1, max_length = 140)]
    beneficiary_name: String,
    #[schema(pattern = "^(FasterPayment|BACS|CHAPS|Swift|SEPA)$", example = "FasterPayment")]
    scheme_name: String,
    #[schema(nullable = true, max_length = 140)]
    reference: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    bank_identifier: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    account_identifier: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    order_id: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    third_party_reference: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    institution_name: Option<String>,
    #[schema(nullable = true, max_length = 140)]
    institution_address: Option<String>,
}

/// Simulates an inbound credit to a budget.
#[utoipa::path(post, path = "/v2/budgets/generate-credit", tag = "Simulations", operation_id = "generateCredit",
    request_body = CreditBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "Credited.", body = CreditView), SimulationErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let instruction = instruction(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let instruction = read(instruction)?;
    let claim = claim(&write, &account, false, |credit| render(credit, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = generate_credit(&app.services, &account, instruction, mode, claim).await;
    let object = ("body.budgetId", "budget");
    send(written.map_err(|error| write_problem(error, object, recorded.as_ref(), credit_problem))?, render)
}

/// Reads the body; `None` where faults were noted.
fn instruction(body: Option<&Json>, faults: &mut Faults) -> Option<CreditInstruction> {
    let mut members = Members::of_body(body, faults)?;
    let budget = members.required("budgetId", faults, |value| BudgetId::parse(string(value)?));
    let amount = members.required("settlementPriceAmount", faults, amount);
    let currency = members.required("settlementPriceCurrency", faults, |value| Currency::parse(string(value)?));
    let remitters_name = members.required("remittersName", faults, text);
    let remitters_address = members.required("remittersAddress", faults, text);
    let beneficiary_name = members.required("beneficiaryName", faults, text);
    let scheme =
        members.required("schemeName", faults, |value| one_of(value, &CreditScheme::ALL, CreditScheme::as_str));
    let reference = members.optional("reference", faults, text);
    let bank_identifier = members.optional("bankIdentifier", faults, text);
    let account_identifier = members.optional("accountIdentifier", faults, text);
    let order_id = members.optional("orderId", faults, text);
    let third_party_reference = members.optional("thirdPartyReference", faults, text);
    let institution_name = members.optional("institutionName", faults, text);
    let institution_address = members.optional("institutionAddress", faults, text);
    members.finish(faults);
    Some(CreditInstruction {
        budget: budget?,
        amount: amount?,
        currency: currency?,
        remitters_name: remitters_name?,
        remitters_address: remitters_address?,
        beneficiary_name: beneficiary_name?,
        scheme: scheme?,
        reference: reference?,
        bank_identifier: bank_identifier?,
        account_identifier: account_identifier?,
        order_id: order_id?,
        third_party_reference: third_party_reference?,
        institution_name: institution_name?,
        institution_address: institution_address?,
    })
}

fn amount(value: &Json) -> Result<DecimalAmount, Flaw> {
    DecimalAmount::from_decimal_string(string(value)?)?.positive()
}

fn render(credit: &Credit, dry_run: Option<DryRunView>) -> Answer {
    let currency = credit.instruction.currency;
    let view = CreditView {
        box_transaction_id: credit.box_transaction_id,
        balance: CreditBalanceView {
            running_balance: Amount(credit.balances.ledger().of(currency)),
            available_balance: Amount(credit.balances.available().of(currency)),
        },
        dry_run,
    };
    answer(StatusCode::OK, &view)
}

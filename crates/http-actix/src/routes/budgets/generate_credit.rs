//! `POST /v2/budgets/generate-credit` (contract 5.2)

use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, PositiveDecimalText, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::credit_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreditErrors;
use crate::state::App;
use crate::views::{Amount, DryRunView};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Requirement, generate_credit};
use florin_domain::access::Scope;
use florin_domain::budget::{Credit, CreditInstruction, CreditScheme};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::StoredResponse;
use serde::Serialize;
use utoipa::ToSchema;

const REQUIREMENT: Requirement = Requirement::sandbox(Scope::BudgetsSimulate);

/// A simulated credit and the balances after it.
#[derive(Serialize, ToSchema)]
#[schema(as = GeneratedCredit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreditView {
    /// The number of the credit in the account's sequence.
    #[schema(minimum = 1)]
    box_transaction_id: i64,
    balance: CreditBalanceView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// The balances of the budget after the credit, in the currency of the credit.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditBalance)]
#[serde(rename_all = "camelCase")]
struct CreditBalanceView {
    /// Ledger balance.
    #[schema(value_type = String)]
    running_balance: Amount,
    /// Available balance.
    #[schema(value_type = String)]
    available_balance: Amount,
}

body! {
    /// An inbound credit.
    pub(crate) struct CreditBody as "GenerateCreditRequest" {
        /// The budget to credit.
        "budgetId" => budget: BudgetId,
        /// Amount, a decimal above zero.
        #[example("200.00")]
        "settlementPriceAmount" => amount: PositiveDecimalText,
        /// ISO 4217 code; the budget must hold this currency.
        #[example("GBP")]
        "settlementPriceCurrency" => currency: Currency,
        /// Name of the sender.
        "remittersName" => remitters_name: Text<1, 140>,
        /// Address of the sender.
        "remittersAddress" => remitters_address: Text<1, 140>,
        /// Name of the beneficiary.
        "beneficiaryName" => beneficiary_name: Text<1, 140>,
        /// Payment scheme.
        #[example("FasterPayment")]
        "schemeName" => scheme: CreditScheme,
        /// Payment reference.
        "reference" => reference: Option<Text<0, 140>>,
        /// Sort code or BIC of the sender's bank.
        "bankIdentifier" => bank_identifier: Option<Text<0, 140>>,
        /// The sender's account number or IBAN.
        "accountIdentifier" => account_identifier: Option<Text<0, 140>>,
        /// Order id at the sender's bank.
        "orderId" => order_id: Option<Text<0, 140>>,
        /// Reference of a third party.
        "thirdPartyReference" => third_party_reference: Option<Text<0, 140>>,
        /// Name of the sender's bank.
        "institutionName" => institution_name: Option<Text<0, 140>>,
        /// Address of the sender's bank.
        "institutionAddress" => institution_address: Option<Text<0, 140>>,
    }
}

impl From<CreditBody> for CreditInstruction {
    fn from(body: CreditBody) -> Self {
        Self {
            budget: body.budget,
            amount: body.amount.0,
            currency: body.currency,
            remitters_name: body.remitters_name,
            remitters_address: body.remitters_address,
            beneficiary_name: body.beneficiary_name,
            scheme: body.scheme,
            reference: body.reference,
            bank_identifier: body.bank_identifier,
            account_identifier: body.account_identifier,
            order_id: body.order_id,
            third_party_reference: body.third_party_reference,
            institution_name: body.institution_name,
            institution_address: body.institution_address,
        }
    }
}

/// Simulates an inbound credit to a budget.
#[utoipa::path(post, path = "/v2/budgets/generate-credit", tag = "Simulations", operation_id = "generateCredit",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = CreditBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The credit.", body = CreditView), CreditErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let mode = call.read_mode()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<CreditBody>()?;
    let account = write.account().await?;
    let instruction = CreditInstruction::from(expect_valid(body)?);
    let claim = claim(&write, &account, false, |credit| render(credit, None))?;
    execute(claim, ("body.budgetId", "budget"), credit_problem, render, async |claim| {
        generate_credit(&app.services, &account, instruction, mode, claim).await
    })
    .await
}

fn render(credit: &Credit, dry_run: Option<DryRunView>) -> StoredResponse {
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

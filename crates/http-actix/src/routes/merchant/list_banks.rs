//! `GET /v2/merchant/banks` (contract 2.3)

use crate::call::Call;
use crate::codes::ErrorCode;
use crate::declare::{AccountParameter, PageParameters};
use crate::problem::Problem;
use crate::reply::json;
use crate::routes::error_sets::BankErrors;
use crate::state::App;
use crate::views::List;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::fault::FlawCode;
use florin_domain::merchant::Bank;
use florin_domain::page::{Page, PageRequest};
use florin_ports::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

const REQUIREMENT: Requirement = Requirement::of(Scope::MerchantBanksRead);

/// A bank that checkout payments can come from.
#[derive(Serialize, ToSchema)]
#[schema(as = Bank)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BankView {
    /// The id of the bank: 32 hexadecimal characters.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    id: String,
    /// Display name.
    name: String,
    /// URL of the icon.
    #[schema(format = "uri")]
    icon_url: String,
    /// Whether the bank can pay refunds.
    supports_refunds: bool,
}

impl From<Bank> for BankView {
    fn from(bank: Bank) -> Self {
        Self {
            id: bank.id.to_string(),
            name: bank.name,
            icon_url: bank.icon_url,
            supports_refunds: bank.supports_refunds,
        }
    }
}

/// Lists the banks that checkout payments can come from.
///
/// The list is the same for every account. Without `accountId`, the response is 403.
#[utoipa::path(get, path = "/v2/merchant/banks", tag = "Merchant", operation_id = "listBanks",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(AccountParameter, PageParameters),
    responses((status = 200, description = "One page of banks.", body = List<BankView>), BankErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    // On this operation, a missing account is a 403, and takes precedence over other faults of the query.
    let sent_account = call.query.one("accountId");
    if matches!(sent_account, Ok(None)) || sent_account.is_err_and(|flaw| flaw.code == FlawCode::Required) {
        return Err(Problem::forbidden("query.accountId", ErrorCode::Required, "is required"));
    }
    let account_id = call.account_id();
    let page = call.page();
    call.account(account_id).await?;
    let key = (page.limit, page.offset);
    let body = app.bank_pages.get(&key, || async { render(page, app.services.banks.list(page).await?) }).await?;
    Ok(json(body.unwrap_or_default()))
}

/// Renders a page of banks. The text is cached, because it is the same for every account.
fn render(page: PageRequest, found: Page<Bank>) -> Result<Option<Bytes>, StoreError> {
    let text = List::new(page, found, BankView::from).json().map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(Some(text.into()))
}

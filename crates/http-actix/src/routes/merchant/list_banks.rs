//! `GET /v2/merchant/banks` (contract 2.3)

use crate::call::Call;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use crate::repeat::json;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::List;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::fault::FlawCode;
use florin_domain::merchant::Bank;
use florin_domain::page::{Page, PageRequest};
use florin_ports::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

const PERMISSION: Permission = Permission::of(Scope::MerchantBanksRead);

/// A bank that checkout payments can come from.
#[derive(Serialize, ToSchema)]
#[schema(as = Bank)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BankView {
    /// 32 hexadecimal characters.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    id: String,
    /// Its display name.
    name: String,
    /// Where its icon is.
    #[schema(format = "uri")]
    icon_url: String,
    /// Whether it can pay refunds.
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

/// The banks that can pay, the same for every account.
#[utoipa::path(get, path = "/v2/merchant/banks", tag = "Merchant", operation_id = "listBanks",
    params(
        ("accountId" = String, Query, description = "The account to work with. Without it: 403.",
            min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0)),
    responses((status = 200, description = "One page of banks.", body = List<BankView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    // A missing account wins over the other faults of the query, and is 403 here.
    if let Err(flaw) = call.query.account_id()
        && flaw.code == FlawCode::Required
    {
        let message = "accountId is required.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "query.accountId", ErrorCode::Required, message));
    }
    let account_id = call.account_id();
    let page = call.query.page(&mut call.faults);
    call.account(account_id).await?;
    let key = (page.limit, page.offset);
    let body = app.banks.get(&key, || async { render(page, app.services.banks.list(page).await?) }).await?;
    Ok(json(body.unwrap_or_default()))
}

/// The list is the same for everybody, so its text is, too.
fn render(page: PageRequest, found: Page<Bank>) -> Result<Option<Bytes>, StoreError> {
    let text = List::new(page, found, BankView::from).json().map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(Some(text.into()))
}

//! The list of banks.

use super::actions::apply_and_redirect;
use super::form::SentForm;
use super::order::order_of;
use super::visit::{Part, Visit};
use crate::problem::Problem;
use crate::state::App;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use florin_domain::checkout::{BankChoice, SessionAction};
use florin_domain::merchant::{Bank, BankId};
use florin_domain::page::PageRequest;
use florin_pages::{ChooseBank, Page};
use florin_ports::StoreError;
use std::sync::Arc;

/// Maximum number of banks that are listed.
const MAX_SHOWN: usize = 60;
/// Maximum length of a search text, in characters.
const MAX_SEARCH: usize = 140;

/// Returns the page with the banks that match the search. `is_missing`: no valid bank was chosen.
pub(super) async fn page(visit: &Visit<'_>, is_missing: bool) -> Result<Page, Problem> {
    let query: String = visit.search.iter().flat_map(|search| search.trim().chars()).take(MAX_SEARCH).collect();
    let lowercase_query = query.to_lowercase();
    let all = all_banks(visit.app).await?;
    let matching: Vec<_> = all.iter().filter(|bank| bank.name.to_lowercase().contains(&lowercase_query)).collect();
    let shown = matching.iter().take(MAX_SHOWN);
    Ok(Page::ChooseBank(ChooseBank {
        // The search form also uses this path. Browsers replace the query of the path.
        form: visit.form_at(visit.path_of(Part::Banks)),
        order: order_of(visit.session()),
        query,
        matches: matching.len(),
        banks: shown
            .map(|bank| florin_pages::BankChoice { id: bank.id.to_string(), name: bank.name.clone() })
            .collect(),
        is_missing,
        phone_url: Some(visit.app.checkouts.checkout_url(&visit.account.id, visit.session().id.0)),
    }))
}

/// Begins a payment at the chosen bank. If no valid bank was chosen, shows the list again.
pub(super) async fn choose(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    let bank = match BankId::parse(form.get("bankId")) {
        Ok(id) => visit.app.checkouts.banks.find(&id).await?,
        Err(_) => None,
    };
    match bank {
        Some(Bank { id, name, .. }) => {
            apply_and_redirect(visit, SessionAction::ChooseBank(BankChoice { id, name })).await
        }
        None => Ok(visit.answer(StatusCode::BAD_REQUEST, &page(visit, true).await?)),
    }
}

/// Returns the complete bank list, by name.
async fn all_banks(app: &App) -> Result<Arc<Vec<Bank>>, StoreError> {
    let load = || async {
        let mut banks = Vec::new();
        loop {
            let offset = i64::try_from(banks.len()).unwrap_or(i64::MAX);
            let page = app.checkouts.banks.list(PageRequest { limit: PageRequest::MAX_LIMIT, offset }).await?;
            if page.rows.is_empty() {
                return Ok::<_, StoreError>(Some(Arc::new(banks)));
            }
            banks.extend(page.rows);
        }
    };
    Ok(app.bank_list.get(&(), load).await?.unwrap_or_default())
}

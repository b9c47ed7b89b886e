//! `GET /v2/sandbox/snapshots`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::PageParameters;
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::SandboxClientListErrors;
use crate::state::App;
use crate::views::{ImportedSnapshotView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::permit_all_accounts;

/// Lists the snapshots that the client imported, ordered by id. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/snapshots", tag = "Sandbox", operation_id = "listImportedSnapshots",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(PageParameters),
    responses((status = 200, description = "One page of imported snapshots.", body = List<ImportedSnapshotView>),
        SandboxClientListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    permit_all_accounts(&call.caller)?;
    let page = call.page();
    call.finish_reading()?;
    let found = app.services.snapshot_files.imported_snapshots(call.caller.client.id, page).await?;
    ok_list(&List::new(page, found, |snapshot| ImportedSnapshotView::from(&snapshot)))
}

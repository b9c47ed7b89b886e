//! The files that the pages load.

use super::answer::file;
use crate::extract::query::Query;
use crate::problem::Problem;
use crate::routes::resources::not_found;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::LogoId;
use florin_pages::Theme;

/// Serves a style sheet or image. Another version of the server has other files, so a file may be cached forever only
/// if its URL contains its version.
pub(super) async fn asset(request: HttpRequest, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    let Some(asset) = florin_pages::asset(&name) else { return not_found().await };
    let query = Query::parse(request.query_string());
    let is_versioned = query.one("v").is_ok_and(|version| version == Some(asset.version().as_str()));
    Ok(file(asset.content_type, asset.bytes, is_versioned))
}

/// Serves the style sheet with a merchant's colours. The colours are read from the name of the file.
pub(super) async fn theme(name: web::Path<String>) -> Result<HttpResponse, Problem> {
    match Theme::from_file_name(&name) {
        Some(theme) => Ok(file("text/css; charset=utf-8", theme.css(), true)),
        None => not_found().await,
    }
}

/// Serves the logo of a merchant. A new logo has a new URL.
pub(super) async fn logo(app: web::Data<App>, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    let id = name.strip_suffix(".png").and_then(|id| LogoId::parse(id).ok());
    let Some(id) = id.filter(|id| *name == format!("{id}.png")) else { return not_found().await };
    match app.merchants.merchants.logo(id).await? {
        Some(logo) => Ok(file("image/png", logo.png, true)),
        None => not_found().await,
    }
}

//! The files that the pages load.

use super::answer::file;
use crate::extract::query::Query;
use crate::problem::Problem;
use crate::routes::fallback::not_found;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_pages::Theme;

/// Serves a style sheet or picture. Another version of the server has other files, so only the version that a page names is
/// cached.
pub(super) async fn asset(request: HttpRequest, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    let Some(asset) = florin_pages::asset(&name) else { return not_found().await };
    let query = Query::parse(request.query_string());
    let is_named = query.one("v").is_ok_and(|version| version == Some(asset.version().as_str()));
    Ok(file(asset.content_type, asset.bytes, is_named))
}

/// Serves the colours of a merchant. They follow from the name.
pub(super) async fn theme(name: web::Path<String>) -> Result<HttpResponse, Problem> {
    match Theme::from_file_name(&name) {
        Some(theme) => Ok(file("text/css; charset=utf-8", theme.css(), true)),
        None => not_found().await,
    }
}

//! The frame of a page: language, merchant, and the path below which the pages are served.

use crate::state::App;
use actix_web::http::Uri;
use actix_web::http::header::{AcceptLanguage, Header as _};
use actix_web::{HttpMessage, HttpRequest};
use florin_domain::access::Environment;
use florin_domain::merchant::{Locale, MerchantPermission, MerchantProfile};
use florin_pages::{Frame, Language, Shop, Theme};

/// The page that a request is about, recorded for an error page.
#[derive(Clone)]
pub(super) struct RequestedPage {
    pub(super) language: Language,
    pub(super) path: String,
}

/// Records the page that a request is about. `path` is relative to the root. Returns the complete path.
pub(super) fn remember_page(app: &App, request: &HttpRequest, path: &str, language: Language) -> String {
    let path = format!("{}/{path}", root(app));
    request.extensions_mut().insert(RequestedPage { language, path: path.clone() });
    path
}

/// Returns the path below which browsers find the pages. A proxy can serve this server below a path of its own.
pub(super) fn root(app: &App) -> String {
    let public = app.checkouts.public_url.parse::<Uri>();
    let path = public.as_ref().map_or("", |url| url.path().trim_end_matches('/'));
    format!("{path}/pay")
}

/// Returns the language of a page: that of the locale, or without a locale, the first one that the browser accepts.
pub(super) fn language_of(locale: Option<&Locale>, request: &HttpRequest) -> Language {
    if let Some(locale) = locale {
        return Language::of_locale(Some(locale.as_str()));
    }
    let accepted = AcceptLanguage::parse(request).map(|accepted| accepted.ranked()).unwrap_or_default();
    let spoken = accepted.iter().filter_map(|preferred| preferred.item().map(|tag| tag.primary_language().to_owned()));
    let mut supported = spoken.filter(|language| ["en", "cy"].contains(&language.as_str()));
    Language::of_locale(supported.next().as_deref())
}

/// Returns the frame of a page without a merchant.
pub(super) fn bare_frame(app: &App, language: Language) -> Frame {
    Frame { language, root: root(app), shop: None, is_sandbox: app.services.environment == Environment::Sandbox }
}

/// Returns the frame of a merchant's page.
pub(super) fn frame(app: &App, language: Language, merchant: Option<&MerchantProfile>) -> Frame {
    Frame { shop: merchant.map(|merchant| shop(app, merchant)), ..bare_frame(app, language) }
}

fn shop(app: &App, merchant: &MerchantProfile) -> Shop {
    let branding = &merchant.branding;
    let theme = if merchant.may(MerchantPermission::CustomiseColours) {
        Theme::new(branding.primary, branding.background)
    } else {
        None
    };
    Shop {
        name: merchant.name.clone(),
        logo_url: merchant.logo.map(|logo| format!("{}/logos/{logo}.png", root(app))),
        return_policy_url: merchant.return_policy_url.as_ref().map(|url| url.as_str().to_owned()),
        theme,
        hide_service_logo: branding.hide_service_logo && merchant.may(MerchantPermission::HideServiceLogo),
    }
}

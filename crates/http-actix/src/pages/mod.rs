//! Pages for people: the home page and the docs page. They need no key, load nothing from other hosts, and run no
//! inline scripts.

mod docs;
mod home;

pub(crate) use docs::{docs, docs_file};
pub(crate) use home::{home, style};

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};

/// Data about this server that the pages show.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// The version of the program.
    pub version: &'static str,
    /// The URL of this server for callers. `None`: the host of the browser's request is used.
    pub public_url: Option<String>,
    /// Whether the store has the demo data and its key is valid. The pages show the key in the sandbox only.
    pub has_demo: bool,
}

/// Returns an HTML page with a content security policy.
fn page(html: String, policy: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        // Don't store the page: it shows the current state of the server.
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(html)
}

/// Returns a file that a page loads.
fn asset(content_type: &str, bytes: &'static [u8]) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, content_type))
        // Revalidate the file: another version of the server has other files.
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(bytes)
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
    }
}

//! A payer's browser: it reads pages, and sends their forms.

use std::fmt::Write;

use serde_json::Value;

use super::assert::text;
use super::client::{Answer, Client};
use super::storefront::Shop;

/// A browser at one page.
pub(crate) struct Payer {
    client: Client,
    /// The path of the page.
    pub(crate) path: String,
}

impl Payer {
    /// Opens the page of a session.
    pub(crate) fn of(shop: &Shop, session: &Value) -> Self {
        Self::at(&shop.client, text(session, "/checkoutUrl"))
    }

    /// Opens a page by its URL.
    pub(crate) fn at(client: &Client, url: &str) -> Self {
        let path = url.strip_prefix(&format!("http://{}", client.address));
        let path = path.unwrap_or_else(|| panic!("not a URL of the server: {url}")).to_owned();
        Self { client: client.with_authorization(None), path }
    }

    /// Reads a path of the server.
    pub(crate) fn read(&self, path: &str) -> Answer {
        // Without a query, the client would add an account.
        let target = if path.contains('?') { path.to_owned() } else { format!("{path}?") };
        self.client.get(&target)
    }

    /// Reads the page.
    pub(crate) fn page(&self) -> String {
        html(&self.read(&self.path), 200)
    }

    /// Reads a part of the page, such as the list of banks.
    pub(crate) fn part(&self, name: &str) -> String {
        html(&self.read(&format!("{}?show={name}", self.path)), 200)
    }

    /// Sends these fields with the form token of a given page.
    pub(crate) fn send(&self, page: &str, fields: &[(&str, &str)]) -> Answer {
        let token = form_token(page);
        self.post(&[&[("formToken", token.as_str())], fields].concat())
    }

    /// Sends these fields with the form token of the current page.
    pub(crate) fn press(&self, fields: &[(&str, &str)]) -> Answer {
        self.send(&self.page(), fields)
    }

    /// Sends these fields and nothing else, from the page's own origin.
    pub(crate) fn post(&self, fields: &[(&str, &str)]) -> Answer {
        self.post_from(Some(&format!("http://{}", self.client.address)), &urlencoded(fields))
    }

    /// Sends a form from an origin.
    pub(crate) fn post_from(&self, origin: Option<&str>, body: &str) -> Answer {
        let call = self.client.call("POST", &format!("{}?", self.path));
        let call = call.header("Content-Type", "application/x-www-form-urlencoded");
        let call = origin.into_iter().fold(call, |call, origin| call.header("Origin", origin));
        call.bytes(body).send()
    }

    /// Sends a form, expects a redirect to a page of Florin, and reads that page.
    pub(crate) fn follow(&self, fields: &[(&str, &str)]) -> String {
        self.arrive(&self.press(fields))
    }

    /// Reads the page to which an answer sends the browser.
    pub(crate) fn arrive(&self, answer: &Answer) -> String {
        assert_eq!(answer.status, 303, "{answer:?}");
        let location = answer.header("location").unwrap();
        assert!(location.starts_with("/pay/"), "{location}");
        html(&self.read(location), 200)
    }

    /// Chooses the shop's bank, and returns the page of the bank.
    pub(crate) fn choose(&self, shop: &Shop) -> String {
        self.arrive(&self.send(&self.part("banks"), &[("action", "choose"), ("bankId", text(&shop.bank, "/id"))]))
    }

    /// Chooses the shop's bank, and signs in there with a name that selects the outcome.
    pub(crate) fn pay_as(&self, shop: &Shop, name: &str) -> String {
        let bank = self.choose(shop);
        self.arrive(&self.send(&bank, &[("action", "approve"), ("name", name)]))
    }
}

/// Checks the status and the headers of an answer below `/pay`, and returns its HTML.
pub(crate) fn html(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_headers(answer);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer:?}");
    answer.text()
}

/// Checks the headers of every answer below `/pay`.
pub(crate) fn assert_headers(answer: &Answer) {
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                  base-uri 'none'";
    for (name, value) in
        [("content-security-policy", policy), ("referrer-policy", "same-origin"), ("x-content-type-options", "nosniff")]
    {
        assert_eq!(answer.header(name), Some(value), "{name}: {answer:?}");
    }
}

/// Returns the token of a page's forms.
pub(crate) fn form_token(page: &str) -> String {
    let found = page.split_once("name=\"formToken\" value=\"").and_then(|(_, rest)| rest.split('"').next());
    found.unwrap_or_else(|| panic!("no form in {page}")).to_owned()
}

/// Returns the heading of a page.
pub(crate) fn heading(page: &str) -> &str {
    let found = page.split_once("<h1").and_then(|(_, rest)| rest.split_once('>')?.1.split('<').next());
    found.unwrap_or_else(|| panic!("no heading in {page}"))
}

/// Encodes fields as browsers do.
pub(crate) fn urlencoded(fields: &[(&str, &str)]) -> String {
    let encoded = |text: &str| {
        text.bytes().fold(String::new(), |mut encoded, byte| {
            if byte.is_ascii_alphanumeric() {
                encoded.push(char::from(byte));
            } else {
                write!(encoded, "%{byte:02X}").unwrap();
            }
            encoded
        })
    };
    fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect::<Vec<_>>().join("&")
}

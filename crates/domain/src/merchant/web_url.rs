//! URLs that merchants send.

use crate::fault::{Flaw, FlawCode};
use url::{Host, Url};

/// An https URL of at most 2048 characters, without user info. It is stored as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WebUrl(String);

impl WebUrl {
    /// Maximum number of characters.
    pub const MAX: usize = 2048;

    /// Parses a URL. Characters that a URL can't contain, such as spaces and non-ASCII letters, must be
    /// percent-encoded.
    ///
    /// ```
    /// use florin_domain::merchant::WebUrl;
    ///
    /// assert!(WebUrl::parse("https://shop.example/paid?basket=7").is_ok());
    /// assert!(WebUrl::parse("http://shop.example/paid").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        Self::parse_with(&["https://"], text)
    }

    /// Parses a URL like [`Self::parse`], but also accepts `http://` to a loopback host. A sandbox often runs on the
    /// same machine as the shop that is tested with it.
    pub fn parse_or_loopback(text: &str) -> Result<Self, Flaw> {
        let url = Self::parse_with(&["https://", "http://"], text)?;
        let is_local = match Url::parse(text).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if is_local || text.starts_with("https://") {
            Ok(url)
        } else {
            Err(Flaw::format("must be a URL that begins with https://, or http:// to a loopback host"))
        }
    }

    fn parse_with(schemes: &[&str], text: &str) -> Result<Self, Flaw> {
        let length = text.chars().count();
        if length > Self::MAX {
            let message = format!("must be at most {} characters (got {length})", Self::MAX);
            return Err(Flaw::new(FlawCode::TooLong, message));
        }
        let Some(rest) = schemes.iter().find_map(|scheme| text.strip_prefix(scheme)) else {
            return Err(Flaw::format(format!("must be a URL that begins with {}", schemes.join(" or "))));
        };
        if !text.bytes().all(is_url_character) {
            return Err(Flaw::format("must have only characters of a URL; others must be percent-encoded"));
        }
        let url = Url::parse(text).map_err(|error| Flaw::format(format!("must be a URL: {error}")))?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.is_empty() || !url.has_host() {
            return Err(Flaw::format("must have a host"));
        }
        if authority.contains('@') {
            return Err(Flaw::format("must have no user name or password"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Creates a URL from stored text, which was checked before.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the URL as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the URL as an owned string.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Returns whether RFC 3986 allows a character anywhere in a URL.
const fn is_url_character(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn urls_are_kept_as_written() {
        for url in [
            "https://shop.example",
            "https://shop.example:8443/a%20b?c=d#e",
            "https://[2001:db8::1]/",
            "https://xn--bcher-kva.example/@me",
        ] {
            assert_eq!(WebUrl::parse(url).unwrap().as_str(), url);
        }
        let longest = format!("https://shop.example/{}", "x".repeat(2027));
        assert!(WebUrl::parse(&longest).is_ok());
        assert_eq!(WebUrl::parse(&format!("{longest}x")).unwrap_err().code, FlawCode::TooLong);
    }

    #[test]
    fn texts_that_are_not_https_urls_are_refused() {
        for wrong in [
            "",
            "https://",
            "https:///path",
            "https:shop.example",
            "HTTPS://shop.example",
            "http://shop.example",
            "http://127.0.0.1/",
            "javascript:alert(1)",
            "//shop.example",
            " https://shop.example",
            "https://shop.example/a b",
            "https://shop.example/\t",
            "https://shop.example/\u{0}",
            "https://shop.example/\u{202e}moc",
            "https://b\u{fc}cher.example/",
            "https://ada@shop.example",
            "https://ada:secret@shop.example",
            "https://@shop.example",
            "https://shop.example\\@evil.example",
            "https://shop.example:99999",
            "https://[::1",
            "https://?x",
        ] {
            assert_eq!(WebUrl::parse(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong:?}");
        }
    }

    #[test]
    fn a_sandbox_accepts_http_to_loopback_hosts() {
        for good in
            ["http://localhost:3000/paid", "http://127.0.0.1/", "http://[::1]:1/", "http://a.localhost/", "https://a.b"]
        {
            assert_eq!(WebUrl::parse_or_loopback(good).unwrap().as_str(), good);
        }
        for wrong in ["http://shop.example/", "http://localhost.example/", "http://10.0.0.1/", "ftp://localhost/"] {
            assert_eq!(WebUrl::parse_or_loopback(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong}");
        }
        assert!(WebUrl::parse_or_loopback("http://ada@localhost/").is_err());
    }

    proptest! {
        #[test]
        fn an_accepted_url_goes_to_the_host_that_it_shows(text in "https://[ -~]{0,40}") {
            if let Ok(url) = WebUrl::parse(&text) {
                let parsed = Url::parse(url.as_str()).unwrap();
                prop_assert_eq!(parsed.scheme(), "https");
                prop_assert!(parsed.has_host() && parsed.username().is_empty() && parsed.password().is_none());
            }
        }
    }
}

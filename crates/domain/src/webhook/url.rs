//! The URL of a receiver.

use super::TargetPolicy;
use crate::fault::{Flaw, FlawCode};
use std::net::IpAddr;
use url::{Host, Url};

/// Maximum length of a URL, in characters.
const MAX: usize = 512;

/// The URL of a receiver, as the client wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// Parses a URL: checks its length, and its parts with [`check_target`].
    pub fn parse(text: &str, policy: &TargetPolicy) -> Result<Self, Flaw> {
        let length = text.chars().count();
        if length > MAX {
            return Err(Flaw::new(FlawCode::TooLong, format!("must be at most {MAX} characters (got {length})")));
        }
        check_target(text, policy)?;
        Ok(Self(text.to_owned()))
    }

    /// Creates a URL from stored text, which was checked before.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns scheme, host and port, for operators. `…` replaces path and query, which may contain secrets.
    pub fn masked(&self) -> String {
        let host = self.0.find("://").map_or(0, |at| at + "://".len());
        let end = self.0[host..].find(['/', '?']).map_or(self.0.len(), |at| host + at);
        let (origin, rest) = self.0.split_at(end);
        if matches!(rest, "" | "/") { origin.to_owned() } else { format!("{origin}/…") }
    }
}

/// Checks the parts of a URL: scheme, user info, fragment, IP literal, port. The addresses that a host name resolves to
/// are checked at each connection, with [`TargetPolicy::permits`].
pub fn check_target(text: &str, policy: &TargetPolicy) -> Result<(), Flaw> {
    let url = parsed(text)?;
    match url.scheme() {
        "https" => {}
        "http" if policy.is_sandbox() => {}
        _ if policy.is_sandbox() => return Err(Flaw::value("must have the scheme http or https")),
        _ => return Err(Flaw::value("must have the scheme https")),
    }
    let authority = text.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
    if authority.is_none_or(|authority| authority.contains('@')) {
        return Err(Flaw::value("must not contain user info"));
    }
    if url.fragment().is_some() {
        return Err(Flaw::value("must not have a fragment"));
    }
    let literal = match url.host() {
        Some(Host::Domain(_)) => None,
        Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        None => return Err(malformed()),
    };
    if literal.is_some_and(|address| !policy.permits_loopback(address)) {
        return Err(Flaw::value("must name its host, not its address"));
    }
    let is_standard = |port| port == 443 || (port == 80 && policy.is_sandbox());
    if !url.port_or_known_default().is_some_and(|port| is_standard(port) || port > 1023) {
        return Err(Flaw::value("must have a standard port or one above 1023"));
    }
    Ok(())
}

fn malformed() -> Flaw {
    Flaw::format("must be a URL such as https://example.com/hooks")
}

/// Parses a URL. Refuses forms that the lenient parser accepts: with tabs, `https:\\host` and `https:host`.
fn parsed(text: &str) -> Result<Url, Flaw> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let host = text.split_once("://").map(|(_, rest)| rest);
    if !is_plain || host.is_none_or(|host| host.is_empty() || host.starts_with(['/', '?', '#'])) {
        return Err(malformed());
    }
    Url::parse(text).map_err(|_| malformed())
}

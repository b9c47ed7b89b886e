//! Shared parts of the operations on the networks that a client may call from.

use crate::call::Call;
use crate::declare::{TextValue, parameters, plain_text};
use florin_application::{NetworkChange, Requirement, parse_network};
use florin_domain::access::Scope;
use florin_domain::fault::Flaw;
use florin_domain::ids::NetworkId;
use utoipa::openapi::schema::Object;

pub(super) const READ: Requirement = Requirement::of(Scope::IpAddressesRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::IpAddressesWrite);
/// The path parameter that names a network.
pub(super) const NETWORK: &str = "path.ipAddressId";

parameters! {
    /// Path parameter: a network.
    pub(crate) struct NetworkPath in Path {
        /// The id of the address or network.
        "ipAddressId" => id: NetworkId,
    }
}

/// An address, or a network in CIDR form.
pub(crate) struct Network(pub(super) String);

impl TextValue for Network {
    fn parse(text: &str) -> Result<Self, Flaw> {
        let wrong = || Flaw::format("must be an IP address, or a network such as 192.0.2.0/24");
        parse_network(text).map(Self).ok_or_else(wrong)
    }

    fn schema() -> Object {
        plain_text().pattern(Some(pattern())).build()
    }
}

/// Returns the pattern of an address or network. It does not match IPv6 addresses that end in an IPv4 address, although
/// `Network::parse` accepts them.
fn pattern() -> String {
    let byte = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    let v4 = format!("({byte}\\.){{3}}{byte}(/(3[0-2]|[12]?[0-9]))?");
    let group = "[0-9A-Fa-f]{1,4}";
    // `::` stands for groups of zeros at the start, between groups, or at the end.
    let between = (1..=6).map(|after| format!("({group}:){{1,{}}}(:{group}){{{after}}}", 7 - after));
    let others = [format!("({group}:){{7}}{group}"), format!("({group}:){{1,7}}:"), format!(":((:{group}){{1,7}}|:)")];
    let v6 = others.into_iter().chain(between).collect::<Vec<_>>().join("|");
    format!("^({v4}|({v6})(/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$")
}

/// Returns the caller who changes the networks, and the caller's address.
pub(super) fn network_change<'a>(call: &'a Call<'_>) -> NetworkChange<'a> {
    NetworkChange { caller: &call.caller, peer: call.request.peer_addr().map(|address| address.ip()) }
}

/// Waits until every server applies the changed networks.
pub(super) async fn wait_until_effective() {
    actix_web::rt::time::sleep(florin_short_cache::MAX_CACHE_AGE).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::pattern_tests::check_text;

    #[test]
    fn the_pattern_of_networks_matches_what_the_parser_accepts() {
        check_text::<Network>(
            &["192.0.2.1", "192.0.2.0/24", "0.0.0.0/0", "::1", "2001:db8::/32", "2001:DB8:0:0:0:0:0:1", "::/0"],
            &["", "192.0.2", "256.0.0.1", "192.0.2.0/33", "192.0.2.0/", "::1/129", "1::2::3", "12345::", "example.com"],
        );
    }
}

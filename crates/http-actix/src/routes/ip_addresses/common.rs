//! Shared parts of the operations on the networks that a client may call from.

use crate::call::Call;
use crate::declare::{TextValue, parameters, plain_text};
use florin_application::{NetworkChange, Permission, parse_network};
use florin_domain::access::Scope;
use florin_domain::fault::Flaw;
use florin_domain::ids::NetworkId;
use utoipa::openapi::schema::Object;

pub(super) const READ: Permission = Permission::of(Scope::IpAddressesRead);
pub(super) const WRITE: Permission = Permission::of(Scope::IpAddressesWrite);
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
        plain_text().pattern(Some("^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$")).max_length(Some(50)).build()
    }
}

/// Returns the caller who changes the networks, and the caller's address.
pub(super) fn change<'a>(call: &'a Call<'_>) -> NetworkChange<'a> {
    NetworkChange { caller: &call.caller, peer: call.request.peer_addr().map(|address| address.ip()) }
}

/// Waits until every server applies the changed networks.
pub(super) async fn effective() {
    actix_web::rt::time::sleep(florin_short_cache::STALENESS).await;
}

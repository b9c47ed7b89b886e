//! Lists and changes the networks that a client may call from, for callers of that client.

use crate::{ManagementServices, append_audit};
use florin_domain::access::{
    AllowedNetwork, Caller, NetworkRefusal, NewNetwork, decide_add_network, decide_remove_network,
};
use florin_domain::audit_log::{AuditEvent, AuditOutcome};
use florin_domain::ids::NetworkId;
use florin_domain::page::{Page, PageRequest};
use florin_domain::text::Text;
use florin_domain::world::CreationClaim;
use florin_ports::{Decide, StoreError, WriteError};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The origin of a change of a client's networks: the caller, and its address.
#[derive(Clone, Copy, Debug)]
pub struct NetworkChange<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// The address from which the caller sends the request. `None`: unknown.
    pub peer: Option<IpAddr>,
}

/// A client's request to allow a network.
#[derive(Clone, Debug)]
pub struct NewNetworkRequest {
    /// The network in CIDR form, as returned by [`parse_network`].
    pub network: String,
    /// The client's description of the network.
    pub description: Option<Text<1, 256>>,
    /// The idempotency key of the request.
    pub claim: Option<CreationClaim>,
}

/// Parses a network in CIDR form and removes its host bits. A single address is a network with one address.
pub fn parse_network(text: &str) -> Option<String> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).ok()?;
    Some(network.trunc().to_string())
}

/// Whether a network contains the peer. An unknown peer is in no network, and an unreadable network contains no peer.
pub fn covers(network: &str, peer: Option<IpAddr>) -> bool {
    let Some(peer) = peer.map(|peer| peer.to_canonical()) else { return false };
    network.parse::<IpNet>().is_ok_and(|network| network.contains(&peer))
}

/// Returns the part of an address that stands for one caller: a whole IPv4 address, or the first 64 bits of an IPv6
/// address, because one caller usually has all addresses of such a network.
pub fn caller_network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

/// Lists the networks of the caller's client by address, IPv4 before IPv6.
pub async fn list_networks(
    services: &ManagementServices,
    caller: &Caller,
    page: PageRequest,
) -> Result<Page<AllowedNetwork>, StoreError> {
    let mut all = services.networks.networks(caller.client.id).await?;
    all.sort_by_cached_key(|entry| (entry.network.parse::<IpNet>().ok(), entry.network.clone()));
    let place = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
    Ok(Page { count, rows: all.into_iter().skip(place(page.offset)).take(place(page.limit)).collect() })
}

/// Allows a network, and records the change in the audit log.
pub async fn add_network(
    services: &ManagementServices,
    change: NetworkChange<'_>,
    request: NewNetworkRequest,
) -> Result<AllowedNetwork, WriteError<NetworkRefusal>> {
    let NewNetworkRequest { network, description, claim } = request;
    let details = format!("network {network} of client {}", change.caller.client.id);
    let entry = AllowedNetwork {
        id: NetworkId(services.time.real_id()),
        description,
        created_at: Some(services.time.real_now()),
        claim,
        network,
    };
    let covers_caller = covers(&entry.network, change.peer);
    let new = NewNetwork { entry: entry.clone(), covers_caller, max: services.max_networks };
    let decide: Decide<Vec<AllowedNetwork>, _> =
        Arc::new(move |listed: &Vec<AllowedNetwork>| decide_add_network(listed, &new));
    execute_audited(services, change, ("ipaddresses add", details), decide).await?;
    Ok(entry)
}

/// Removes a network, and records the change in the audit log.
pub async fn remove_network(
    services: &ManagementServices,
    change: NetworkChange<'_>,
    id: NetworkId,
) -> Result<(), WriteError<NetworkRefusal>> {
    let listed = services.networks.networks(change.caller.client.id).await?;
    let network = listed.into_iter().find(|entry| entry.id == id).map(|entry| entry.network).unwrap_or_default();
    let details = format!("network {network} of client {}", change.caller.client.id);
    let peer = change.peer;
    let decide: Decide<Vec<AllowedNetwork>, _> = Arc::new(move |listed: &Vec<AllowedNetwork>| {
        decide_remove_network(listed, id, |entry| covers(&entry.network, peer))
    });
    execute_audited(services, change, ("ipaddresses remove", details), decide).await
}

/// Executes a change, and records its beginning and its outcome in the audit log. If the rule refuses the change before
/// it begins, nothing is recorded, so that a caller can't fill the log with refused changes.
async fn execute_audited(
    services: &ManagementServices,
    NetworkChange { caller, peer }: NetworkChange<'_>,
    (action, details): (&str, String),
    decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
) -> Result<(), WriteError<NetworkRefusal>> {
    let client = caller.client.id;
    decide(&services.networks.networks(client).await?).map_err(WriteError::Refused)?;
    let event = |outcome, begun, details| AuditEvent {
        at: services.time.real_now(),
        actor: format!("key {}", caller.key.id),
        source: peer.map_or_else(|| "-".to_owned(), |peer| peer.to_canonical().to_string()),
        action: action.to_owned(),
        outcome,
        begun,
        details,
    };
    let log = services.audit_log.as_ref();
    let begun = append_audit(log, event(AuditOutcome::Begun, None, details.clone())).await?.number;
    let done = services.networks.change_networks(client, decide).await;
    let (outcome, details) = match &done {
        Ok(_) => (AuditOutcome::Done, details),
        Err(WriteError::Refused(refusal)) => (AuditOutcome::Refused, refusal.to_string()),
        Err(error) => (AuditOutcome::Failed, error.to_string()),
    };
    append_audit(log, event(outcome, Some(begun), details)).await?;
    done.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_normalised() {
        assert_eq!(parse_network("10.1.2.3/8").as_deref(), Some("10.0.0.0/8"));
        assert_eq!(parse_network("2001:db8::1").as_deref(), Some("2001:db8::1/128"));
        for wrong in ["", "10.0.0.0/33", "everywhere", "10.0.0"] {
            assert_eq!(parse_network(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_caller_is_an_ipv4_address_or_a_network_of_ipv6() {
        for (peer, network) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::"),
            ("2001:db8::ffff:ffff:ffff:ffff", "2001:db8::"),
            ("2001:db8:0:1::1", "2001:db8:0:1::"),
        ] {
            assert_eq!(caller_network(peer.parse().unwrap()).to_string(), network, "{peer}");
        }
    }
}

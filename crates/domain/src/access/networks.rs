//! The networks that a client may call from, which the client reads and changes over the API.

use crate::ids::{ClientId, NetworkId};
use crate::text::Text;
use crate::world::CreationClaim;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Default maximum number of networks of a client.
pub const MAX_NETWORKS: usize = 1_000;

/// A network that a client may call from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedNetwork {
    /// Its id.
    pub id: NetworkId,
    /// The network in CIDR form, without host bits.
    pub network: String,
    /// The description that the client gave it.
    pub description: Option<Text<1, 256>>,
    /// When the client added it. `None`: the operator added it.
    pub created_at: Option<DateTime<Utc>>,
    /// The idempotency key of the request that added it, with a hash of the request.
    pub claim: Option<CreationClaim>,
}

impl AllowedNetwork {
    /// Creates the entry of a network that the operator allowed. Its id is derived from the client and the network.
    pub fn of_operator(client: ClientId, network: String) -> Self {
        let id = NetworkId(derived(client.0.as_bytes().iter().chain(network.as_bytes())));
        Self { id, network, description: None, created_at: None, claim: None }
    }
}

/// Derives a UUID of version 8 with the hash function FNV-1a.
fn derived<'a>(bytes: impl Iterator<Item = &'a u8>) -> Uuid {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = bytes.fold(START, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
    let version = (hash & !(0xf << 76)) | (0x8 << 76);
    Uuid::from_u128((version & !(0x3 << 62)) | (0x2 << 62))
}

/// A request to add a network to the list, with the new id and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNetwork {
    /// The network to add.
    pub entry: AllowedNetwork,
    /// Whether the network contains the address of the caller.
    pub covers_caller: bool,
    /// Maximum number of networks of a client.
    pub max: usize,
}

/// Reasons to refuse a change of the networks. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkRefusal {
    /// The change would lock out the caller: no network of the list would contain the caller's address.
    #[error("the caller would be locked out")]
    LocksOutCaller,
    /// The network is already on the list.
    #[error("the network is allowed already")]
    AlreadyListed,
    /// The list is full.
    #[error("a client has at most {0} networks")]
    TooMany(usize),
    /// No network of the client has this id.
    #[error("there is no such network")]
    Absent,
    /// The same request added this network before.
    #[error("the network was added before")]
    CreatedBefore(Box<AllowedNetwork>),
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    OtherRequest,
}

/// Decides to add a network. A client without networks may call from anywhere. Therefore its first network must contain
/// the address of the caller.
///
/// ```
/// use florin_domain::access::{AllowedNetwork, NetworkRefusal, NewNetwork, decide_add_network};
/// use florin_domain::test_support::CLIENT;
///
/// let entry = AllowedNetwork::of_operator(CLIENT, "192.0.2.0/24".into());
/// let new = NewNetwork { entry, covers_caller: false, max: 10 };
/// assert_eq!(decide_add_network(&[], &new), Err(NetworkRefusal::LocksOutCaller));
/// ```
pub fn decide_add_network(listed: &[AllowedNetwork], new: &NewNetwork) -> Result<Vec<AllowedNetwork>, NetworkRefusal> {
    let NewNetwork { entry, covers_caller, max } = new;
    if let Some(claim) = &entry.claim {
        let earlier = listed.iter().find(|network| network.claim.as_ref().is_some_and(|other| other.key == claim.key));
        if let Some(earlier) = earlier {
            let is_same = earlier.claim.as_ref() == Some(claim);
            return Err(if is_same {
                NetworkRefusal::CreatedBefore(Box::new(earlier.clone()))
            } else {
                NetworkRefusal::OtherRequest
            });
        }
    }
    if listed.iter().any(|allowed| allowed.network == entry.network) {
        return Err(NetworkRefusal::AlreadyListed);
    }
    if listed.is_empty() && !covers_caller {
        return Err(NetworkRefusal::LocksOutCaller);
    }
    if listed.len() >= *max {
        return Err(NetworkRefusal::TooMany(*max));
    }
    Ok(listed.iter().chain([entry]).cloned().collect())
}

/// Decides to remove a network. The remaining networks must contain the address of the caller. Therefore the last
/// network can't be removed, although a client without networks may call from anywhere.
///
/// ```
/// use florin_domain::access::{AllowedNetwork, NetworkRefusal, decide_remove_network};
/// use florin_domain::test_support::CLIENT;
///
/// let listed = [AllowedNetwork::of_operator(CLIENT, "192.0.2.0/24".into())];
/// assert_eq!(decide_remove_network(&listed, listed[0].id, |_| true), Err(NetworkRefusal::LocksOutCaller));
/// ```
pub fn decide_remove_network(
    listed: &[AllowedNetwork],
    id: NetworkId,
    covers_caller: impl Fn(&AllowedNetwork) -> bool,
) -> Result<Vec<AllowedNetwork>, NetworkRefusal> {
    let left: Vec<_> = listed.iter().filter(|network| network.id != id).cloned().collect();
    if left.len() == listed.len() {
        return Err(NetworkRefusal::Absent);
    }
    if left.iter().any(covers_caller) { Ok(left) } else { Err(NetworkRefusal::LocksOutCaller) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::CLIENT;

    fn entry(network: &str) -> AllowedNetwork {
        AllowedNetwork::of_operator(CLIENT, network.to_owned())
    }

    fn claimed(network: &str, key: &str, request: &str) -> AllowedNetwork {
        let claim = CreationClaim { key: key.to_owned(), request: request.to_owned() };
        AllowedNetwork { claim: Some(claim), ..entry(network) }
    }

    fn add(
        listed: &[AllowedNetwork],
        entry: AllowedNetwork,
        covers_caller: bool,
    ) -> Result<Vec<AllowedNetwork>, NetworkRefusal> {
        decide_add_network(listed, &NewNetwork { entry, covers_caller, max: 2 })
    }

    #[test]
    fn the_first_network_must_cover_the_caller() {
        assert_eq!(add(&[], entry("a"), false), Err(NetworkRefusal::LocksOutCaller));
        let one = add(&[], entry("a"), true).unwrap();
        let two = add(&one, entry("b"), false).unwrap();
        assert_eq!(two, [entry("a"), entry("b")]);
        assert_eq!(add(&two, entry("c"), true), Err(NetworkRefusal::TooMany(2)));
        assert_eq!(add(&two, entry("a"), true), Err(NetworkRefusal::AlreadyListed));
    }

    #[test]
    fn a_repeated_request_adds_one_network() {
        let one = add(&[], claimed("a", "k", "r"), true).unwrap();
        let again = Err(NetworkRefusal::CreatedBefore(Box::new(one[0].clone())));
        assert_eq!(add(&one, claimed("a", "k", "r"), false), again);
        assert_eq!(add(&one, claimed("b", "k", "s"), true), Err(NetworkRefusal::OtherRequest));
        assert_eq!(add(&one, claimed("b", "l", "r"), true).map(|listed| listed.len()), Ok(2));
    }

    #[test]
    fn the_only_network_of_the_caller_cannot_be_removed() {
        let listed = [entry("a"), entry("b"), entry("c")];
        let covered_by =
            |covering: &'static [&str]| move |listed: &AllowedNetwork| covering.contains(&listed.network.as_str());
        assert_eq!(
            decide_remove_network(&listed, entry("a").id, covered_by(&["a"])),
            Err(NetworkRefusal::LocksOutCaller)
        );
        let left = decide_remove_network(&listed, entry("a").id, covered_by(&["a", "c"])).unwrap();
        assert_eq!(left, [entry("b"), entry("c")]);
        assert_eq!(decide_remove_network(&listed, entry("d").id, covered_by(&["a"])), Err(NetworkRefusal::Absent));
        assert_eq!(
            decide_remove_network(&listed[..1], entry("a").id, covered_by(&["a"])),
            Err(NetworkRefusal::LocksOutCaller)
        );
    }

    #[test]
    fn ids_are_derived_from_client_and_network() {
        assert_eq!(entry("a").id, entry("a").id);
        assert_ne!(entry("a").id, entry("b").id);
        assert_ne!(entry("a").id, AllowedNetwork::of_operator(ClientId(Uuid::nil()), "a".into()).id);
        assert_eq!((entry("a").id.0.get_version_num(), entry("a").id.0.get_variant()), (8, uuid::Variant::RFC4122));
    }
}

//! The links of hash chains as columns.

use super::errors::{Outcome, corrupt};
use super::types::Bytes;
use florin_domain::ledger::{Link, LinkHash};

/// Reads a link. Without a hash it is the start of its chain.
pub(crate) fn link(number: i64, hash: Option<&Bytes>) -> Outcome<Link> {
    let Some(Bytes(hash)) = hash else { return Ok(Link::default()) };
    let hash =
        <[u8; 32]>::try_from(hash.as_slice()).map_err(|_| corrupt("a hash of the journal has a wrong length"))?;
    Ok(Link { number, hash: LinkHash(hash) })
}

/// Returns the column of the hash of a link; null for the start of a chain.
pub(crate) fn hash_column(link: Link) -> Option<Bytes> {
    (link != Link::default()).then(|| Bytes(link.hash.0.to_vec()))
}

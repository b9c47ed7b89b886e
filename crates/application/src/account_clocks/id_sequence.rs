//! Generation of ids, at random or from a seed.

use chrono::{DateTime, Utc};
use florin_domain::world::WorldSeed;
use florin_ports::IdSource;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use uuid::Uuid;

/// The source of the ids of a request.
#[derive(Clone)]
pub(super) enum IdSequence {
    /// Random ids.
    Random(Arc<dyn IdSource>),
    /// Ids from the seed of a world and the number of a request.
    Numbered { seed: WorldSeed, number: u64 },
    /// Ids from a hash of the seed of a world and the cause of the work.
    Caused { cause_hash: [u8; 32] },
}

impl IdSequence {
    pub(super) const fn numbered(seed: WorldSeed, number: u64) -> Self {
        Self::Numbered { seed, number }
    }

    pub(super) fn caused(seed: WorldSeed, cause: &[&[u8]]) -> Self {
        let parts: Vec<&[u8]> = [&seed.0[..]].into_iter().chain(cause.iter().copied()).collect();
        Self::Caused { cause_hash: hashed(&parts) }
    }

    /// Returns the id at a position within the request.
    pub(super) fn id(&self, now: DateTime<Utc>, place: u32) -> Uuid {
        match self {
            Self::Random(ids) => ids.next_id(),
            Self::Numbered { seed, number } => {
                let hash_bits = low_bits(&hashed(&[b"id", &seed.0, &number.to_be_bytes(), &place.to_be_bytes()]), 26);
                // Sorts by request, then by position: 28 bits for requests, 20 bits for positions.
                let order = (u128::from(*number) & ((1 << 28) - 1)) << 20 | (u128::from(place) & ((1 << 20) - 1));
                version_8(now, order << 26 | hash_bits)
            }
            Self::Caused { cause_hash } => {
                version_8(now, low_bits(&hashed(&[b"id", cause_hash, &place.to_be_bytes()]), 74))
            }
        }
    }
}

/// Returns the SHA-256 of all parts. Each part is preceded by its length, so that no two lists give the same input.
pub(crate) fn hashed(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

fn low_bits(hash: &[u8; 32], bits: u32) -> u128 {
    let mut number = [0; 16];
    number.copy_from_slice(&hash[..16]);
    u128::from_be_bytes(number) & ((1 << bits) - 1)
}

/// Builds a UUID of version 8 (RFC 9562): the milliseconds of the account's time, as in version 7, then 74 bits.
fn version_8(now: DateTime<Utc>, bits: u128) -> Uuid {
    let millis = u128::from(now.timestamp_millis().max(0).unsigned_abs()) & ((1 << 48) - 1);
    let (high, low) = (bits >> 62 & 0xfff, bits & ((1 << 62) - 1));
    Uuid::from_u128(millis << 80 | 0x8 << 76 | high << 64 | 0b10 << 62 | low)
}

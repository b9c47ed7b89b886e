//! Rotation of keys: a new key replaces the old one, which expires after an overlap.

use super::ApiKey;
use crate::ids::ApiKeyId;
use chrono::{DateTime, TimeDelta, Utc};

/// A key expires soon if it expires within this time.
pub const EXPIRES_SOON: TimeDelta = TimeDelta::days(14);

/// A rotation of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRotation {
    /// The new key. It has the same scopes and accounts as the old one.
    pub successor: ApiKey,
    /// When the old key expires.
    pub ends_at: DateTime<Utc>,
}

/// Reasons to refuse a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RotateRefusal {
    /// The key was revoked.
    #[error("is revoked")]
    Revoked,
    /// The key has expired.
    #[error("has expired")]
    Expired,
    /// A rotation has already replaced the key.
    #[error("was already replaced by key {0}: rotate that one, or revoke both and issue a new key")]
    Replaced(ApiKeyId),
    /// The successor would expire before the old key, which would stay valid until this time.
    #[error("would stay valid until {0}, so its successor must not expire before that")]
    SuccessorEndsFirst(DateTime<Utc>),
}

impl ApiKey {
    /// Decides a rotation. The successor has the client, environment, scopes and accounts of this key. It expires at
    /// `expires_at`; by default it has the same lifetime as this key. This key expires after the overlap, or at its own
    /// expiry if that is earlier.
    ///
    /// ```
    /// use chrono::{DateTime, TimeDelta};
    /// use florin_domain::access::RotateRefusal;
    /// use florin_domain::ids::ApiKeyId;
    /// use florin_domain::test_support::an_api_key;
    ///
    /// let (now, day) = (DateTime::UNIX_EPOCH + TimeDelta::days(80), TimeDelta::days(1));
    /// let mut key = an_api_key(DateTime::UNIX_EPOCH);
    /// key.expires_at = Some(DateTime::UNIX_EPOCH + TimeDelta::days(90));
    /// let successor = ApiKeyId(uuid::Uuid::from_u128(9));
    /// let rotation = key.rotate(successor, now, day, None).unwrap();
    /// assert_eq!(rotation.ends_at, now + day);
    /// assert_eq!(rotation.successor.expires_at, Some(now + TimeDelta::days(90)));
    /// assert_eq!(rotation.successor.scopes, key.scopes);
    ///
    /// key.revoked_at = Some(now);
    /// assert_eq!(key.rotate(successor, now, day, None), Err(RotateRefusal::Revoked));
    /// ```
    pub fn rotate(
        &self,
        id: ApiKeyId,
        now: DateTime<Utc>,
        overlap: TimeDelta,
        expires_at: Option<DateTime<Utc>>,
    ) -> Result<KeyRotation, RotateRefusal> {
        if self.revoked_at.is_some() {
            return Err(RotateRefusal::Revoked);
        }
        if self.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(RotateRefusal::Expired);
        }
        if let Some(successor) = self.replaced_by {
            return Err(RotateRefusal::Replaced(successor));
        }
        let after_overlap = now.checked_add_signed(overlap).unwrap_or(now);
        let ends_at = self.expires_at.map_or(after_overlap, |end| end.min(after_overlap));
        let same_lifetime = || self.expires_at.map(|end| now.checked_add_signed(end - self.created_at).unwrap_or(end));
        let successor = Self {
            id,
            created_at: now,
            expires_at: expires_at.or_else(same_lifetime),
            last_used_at: None,
            ..self.clone()
        };
        match successor.expires_at {
            Some(end) if end < ends_at => Err(RotateRefusal::SuccessorEndsFirst(ends_at)),
            _ => Ok(KeyRotation { successor, ends_at }),
        }
    }

    /// Returns whether the key is valid, was not rotated, and expires within [`EXPIRES_SOON`].
    pub fn expires_soon(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none()
            && self.replaced_by.is_none()
            && self.expires_at.is_some_and(|end| now < end && end <= now + EXPIRES_SOON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::an_api_key;
    use uuid::Uuid;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn key(expires_in: Option<TimeDelta>) -> ApiKey {
        ApiKey { expires_at: expires_in.map(|time| NOW + time), ..an_api_key(NOW) }
    }

    #[test]
    fn a_rotated_key_never_lives_longer_than_before() {
        let rotate = |key: ApiKey, expires_at| key.rotate(ApiKeyId(Uuid::nil()), NOW, TimeDelta::hours(24), expires_at);
        let hour = TimeDelta::hours(1);
        assert_eq!(rotate(key(Some(hour)), None).unwrap().ends_at, NOW + hour);
        assert_eq!(rotate(key(None), None).unwrap().ends_at, NOW + TimeDelta::hours(24));
        assert_eq!(rotate(key(None), None).unwrap().successor.expires_at, None);
        let given = rotate(key(Some(hour)), Some(NOW + hour * 9)).unwrap();
        assert_eq!(given.successor.expires_at, Some(NOW + hour * 9));
        assert_eq!(rotate(key(Some(TimeDelta::zero())), None), Err(RotateRefusal::Expired));
        let too_soon = rotate(key(Some(hour)), Some(NOW + hour / 2));
        assert_eq!(too_soon, Err(RotateRefusal::SuccessorEndsFirst(NOW + hour)));
        let replaced = ApiKey { replaced_by: Some(ApiKeyId(Uuid::nil())), ..key(None) };
        assert_eq!(rotate(replaced.clone(), None), Err(RotateRefusal::Replaced(ApiKeyId(Uuid::nil()))));
        assert!(!ApiKey { expires_at: Some(NOW + hour), ..replaced }.expires_soon(NOW));
        let farthest = ApiKey { expires_at: Some(DateTime::<Utc>::MAX_UTC), ..key(None) };
        assert!(rotate(farthest, None).is_ok());
    }

    #[test]
    fn only_valid_keys_expire_soon() {
        assert!(key(Some(EXPIRES_SOON)).expires_soon(NOW));
        assert!(!key(Some(EXPIRES_SOON + TimeDelta::seconds(1))).expires_soon(NOW));
        assert!(!key(Some(TimeDelta::zero())).expires_soon(NOW));
        assert!(!key(None).expires_soon(NOW));
        assert!(!ApiKey { revoked_at: Some(NOW), ..key(Some(TimeDelta::days(1))) }.expires_soon(NOW));
    }
}

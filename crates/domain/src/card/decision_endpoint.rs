//! Decision endpoints of accounts.

use super::Fallback;
use crate::ids::AccountId;
use crate::secret::SealedSecret;
use crate::webhook::{ShownOnce, WebhookUrl};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// The time limit for the reply of an endpoint: 100 to 5,000 ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTime(u16);

impl DecisionTime {
    /// The shortest time, in milliseconds.
    pub const MIN: u16 = 100;
    /// The longest time, in milliseconds.
    pub const MAX: u16 = 5_000;
    /// The default: two seconds.
    pub const DEFAULT: Self = Self(2_000);

    /// Creates a time. `None` if it is out of range.
    pub const fn of_millis(millis: i64) -> Option<Self> {
        if millis >= Self::MIN as i64 && millis <= Self::MAX as i64 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in the range")]
            return Some(Self(millis as u16));
        }
        None
    }

    /// The number of milliseconds.
    pub const fn millis(self) -> u16 {
        self.0
    }

    /// The time.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0 as u64)
    }
}

/// The settings of an endpoint, as its account chooses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointSettings {
    /// The URL to which questions are sent.
    pub url: WebhookUrl,
    /// Whether the endpoint is asked.
    pub enabled: bool,
    /// The time limit for its reply.
    pub time_limit: DecisionTime,
    /// The outcome of a message on which the endpoint does not decide.
    pub fallback: Fallback,
}

/// The decision endpoint of an account: the server that decides on its card messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionEndpoint {
    /// The account.
    pub account: AccountId,
    /// The settings that the account chose.
    pub settings: EndpointSettings,
    /// The secrets that sign the questions, encrypted: the current one, and during an overlap the previous one.
    pub secrets: SealedSecret,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// The result of a change to an account's endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointChange {
    /// The endpoint after the change. `None` if it was removed.
    pub endpoint: Option<DecisionEndpoint>,
    /// Whether the signing secret is new. The response shows a new secret once.
    pub has_new_secret: bool,
}

/// Reasons to refuse a change of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointRefusal {
    /// The account has no endpoint.
    Absent,
    /// Another request has changed the secrets in the meantime.
    Changed,
    /// A retry of a request that succeeded. Its response contained a secret, which is not shown again.
    ShownOnce,
}

impl From<ShownOnce> for EndpointRefusal {
    fn from(ShownOnce: ShownOnce) -> Self {
        Self::ShownOnce
    }
}

/// Creates or changes the endpoint of an account. A new endpoint uses the given secrets, an existing one keeps its own.
pub fn put_endpoint(current: Option<&DecisionEndpoint>, new: &DecisionEndpoint) -> EndpointChange {
    let endpoint = match current {
        None => new.clone(),
        Some(current) => {
            DecisionEndpoint { secrets: current.secrets.clone(), created_at: current.created_at, ..new.clone() }
        }
    };
    EndpointChange { endpoint: Some(endpoint), has_new_secret: current.is_none() }
}

/// Removes the endpoint of an account.
pub fn remove_endpoint(current: Option<&DecisionEndpoint>) -> Result<EndpointChange, EndpointRefusal> {
    current.ok_or(EndpointRefusal::Absent)?;
    Ok(EndpointChange { endpoint: None, has_new_secret: false })
}

/// Replaces the secrets of an endpoint. Refuses if its current secrets no longer equal `seen`.
pub fn rotate_endpoint(
    current: Option<&DecisionEndpoint>,
    (seen, new): (&SealedSecret, &SealedSecret),
    now: DateTime<Utc>,
) -> Result<EndpointChange, EndpointRefusal> {
    let current = current.ok_or(EndpointRefusal::Absent)?;
    if current.secrets != *seen {
        return Err(EndpointRefusal::Changed);
    }
    let endpoint = DecisionEndpoint { secrets: new.clone(), updated_at: now, ..current.clone() };
    Ok(EndpointChange { endpoint: Some(endpoint), has_new_secret: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn endpoint(url: &str, secret: u8, at: DateTime<Utc>) -> DecisionEndpoint {
        DecisionEndpoint {
            account: AccountId::parse("F1").unwrap(),
            settings: EndpointSettings {
                url: WebhookUrl::stored(url.to_owned()),
                enabled: true,
                time_limit: DecisionTime::DEFAULT,
                fallback: Fallback::Decline,
            },
            secrets: SealedSecret::new(vec![secret]),
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn times_are_bounded() {
        assert_eq!(DecisionTime::of_millis(100).map(DecisionTime::millis), Some(100));
        assert_eq!(DecisionTime::of_millis(5_000).map(DecisionTime::duration), Some(Duration::from_secs(5)));
        for wrong in [i64::MIN, -1, 0, 99, 5_001, 65_636, i64::MAX] {
            assert_eq!(DecisionTime::of_millis(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_changed_endpoint_keeps_its_secrets() {
        let later = NOW + TimeDelta::hours(1);
        let first = put_endpoint(None, &endpoint("https://a.example", 1, NOW));
        assert_eq!(
            first,
            EndpointChange { endpoint: Some(endpoint("https://a.example", 1, NOW)), has_new_secret: true }
        );
        let second = put_endpoint(first.endpoint.as_ref(), &endpoint("https://b.example", 2, later));
        let expected = DecisionEndpoint { updated_at: later, ..endpoint("https://b.example", 1, NOW) };
        assert_eq!(second, EndpointChange { endpoint: Some(expected), has_new_secret: false });
    }

    #[test]
    fn a_rotation_needs_the_current_secrets() {
        let [old, new] = [1, 2].map(|byte| SealedSecret::new(vec![byte]));
        let current = endpoint("https://a.example", 1, NOW);
        assert_eq!(rotate_endpoint(None, (&old, &new), NOW), Err(EndpointRefusal::Absent));
        assert_eq!(rotate_endpoint(Some(&current), (&new, &old), NOW), Err(EndpointRefusal::Changed));
        let rotated = rotate_endpoint(Some(&current), (&old, &new), NOW).unwrap();
        assert_eq!(
            rotated,
            EndpointChange { endpoint: Some(endpoint("https://a.example", 2, NOW)), has_new_secret: true }
        );
        assert_eq!(remove_endpoint(None), Err(EndpointRefusal::Absent));
        assert_eq!(remove_endpoint(Some(&current)).map(|change| change.endpoint), Ok(None));
    }
}

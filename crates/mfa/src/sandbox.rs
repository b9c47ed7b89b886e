//! The sandbox's provider, with fixed tokens.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::secret::Secret;
use florin_ports::{MfaProvider, MfaUnavailable};

/// Verifies tokens by script, so that every outcome of a confirmation can be tested without an authenticator.
///
/// `000000` is correct, `000002` expires the session, `000003` locks it, and any other token (such as `000001`) is
/// wrong. Every account counts as enrolled.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxProvider;

impl SandboxProvider {
    /// Creates the provider.
    pub const fn new() -> Self {
        Self
    }
}

#[async_trait]
impl MfaProvider for SandboxProvider {
    fn name(&self) -> MfaProviderName {
        MfaProviderName::Sandbox
    }

    async fn check(&self, _: Option<Secret>, token: &str, _: DateTime<Utc>) -> Result<MfaVerdict, MfaUnavailable> {
        Ok(match token {
            "000000" => MfaVerdict::Correct { step: None },
            "000002" => MfaVerdict::ExpiresSession,
            "000003" => MfaVerdict::LocksSession,
            _ => MfaVerdict::Wrong,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn fixed_tokens_have_fixed_outcomes() {
        for (token, verdict) in [
            ("000000", MfaVerdict::Correct { step: None }),
            ("000001", MfaVerdict::Wrong),
            ("000002", MfaVerdict::ExpiresSession),
            ("000003", MfaVerdict::LocksSession),
            ("000004", MfaVerdict::Wrong),
            ("0", MfaVerdict::Wrong),
            (" 000000", MfaVerdict::Wrong),
            ("", MfaVerdict::Wrong),
        ] {
            let answer = SandboxProvider::new().check(None, token, DateTime::UNIX_EPOCH).await;
            assert_eq!(answer, Ok(verdict), "{token:?}");
        }
    }
}

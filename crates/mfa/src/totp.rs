//! TOTP, the time-based one-time passwords of RFC 6238.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::secret::Secret;
use florin_ports::{MfaProvider, MfaUnavailable};
use totp_rs::{Algorithm, Builder, Totp};

/// Length of a time step, in seconds.
const STEP: u64 = 30;
/// Number of digits of a token.
const DIGITS: u8 = 6;
/// Number of steps that a token may be early or late.
const WINDOW: u64 = 1;

/// Verifies TOTP tokens: SHA-1, 6 digits, steps of 30 seconds, one step early or late.
///
/// Every authenticator app supports these parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct TotpProvider;

impl TotpProvider {
    /// Creates the provider.
    pub const fn new() -> Self {
        Self
    }
}

#[async_trait]
impl MfaProvider for TotpProvider {
    fn name(&self) -> MfaProviderName {
        MfaProviderName::Totp
    }

    async fn check(
        &self,
        secret: Option<Secret>,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<MfaVerdict, MfaUnavailable> {
        let Some(secret) = secret else { return Ok(MfaVerdict::Wrong) };
        let totp = Builder::new()
            .with_algorithm(Algorithm::SHA1)
            .with_digits(DIGITS)
            .with_step_duration(STEP)
            .with_skew(0)
            .with_secret(secret.expose())
            .build()
            .map_err(|error| MfaUnavailable(format!("the stored secret is invalid: {error}")))?;
        let step = u64::try_from(now.timestamp()).ok().and_then(|seconds| matching_step(&totp, token, seconds / STEP));
        Ok(step.map_or(MfaVerdict::Wrong, |step| MfaVerdict::Correct { step: Some(step) }))
    }
}

/// Finds the latest step of the window that the token matches.
///
/// Each comparison takes constant time, and every step is compared even if another one matched, so that the duration
/// reveals nothing. A token that is not six ASCII digits matches no step.
fn matching_step(totp: &Totp, token: &str, current: u64) -> Option<i64> {
    let mut found = None;
    for step in current.saturating_sub(WINDOW)..=current.saturating_add(WINDOW) {
        if totp.check(token, step.saturating_mul(STEP)).is_some() {
            found = Some(step);
        }
    }
    found.and_then(|step| i64::try_from(step).ok())
}

/// Encodes a secret in base 32 (RFC 4648, upper case, no padding), the form that users type into authenticator apps.
pub fn base32_secret(secret: &Secret) -> String {
    totp_rs::Secret::from(secret.expose()).to_base32()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B.
    const RFC_SECRET: &[u8] = b"12345678901234567890";
    /// The test vectors of that appendix for SHA-1: times in seconds since 1970, and the last six digits of the tokens.
    const VECTORS: [(i64, &str); 6] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];

    async fn check(token: &str, seconds: i64) -> MfaVerdict {
        let secret = Some(Secret::new(RFC_SECRET.to_vec()));
        TotpProvider::new().check(secret, token, DateTime::from_timestamp(seconds, 0).unwrap()).await.unwrap()
    }

    fn correct(step: i64) -> MfaVerdict {
        MfaVerdict::Correct { step: Some(step) }
    }

    #[tokio::test]
    async fn the_rfc_test_vectors_pass() {
        for (seconds, token) in VECTORS {
            assert_eq!(check(token, seconds).await, correct(seconds / 30), "{seconds}");
        }
    }

    #[tokio::test]
    async fn the_window_is_one_step_in_both_directions() {
        // Step 37037036 lasts from 1111111080 to 1111111109.
        for seconds in [1_111_111_050, 1_111_111_080, 1_111_111_109, 1_111_111_110, 1_111_111_139] {
            assert_eq!(check("081804", seconds).await, correct(37_037_036), "{seconds}");
        }
        for seconds in [1_111_111_049, 1_111_111_140, 0, -1] {
            assert_eq!(check("081804", seconds).await, MfaVerdict::Wrong, "{seconds}");
        }
    }

    #[tokio::test]
    async fn the_first_step_and_an_impossible_time_do_not_panic() {
        assert_eq!(check("755224", 0).await, correct(0));
        assert_eq!(check("287082", 0).await, correct(1));
        let secret = Some(Secret::new(RFC_SECRET.to_vec()));
        let far = TotpProvider::new().check(secret, "000000", DateTime::<Utc>::MAX_UTC).await;
        assert!(far.is_ok());
    }

    #[tokio::test]
    async fn only_six_ascii_digits_can_match() {
        for token in
            ["", "28708", "0287082", "+87082", " 287082", "287082 ", "28708２", "２８７０８２", "28708a", "94287082"]
        {
            assert_eq!(check(token, 59).await, MfaVerdict::Wrong, "{token:?}");
        }
        assert_eq!(check("287083", 59).await, MfaVerdict::Wrong);
    }

    #[tokio::test]
    async fn without_a_secret_every_token_is_wrong() {
        let at = DateTime::from_timestamp(59, 0).unwrap();
        assert_eq!(TotpProvider::new().check(None, "287082", at).await, Ok(MfaVerdict::Wrong));
    }

    #[tokio::test]
    async fn a_secret_that_is_too_short_is_an_error_not_a_wrong_token() {
        let at = DateTime::from_timestamp(59, 0).unwrap();
        let answer = TotpProvider::new().check(Some(Secret::new(vec![1; 15])), "287082", at).await;
        let MfaUnavailable(reason) = answer.unwrap_err();
        assert!(reason.starts_with("the stored secret is invalid"), "{reason}");
    }

    #[test]
    fn base_32_has_no_padding() {
        let base32 = |bytes: &[u8]| base32_secret(&Secret::new(bytes.to_vec()));
        assert_eq!(base32(RFC_SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(base32(b"foob"), "MZXW6YQ");
        assert_eq!(base32(b""), "");
    }
}

//! `/v2/mfa`

pub(crate) mod open_session;

use crate::extract::json::Json;
use crate::extract::members::string;
use florin_domain::access::Environment;
use florin_domain::fault::Flaw;
use florin_domain::mfa::MfaProviderName;

/// The name of a provider of this environment.
pub(super) fn provider(value: &Json, environment: Environment) -> Result<MfaProviderName, Flaw> {
    MfaProviderName::parse(string(value)?, environment)
        .ok_or_else(|| Flaw::value("There is no such MFA provider here."))
}

//! The HTTP client that connects to checked addresses only.

use crate::failure::reason;
use crate::lookups::{Lookups, on_behalf_of};
use crate::names::NameLookup;
use crate::resolver::CheckedNames;
use florin_domain::ids::ClientId;
use florin_domain::webhook::{SendError, TargetPolicy, check_target};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Time for which an idle connection is kept open. Receivers close idle connections after five seconds or more.
const IDLE: Duration = Duration::from_secs(4);

/// The certificate authorities that may sign receivers' certificates.
#[derive(Clone, Debug, Default)]
pub enum TrustedRoots {
    /// The authorities that the machine trusts: its certificate store, or `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    #[default]
    Machine,
    /// Only these authorities.
    Given(Vec<CertificateDer<'static>>),
}

/// Settings of an HTTP client that sends requests to receivers.
pub struct SenderSettings {
    /// The addresses that receivers may have.
    pub policy: TargetPolicy,
    /// Looks up the addresses of host names.
    pub names: Arc<dyn NameLookup>,
    /// The certificate authorities that may sign receivers' certificates.
    pub roots: TrustedRoots,
    /// Maximum time for connecting, sending and the headers of the response together.
    pub time_limit: Duration,
}

/// The reason that a sender, or a reader of a stream, could not be created.
#[derive(Debug)]
pub struct SenderError(String);

impl SenderError {
    pub(crate) const fn new(reason: String) -> Self {
        Self(reason)
    }
}

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SenderError {}

/// Sends JSON to addresses that the policy allows, and to no others.
pub(crate) struct GuardedClient {
    client: Client,
    policy: Arc<TargetPolicy>,
    time_limit: Duration,
}

impl GuardedClient {
    /// Creates the HTTP client. Reads the certificate authorities of the machine. `max_lookups` is the maximum number
    /// of concurrent lookups of host names on behalf of one client of the API.
    pub(crate) fn new(settings: SenderSettings, max_lookups: usize) -> Result<Self, SenderError> {
        let policy = Arc::new(settings.policy);
        let names = CheckedNames { lookups: Lookups::new(settings.names, max_lookups), policy: Arc::clone(&policy) };
        let client = Client::builder()
            .tls_backend_preconfigured(tls(settings.roots)?)
            .dns_resolver(Arc::new(names))
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("Florin/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| SenderError(error.to_string()))?;
        Ok(Self { client, policy, time_limit: settings.time_limit })
    }

    /// Posts JSON, without retries. `client` is the client of the API on whose behalf the request is sent, if it is
    /// known. Returns the response as soon as its headers are complete.
    pub(crate) async fn post(
        &self,
        url: &str,
        mut headers: HeaderMap,
        json: String,
        client: Option<ClientId>,
    ) -> Result<Response, SendError> {
        // For an IP literal, the HTTP client does not ask the resolver. So the URL is checked here.
        check_target(url, &self.policy).map_err(|_| SendError::TargetNotAllowed)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sending = on_behalf_of(client, self.client.post(url).headers(headers).body(json).send());
        match timeout(self.time_limit, sending).await {
            Ok(response) => response.map_err(|error| reason(&error)),
            Err(_) => Err(SendError::Timeout),
        }
    }
}

/// The configuration of TLS, with HTTP/1.1 only.
pub(crate) fn tls(roots: TrustedRoots) -> Result<ClientConfig, SenderError> {
    let certificates = match roots {
        TrustedRoots::Given(certificates) => certificates,
        TrustedRoots::Machine => {
            let found = rustls_native_certs::load_native_certs();
            if found.certs.is_empty() {
                tracing::warn!("no certificate authorities were found: requests to https URLs will fail");
            }
            found.certs
        }
    };
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(certificates);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SenderError(error.to_string()))?;
    let mut config = config.with_root_certificates(store).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

//! Settings. Precedence: flag, `FLORIN_*` variable, `florin.toml`, default.
//!
//! An invalid value stops the program, whatever its source.

mod cells;
mod listen;
mod read;
mod sources;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use sources::{KEYS, WITHOUT_FLAG};

pub(crate) use cells::CellSetting;
pub(crate) use listen::{AdminListen, Listen};

use crate::usage::UsageError;
use chrono::TimeDelta;
use florin_application::WORLD_LIFETIME;
use florin_domain::access::{Environment, MAX_NETWORKS};
use florin_domain::budget::MAX_BUDGETS;
use florin_domain::card::MAX_CARDS;
use florin_domain::merchant::{MAX_CHECKOUTS, MAX_PAYEES};
use florin_domain::people::MAX_PEOPLE;
use florin_domain::webhook::RetrySchedule;
use florin_secret_cipher::SecretKey;
use ipnet::IpNet;
pub(crate) use read::{has_password, without_password};
use secrecy::SecretString;
pub(crate) use sources::variable;
use sources::{Sources, Texts};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;
use tracing_subscriber::filter::Targets;

/// The format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines of text, for people.
    Text,
    /// One JSON object per line, for programs.
    Json,
}

/// The settings given on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandLineSettings {
    /// The flags: names and values of settings, unparsed.
    pub(crate) flags: Vec<(&'static str, String)>,
    /// The file to read instead of `florin.toml`.
    pub(crate) file: Option<PathBuf>,
}

/// A value with its source: a flag, variable or file.
#[derive(Clone)]
pub(crate) struct Sourced<T> {
    /// The value.
    pub(crate) value: T,
    /// The name of its source, for messages.
    pub(crate) source: String,
}

/// Shows only the value, so that settings from different sources print the same.
impl<T: fmt::Debug> fmt::Debug for Sourced<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// All settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The environment, if given. Otherwise the server serves a sandbox, and other commands use the store's
    /// environment.
    pub(crate) environment: Option<Sourced<Environment>>,
    /// The URL of the store. It may hold a password, so it is not printed.
    pub(crate) database_url: Sourced<SecretString>,
    /// The cells beside the home. Empty: all clients are in the store of `database_url`.
    pub(crate) cells: Vec<CellSetting>,
    /// The key that encrypts secrets.
    pub(crate) secret_key: Option<Sourced<SecretKey>>,
    /// The previous key, which decrypts secrets during a rotation.
    pub(crate) secret_key_previous: Option<Sourced<SecretKey>>,
    /// The address at which the server listens.
    pub(crate) listen: Listen,
    /// The separate address on which the server serves health and metrics.
    pub(crate) admin_listen: AdminListen,
    /// The URL that callers use, without a trailing slash. `None`: the address that the server listens on.
    pub(crate) public_url: Option<String>,
    /// The origins whose web pages may call the API.
    pub(crate) cors_origins: Vec<String>,
    /// The log filter; `None` for the command's default.
    pub(crate) log: Option<Targets>,
    /// The format of logs.
    pub(crate) log_format: LogFormat,
    /// Whether `GET /metrics` is served.
    pub(crate) metrics: bool,
    /// Maximum number of requests per second of one client; `None` for no limit.
    pub(crate) rate_limit: Option<NonZeroU32>,
    /// Maximum number of open connections.
    pub(crate) max_connections: usize,
    /// Maximum number of open connections of one address.
    pub(crate) max_connections_per_address: usize,
    /// Maximum number of concurrent API requests.
    pub(crate) max_in_flight: usize,
    /// Number of threads that serve requests.
    pub(crate) workers: usize,
    /// Time in which the server accepts requests after a stop signal, while `/readyz` reports 503.
    pub(crate) drain: Duration,
    /// Time that requests in progress have to finish when the server stops.
    pub(crate) shutdown: Duration,
    /// Time for which address lookups are cached; zero disables the cache.
    pub(crate) postcode_cache: Duration,
    /// Time for which idempotency records are kept.
    pub(crate) idempotency: TimeDelta,
    /// Time for which events are kept.
    pub(crate) events: TimeDelta,
    /// The lifetime of worlds.
    pub(crate) world_lifetime: TimeDelta,
    /// Maximum number of budgets of an account.
    pub(crate) max_budgets: u64,
    /// Maximum number of cards of an account.
    pub(crate) max_cards: u64,
    /// Maximum number of people of an account.
    pub(crate) max_people: u64,
    /// Maximum number of checkouts of an account.
    pub(crate) max_checkouts: u64,
    /// Maximum number of payees of an account.
    pub(crate) max_payees: u64,
    /// Maximum number of networks of a client when a caller adds one. The operator can add more.
    pub(crate) max_networks: usize,
    /// Private networks that receivers of webhooks may be in.
    pub(crate) webhook_networks: Vec<IpNet>,
    /// The delays between attempts to deliver an event.
    pub(crate) webhook_retries: RetrySchedule,
    /// The folder with Vocalink's tables of sort codes; `None` for a few built-in ranges.
    pub(crate) sort_codes: Option<Sourced<PathBuf>>,
    /// Warnings about harmless problems, for the log.
    pub(crate) warnings: Vec<String>,
}

impl Settings {
    /// Loads the settings from the command line, the environment variables and the file.
    pub(crate) fn load(given: &CommandLineSettings) -> Result<Self, UsageError> {
        let sources = Sources::gather(given.clone(), std::env::vars_os())?;
        Self::from_texts(&sources.merge()?, sources.warnings())
    }

    /// The base URL of the API of a server that listens on this address.
    pub(crate) fn base_url(&self, listen: SocketAddr) -> String {
        format!("{}/v2", self.root_url(listen))
    }

    /// The base URL of a server that listens on this address. For a server on all addresses it uses the local host.
    pub(crate) fn root_url(&self, listen: SocketAddr) -> String {
        if let Some(public_url) = &self.public_url {
            return public_url.clone();
        }
        let address = match listen.ip() {
            IpAddr::V4(address) if address.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(address) if address.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            address => address,
        };
        format!("http://{}", SocketAddr::new(address, listen.port()))
    }

    /// The base URL of the API of a future server with these settings.
    pub(crate) fn expected_base_url(&self) -> String {
        match (&self.listen, &self.public_url) {
            (Listen::Address(address), _) => self.base_url(*address),
            (_, Some(public_url)) => format!("{public_url}/v2"),
            (name @ Listen::Name(..), None) => format!("http://{name}/v2"),
        }
    }

    fn from_texts(texts: &Texts, mut warnings: Vec<String>) -> Result<Self, UsageError> {
        warnings.extend(texts.passwords_in_arguments());
        let cores = available_parallelism().map_or(1, usize::from);
        let webhook_retries = retries(texts)?;
        let database_url = texts.database_url()?;
        Ok(Self {
            environment: texts.sourced("environment", Environment::parse, "sandbox or production")?,
            cells: texts.cells(&database_url)?,
            database_url,
            secret_key: texts.secret_key("secret_key", "secret_key_file")?,
            secret_key_previous: texts.secret_key("secret_key_previous", "secret_key_previous_file")?,
            listen: texts.read(
                "listen",
                Listen::Address(SocketAddr::from(([127, 0, 0, 1], 8080))),
                Listen::parse,
                "an address or host name with a port, such as 127.0.0.1:8080 or localhost:8080",
            )?,
            admin_listen: texts.read(
                "admin_listen",
                AdminListen::Default,
                AdminListen::parse,
                "off, or an address or host name with a port, such as 127.0.0.1:8079",
            )?,
            public_url: texts.optional("public_url", read::public_url, "a URL such as https://api.example.com")?,
            cors_origins: texts.read(
                "cors_origins",
                Vec::new(),
                read::origins,
                "origins such as https://app.example.com, separated by commas, without a path or a wildcard",
            )?,
            log: texts.optional(
                "log",
                read::log_filter,
                "off, error, warn, info, debug, trace, or a filter such as info,florin_store_diesel=debug",
            )?,
            log_format: texts.read("log_format", LogFormat::Text, read::log_format, "text or json")?,
            metrics: texts.read("metrics", false, |text| text.parse().ok(), "true or false")?,
            rate_limit: texts.read("rate_limit", None, read::rate_limit, RATE_LIMITS)?,
            max_connections: texts.number("max_connections", 1024, 1..=1_000_000)?,
            max_connections_per_address: texts.number("max_connections_per_address", 512, 1..=1_000_000)?,
            max_in_flight: texts.number("max_in_flight", 4096, 1..=1_000_000)?,
            workers: texts.number("workers", cores.min(256), 1..=256)?,
            drain: texts.seconds("drain_seconds", 0, 0..=3600)?,
            shutdown: texts.seconds("shutdown_seconds", 30, 0..=3600)?,
            postcode_cache: texts.seconds("postcode_cache_seconds", 0, 0..=31_536_000)?,
            idempotency: TimeDelta::hours(texts.number("idempotency_hours", 48, 24..=87_600)?),
            // The last retry of a delivery must still find the stored event.
            events: TimeDelta::days(texts.number("event_days", 30, webhook_retries.days().into()..=3650)?),
            world_lifetime: TimeDelta::hours(texts.number("world_hours", WORLD_LIFETIME.num_hours(), 1..=8760)?),
            max_budgets: texts.number("max_budgets", MAX_BUDGETS, 1..=10_000_000)?,
            max_cards: texts.number("max_cards", MAX_CARDS, 1..=100_000_000)?,
            max_people: texts.number("max_people", MAX_PEOPLE, 1..=10_000_000)?,
            max_checkouts: texts.number("max_checkouts", MAX_CHECKOUTS, 1..=1_000_000)?,
            max_payees: texts.number("max_payees", MAX_PAYEES, 1..=1_000_000)?,
            max_networks: texts.number("max_networks", MAX_NETWORKS, 1..=10_000)?,
            webhook_networks: texts.read(
                "webhook_allowed_networks",
                Vec::new(),
                read::networks,
                "networks such as 172.18.0.0/16, separated by commas",
            )?,
            webhook_retries,
            sort_codes: texts.sourced(
                "sort_codes_folder",
                |text| (!text.is_empty()).then(|| PathBuf::from(text)),
                "a folder with valacdos.txt and scsubtab.txt",
            )?,
            warnings,
        })
    }
}

/// The rate limits that are accepted.
const RATE_LIMITS: &str = "off, or a number of requests per second from 1";

fn retries(texts: &Texts) -> Result<RetrySchedule, UsageError> {
    let parse = |text: &str| RetrySchedule::ALL.into_iter().find(|schedule| schedule.as_str() == text);
    texts.read("webhook_retries", RetrySchedule::Standard, parse, "standard or original")
}

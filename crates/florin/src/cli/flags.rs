//! The flags of the settings.

use crate::settings::CommandLineSettings;
use clap::Args;
use std::path::PathBuf;

/// The help heading of these flags.
pub(super) const HEADING: &str = "Settings";

/// The flags of the settings. They are unparsed: settings are validated in one place, whatever their source.
#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct SettingFlags {
    /// Read this file instead of florin.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The environment: sandbox or production [default: sandbox for serve, init and demo, else the store's]
    #[arg(long, global = true, value_name = "NAME")]
    environment: Option<String>,
    /// The database: `sqlite://FILE` or `postgres://...` [default: `sqlite://florin.db`]
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// A file with the URL of the database, to keep its password out of the process list
    #[arg(long, global = true, value_name = "FILE")]
    database_url_file: Option<String>,
    /// A further database for some clients, with its name; repeatable [default: none]
    #[arg(long, global = true, value_name = "NAME=URL")]
    cells: Vec<String>,
    /// A file with these cells, separated by spaces or lines
    #[arg(long, global = true, value_name = "FILE")]
    cells_file: Option<String>,
    /// A file with the key that encrypts secrets: 64 hexadecimal digits [default: a generated one in a sandbox]
    #[arg(long, global = true, value_name = "FILE")]
    secret_key_file: Option<String>,
    /// A file with the previous key, which a rotation needs
    #[arg(long, global = true, value_name = "FILE")]
    secret_key_previous_file: Option<String>,
    /// Where to listen; port 0 picks a free port [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// Separate address for health and metrics, or off [default: 127.0.0.1:8079 if free]
    #[arg(long, global = true, value_name = "HOST:PORT")]
    admin_listen: Option<String>,
    /// The URL that clients use, if it differs from the listen address
    #[arg(long, global = true, value_name = "URL")]
    public_url: Option<String>,
    /// Origins whose web pages may call the API, such as `https://app.example.com`, separated by commas
    #[arg(long, global = true, value_name = "ORIGINS")]
    cors_origins: Option<String>,
    /// A log level, or a filter such as info,florin=debug [default: info for serve, else warn]
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// The log format: text or json [default: text]
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Serve GET /metrics: true or false [default: false]
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    metrics: Option<String>,
    /// Maximum requests per second of one client, from 1 to 4294967295, or off [default: off]
    #[arg(long, global = true, value_name = "NUMBER")]
    rate_limit: Option<String>,
    /// Maximum number of open connections, from 1 to 1000000; excess ones are refused [default: 1024]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_connections: Option<String>,
    /// Maximum number of open connections of one address, such as that of a proxy, from 1 to 1000000 [default: 512]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_connections_per_address: Option<String>,
    /// Maximum number of concurrent API requests, from 1 to 1000000; excess requests get 503 [default: 4096]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_in_flight: Option<String>,
    /// Maximum number of cards of an account, from 1 to 100000000 [default: 1000000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_cards: Option<String>,
    /// Number of threads that serve requests, from 1 to 256 [default: one per core]
    #[arg(long, global = true, value_name = "NUMBER")]
    workers: Option<String>,
    /// How long to accept requests after a stop signal, while /readyz reports 503, up to 3600 [default: 0]
    #[arg(long, global = true, value_name = "SECONDS")]
    drain_seconds: Option<String>,
    /// Time that requests in progress have to finish when the server stops, up to 3600 [default: 30]
    #[arg(long, global = true, value_name = "SECONDS")]
    shutdown_seconds: Option<String>,
    /// How long address lookups are cached, up to 31536000 (a year); 0 turns the cache off [default: 0]
    #[arg(long, global = true, value_name = "SECONDS")]
    postcode_cache_seconds: Option<String>,
    /// How long idempotency records are kept, from 24 to 87600 [default: 48]
    #[arg(long, global = true, value_name = "HOURS")]
    idempotency_hours: Option<String>,
    /// How long events are kept, from 4 (14 with the original retries of webhooks) to 3650 [default: 30]
    #[arg(long, global = true, value_name = "DAYS")]
    event_days: Option<String>,
    /// Folder with Vocalink's valacdos.txt and scsubtab.txt, to check sort codes and account numbers
    /// [default: a few built-in ranges]
    #[arg(long, global = true, value_name = "FOLDER")]
    sort_codes_folder: Option<String>,
    /// Lifetime of sandbox worlds, from 1 to 8760 [default: 24]
    #[arg(long, global = true, value_name = "HOURS")]
    world_hours: Option<String>,
    /// Maximum number of budgets of an account, from 1 to 10000000 [default: 100000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_budgets: Option<String>,
    /// Maximum number of people of an account, from 1 to 10000000 [default: 100000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_people: Option<String>,
    /// Maximum number of checkouts of an account, from 1 to 1000000 [default: 10000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_checkouts: Option<String>,
    /// Maximum number of payees of an account, from 1 to 1000000 [default: 10000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_payees: Option<String>,
    /// Maximum number of networks of a client when a caller adds one, from 1 to 10000 [default: 1000]
    #[arg(long, global = true, value_name = "NUMBER")]
    max_networks: Option<String>,
    /// Private networks, separated by commas, with receivers of webhooks, such as 172.18.0.0/16 [default: none]
    #[arg(long, global = true, value_name = "NETWORKS")]
    webhook_allowed_networks: Option<String>,
    /// The delays between attempts to deliver an event: standard or original [default: standard]
    #[arg(long, global = true, value_name = "NAME")]
    webhook_retries: Option<String>,
}

impl SettingFlags {
    /// The settings given by flags.
    pub(super) fn given(&self) -> CommandLineSettings {
        let cells = (!self.cells.is_empty()).then(|| self.cells.join(" "));
        let texts = [
            ("environment", &self.environment),
            ("database_url", &self.database_url),
            ("database_url_file", &self.database_url_file),
            ("cells", &cells),
            ("cells_file", &self.cells_file),
            ("secret_key_file", &self.secret_key_file),
            ("secret_key_previous_file", &self.secret_key_previous_file),
            ("listen", &self.listen),
            ("admin_listen", &self.admin_listen),
            ("public_url", &self.public_url),
            ("cors_origins", &self.cors_origins),
            ("log", &self.log),
            ("log_format", &self.log_format),
            ("metrics", &self.metrics),
            ("rate_limit", &self.rate_limit),
            ("max_connections", &self.max_connections),
            ("max_connections_per_address", &self.max_connections_per_address),
            ("max_in_flight", &self.max_in_flight),
            ("max_cards", &self.max_cards),
            ("workers", &self.workers),
            ("drain_seconds", &self.drain_seconds),
            ("shutdown_seconds", &self.shutdown_seconds),
            ("postcode_cache_seconds", &self.postcode_cache_seconds),
            ("idempotency_hours", &self.idempotency_hours),
            ("event_days", &self.event_days),
            ("sort_codes_folder", &self.sort_codes_folder),
            ("world_hours", &self.world_hours),
            ("max_budgets", &self.max_budgets),
            ("max_people", &self.max_people),
            ("max_checkouts", &self.max_checkouts),
            ("max_payees", &self.max_payees),
            ("max_networks", &self.max_networks),
            ("webhook_allowed_networks", &self.webhook_allowed_networks),
            ("webhook_retries", &self.webhook_retries),
        ];
        let given = texts.into_iter().filter_map(|(key, text)| text.clone().map(|text| (key, text)));
        CommandLineSettings { flags: given.collect(), file: self.config.clone() }
    }
}

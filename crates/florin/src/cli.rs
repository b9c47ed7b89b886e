//! The command line.

use crate::commands::{accounts, banks, clients, export, features, import, keys, mfa, migrate};
use crate::settings::Given;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Florin: a money-handling HTTP API that anyone can run.
///
/// Settings come from flags, from FLORIN_* variables, or from florin.toml in the working directory, in that order.
/// Without a command it serves.
#[derive(Debug, Parser)]
#[command(name = "florin", version, about, long_about, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Print the result as one line of JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(flatten)]
    settings: SettingFlags,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API (the default).
    Serve,
    /// Bring the schema of the store up to date.
    Migrate(migrate::Arguments),
    /// Make the demo data, once, and print it (sandbox only).
    Demo,
    /// Prove every balance from the journal.
    Check,
    /// Write everything that is in the store to a file.
    Export(export::Arguments),
    /// Read such a file into an empty store, of any kind.
    Import(import::Arguments),
    /// API clients: who calls.
    #[command(subcommand)]
    Clients(clients::Action),
    /// Accounts: what operations work with.
    #[command(subcommand)]
    Accounts(accounts::Action),
    /// Multi-factor authentication of accounts.
    #[command(subcommand)]
    Mfa(mfa::Action),
    /// API keys of clients.
    #[command(subcommand)]
    Keys(keys::Action),
    /// What is off until it is switched on for a client.
    #[command(subcommand)]
    Features(features::Action),
    /// The bank list.
    #[command(subcommand)]
    Banks(banks::Action),
    /// Addresses of postcodes.
    #[command(subcommand)]
    Addresses(crate::commands::addresses::Action),
    /// Print the OpenAPI description of the API.
    Openapi,
}

/// Flags that mirror the settings. They are texts: settings are judged in one place, wherever they come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings")]
struct SettingFlags {
    /// Read this file in place of florin.toml.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What this process serves: sandbox or production [default: sandbox].
    #[arg(long, global = true, value_name = "NAME")]
    environment: Option<String>,
    /// The URL of the store [default: the file florin.db in the working directory].
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:8080].
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// The address that callers use, where it is not the one listened on.
    #[arg(long, global = true, value_name = "URL")]
    public_url: Option<String>,
    /// What to log: a level, or a filter such as info,florin=debug [default: info to serve, else warn].
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// How to log: text or json [default: text].
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Whether GET /metrics answers: true or false [default: false].
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    metrics: Option<String>,
    /// Requests a second that one client may send: a number, or off [default: off].
    #[arg(long, global = true, value_name = "NUMBER")]
    rate_limit: Option<String>,
    /// Open connections at most [default: 1024].
    #[arg(long, global = true, value_name = "NUMBER")]
    max_connections: Option<String>,
    /// Requests answered at once at most; more are refused [default: 4096].
    #[arg(long, global = true, value_name = "NUMBER")]
    max_in_flight: Option<String>,
    /// Threads that serve requests [default: one a core].
    #[arg(long, global = true, value_name = "NUMBER")]
    workers: Option<String>,
    /// How long running requests may take to end when the server is told to stop [default: 30].
    #[arg(long, global = true, value_name = "SECONDS")]
    shutdown_seconds: Option<String>,
    /// How long address lookups are kept; 0: not at all [default: 0].
    #[arg(long, global = true, value_name = "SECONDS")]
    postcode_cache_seconds: Option<String>,
    /// How long idempotency records are kept, at least 24 [default: 48].
    #[arg(long, global = true, value_name = "HOURS")]
    idempotency_hours: Option<String>,
    /// The folder of Vocalink's tables valacdos.txt and scsubtab.txt, which sort codes and account numbers are checked by
    /// [default: a few ranges that are built in].
    #[arg(long, global = true, value_name = "FOLDER")]
    sort_codes_folder: Option<String>,
    /// How long worlds of the sandbox live, from 1 to 8760 [default: 24].
    #[arg(long, global = true, value_name = "HOURS")]
    world_hours: Option<String>,
}

impl Cli {
    /// The settings given by flags.
    pub(crate) fn settings(&self) -> Given {
        let flags = &self.settings;
        let texts = [
            ("environment", &flags.environment),
            ("database_url", &flags.database_url),
            ("listen", &flags.listen),
            ("public_url", &flags.public_url),
            ("log", &flags.log),
            ("log_format", &flags.log_format),
            ("metrics", &flags.metrics),
            ("rate_limit", &flags.rate_limit),
            ("max_connections", &flags.max_connections),
            ("max_in_flight", &flags.max_in_flight),
            ("workers", &flags.workers),
            ("shutdown_seconds", &flags.shutdown_seconds),
            ("postcode_cache_seconds", &flags.postcode_cache_seconds),
            ("idempotency_hours", &flags.idempotency_hours),
            ("sort_codes_folder", &flags.sort_codes_folder),
            ("world_hours", &flags.world_hours),
        ];
        let given = texts.into_iter().filter_map(|(key, text)| text.clone().map(|text| (key, text)));
        Given { flags: given.collect(), file: flags.config.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::KEYS;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_setting_has_a_flag() {
        for key in KEYS {
            let flag = format!("--{}=x", key.replace('_', "-"));
            let given = Cli::try_parse_from(["florin", "keys", "list", &flag]).unwrap().settings();
            assert_eq!(given.flags, [(key, "x".to_owned())]);
        }
    }

    #[test]
    fn serve_is_the_default_and_takes_flags() {
        let cli = Cli::try_parse_from(["florin", "--json", "--metrics", "--listen", "127.0.0.1:0"]).unwrap();
        assert!(cli.command.is_none() && cli.json);
        let wanted = [("listen", "127.0.0.1:0".to_owned()), ("metrics", "true".to_owned())];
        assert_eq!(cli.settings().flags, wanted);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for wrong in [
            &["florin", "frobnicate"][..],
            &["florin", "keys", "issue"],
            &["florin", "clients", "create"],
            &["florin", "features", "enable", "addresses-lookup"],
            &["florin", "keys", "issue", "--client", "x", "--all-scopes", "--scope", "cards:read:any"],
            &["florin", "banks", "import"],
        ] {
            assert!(Cli::try_parse_from(wrong).is_err(), "{wrong:?}");
        }
    }
}

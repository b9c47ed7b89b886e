//! The command line.

mod command_line;
mod flags;
mod help;

use crate::commands::{
    accounts, addresses, audit, banks, cells, check, clients, export, features, import, keys, listen, merchants, mfa,
    migrate, people, secret_key, webhooks,
};
use crate::settings::CommandLineSettings;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use command_line::CommandLine;
use flags::SettingFlags;
use std::ffi::OsString;

/// Florin: a money-handling HTTP API that anyone can run
///
/// Settings come from flags, FLORIN_* variables or florin.toml in the working directory, in that order of precedence.
/// The default command is serve.
#[derive(Debug, Parser)]
#[command(name = "florin", version, about, long_about, max_term_width = 100)]
pub(crate) struct Cli {
    /// The command. Default: `serve`.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Print results and errors as one line of JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(flatten)]
    settings: SettingFlags,

    /// The command as given, for the audit log.
    #[arg(skip)]
    pub(crate) command_line: CommandLine,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API (the default)
    Serve,
    /// Create the database, and bind it permanently to sandbox (default) or `--environment production`
    Init,
    /// Apply pending migrations to the database
    Migrate(migrate::Arguments),
    /// Seed the demo data, unless it exists, and print it (sandbox only)
    Demo,
    /// Verify every balance against the journal
    Check(check::Arguments),
    /// Write everything in the database to a file
    Export(export::Arguments),
    /// Read an exported file into an empty database of any kind
    Import(import::Arguments),
    /// Manage cells: further databases for some clients
    #[command(subcommand)]
    Cells(cells::Action),
    /// Manage API clients
    #[command(subcommand)]
    Clients(clients::Action),
    /// Manage accounts
    #[command(subcommand)]
    Accounts(accounts::Action),
    /// Manage the multi-factor authentication of accounts
    #[command(subcommand)]
    Mfa(mfa::Action),
    /// Change merchants, and approve their settlement accounts and payees
    #[command(subcommand)]
    Merchants(merchants::Action),
    /// Erase the personal data of people
    #[command(subcommand)]
    People(people::Action),
    /// Show and rotate the key that encrypts secrets
    #[command(subcommand)]
    Secrets(secret_key::Action),
    /// List the acts of operators and refused authentications, and verify that none was changed
    #[command(subcommand)]
    Audit(audit::Action),
    /// Issue, list, rotate and revoke API keys
    #[command(subcommand)]
    Keys(keys::Action),
    /// Turn optional features of a client on or off
    #[command(subcommand)]
    Features(features::Action),
    /// List the webhooks of all clients, and disable or enable one
    #[command(subcommand)]
    Webhooks(webhooks::Action),
    /// Import the bank list
    #[command(subcommand)]
    Banks(banks::Action),
    /// Import addresses
    #[command(subcommand)]
    Addresses(addresses::Action),
    /// Print events of a running server as they happen, and forward them like webhooks
    Listen(listen::Arguments),
    /// Print the OpenAPI document of the API
    Openapi,
}

impl Cli {
    /// Parses a command line.
    pub(crate) fn read(line: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = help::shortened(Self::command());
        let matches = command.try_get_matches_from_mut(line)?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok(Self { command_line: CommandLine::of(&command, &matches), ..cli })
    }

    /// The settings given by flags.
    pub(crate) fn settings(&self) -> CommandLineSettings {
        self.settings.given()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{KEYS, WITHOUT_FLAG};

    fn read(line: &[&str]) -> Result<Cli, clap::Error> {
        Cli::read(line.iter().map(OsString::from))
    }

    #[test]
    fn the_help_of_a_command_is_short() {
        for line in [&["florin", "keys", "issue", "--help"][..], &["florin", "help", "keys", "issue"]] {
            let help = read(line).unwrap_err().to_string();
            assert!(help.contains("--scope") && help.contains("--json") && !help.contains("--max-in-flight"), "{help}");
            assert!(help.lines().count() < 30, "{help}");
        }
        for line in [&["florin", "--help"][..], &["florin", "serve", "--help"]] {
            let help = read(line).unwrap_err().to_string();
            assert!(help.contains("--max-in-flight"), "{help}");
        }
    }

    #[test]
    fn a_misspelt_flag_or_command_is_suggested() {
        for (line, meant) in [
            (&["florin", "--listn", "127.0.0.1:0"][..], "--listen"),
            (&["florin", "keys", "list", "--databse-url", "x"], "--database-url"),
            (&["florin", "servee"], "serve"),
        ] {
            let said = read(line).unwrap_err().to_string();
            assert!(said.contains(meant), "{said}");
        }
    }

    #[test]
    fn the_clap_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_setting_has_a_flag() {
        for key in KEYS.into_iter().filter(|key| !WITHOUT_FLAG.contains(key)) {
            let flag = format!("--{}=x", key.replace('_', "-"));
            let given = read(&["florin", "keys", "list", &flag]).unwrap().settings();
            assert_eq!(given.flags, [(key, "x".to_owned())]);
        }
    }

    #[test]
    fn serve_is_the_default_and_takes_flags() {
        let cli = read(&["florin", "--json", "--metrics", "--listen", "127.0.0.1:0"]).unwrap();
        assert!(cli.command.is_none() && cli.json);
        let expected = [("listen", "127.0.0.1:0".to_owned()), ("metrics", "true".to_owned())];
        assert_eq!(cli.settings().flags, expected);
    }

    #[test]
    fn the_words_of_a_command_are_kept_without_settings() {
        let line = "florin --json keys issue --database-url postgres://ada:secret@db/x --scope a --client x --scope b";
        let mut line: Vec<_> = line.split(' ').collect();
        line.extend(["--expires-at", "in \"May\"\n"]);
        let command_line = read(&line).unwrap().command_line;
        assert_eq!(command_line.action, "keys issue");
        assert_eq!(command_line.arguments, r#"--client x --scope a --scope b --expires-at "in \"May\"\n""#);
        let command_line =
            read(&["florin", "accounts", "create", "F1", "--client", "x", "--merchant", "--mfa-optional"]);
        assert_eq!(command_line.unwrap().command_line.arguments, "F1 --client x --merchant --mfa-optional");
        assert_eq!(read(&["florin"]).unwrap().command_line, CommandLine::default());
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
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}

//! Florin: a money-handling HTTP API that anyone can run.
//!
//! This crate connects everything: it reads settings, opens the store, connects adapters to the application, and runs
//! the server or one command. It has no business rules. Exit codes: 0 success, 1 failure, 2 invalid settings or
//! arguments.

mod cells;
mod cli;
mod commands;
mod deliverer;
mod demo;
mod environment;
mod hidden_password;
mod key_expiry;
mod limits;
mod lock;
mod logging;
mod machine;
mod metrics;
mod output;
mod progress;
mod recording;
mod secrets;
mod settings;
mod suggest;
mod usage;
mod wiring;
mod workers;

use clap::error::ErrorKind;
use cli::{Cli, Command};
use commands::Context;
use florin_logo_images::{CONVERT_LOGO, convert_stdin};
use settings::Settings;
use std::cell::RefCell;
use std::process::ExitCode;
use usage::UsageError;

/// The exit code of a command that failed.
const FAILED: u8 = 1;
/// The exit code of invalid settings or arguments.
const INVALID: u8 = 2;

fn main() -> ExitCode {
    let line: Vec<_> = std::env::args_os().collect();
    if line.get(1).is_some_and(|word| word == CONVERT_LOGO) {
        return convert_stdin();
    }
    // Searches the arguments, because the command line could not be parsed.
    let json = line.iter().any(|word| word == "--json");
    let cli = match Cli::read(line.clone()) {
        Ok(cli) => cli,
        Err(error) => return misread(&error, json),
    };
    hidden_password::hide(&line, &cli.settings());
    match start(cli) {
        Ok(code) => code,
        Err(error) => {
            let code = if error.is::<UsageError>() { INVALID } else { FAILED };
            output::fail(json, &format!("{error:#}"), code);
            ExitCode::from(code)
        }
    }
}

/// Prints the requested help, or the error in the command line.
fn misread(error: &clap::Error, json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => error.exit(),
        _ if !json => error.exit(),
        _ => {
            let text = error.to_string();
            let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
            let message = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            output::fail(true, message.trim_start_matches("error: "), INVALID);
            ExitCode::from(INVALID)
        }
    }
}

/// Reads the settings and runs the command.
fn start(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&cli.settings())?;
    let command = cli.command.unwrap_or(Command::Serve);
    let _log_guard = logging::start(&settings, matches!(command, Command::Serve))?;
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    let context = Context { settings, json: cli.json, command_line: cli.command_line, result: RefCell::default() };
    let system = actix_web::rt::System::new();
    let outcome = system.block_on(commands::run(&context, command));
    // Dropping the system would wait for reads that a database does not answer. The process ends here anyway.
    std::mem::forget(system);
    outcome
}

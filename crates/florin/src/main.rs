//! Florin: a money-handling HTTP API that anyone can run.
//!
//! This crate is wiring: it reads settings, opens the store, hands adapters to the application and runs the server or
//! one command. It has no rule of the business. Exit codes: 0 done, 1 failed, 2 wrong settings or arguments.

mod cli;
mod commands;
mod demo;
mod logging;
mod machine;
mod metrics;
mod output;
mod settings;
mod usage;
mod wiring;
mod workers;

use clap::Parser;
use cli::{Cli, Command};
use commands::Context;
use settings::Settings;
use std::process::ExitCode;
use usage::UsageError;

fn main() -> ExitCode {
    match start(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

/// Reads the settings and runs the command.
fn start(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&cli.settings())?;
    let command = cli.command.unwrap_or(Command::Serve);
    let _written_at_the_end = logging::start(&settings, matches!(command, Command::Serve))?;
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    let context = Context { settings, json: cli.json };
    actix_web::rt::System::new().block_on(commands::run(&context, command))
}

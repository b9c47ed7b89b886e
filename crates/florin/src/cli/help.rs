//! Short help: only `florin` and `florin serve` list the settings.

use super::flags::HEADING;
use clap::Command;

/// Commands whose help lists the settings.
const WITH_SETTINGS: [&str; 2] = ["florin", "serve"];
/// The hint that the help of other commands shows instead.
const ELSEWHERE: &str = "Settings such as --database-url: see `florin --help`.";

/// Hides the settings in the help of every command except `serve`. The flags still work everywhere.
pub(super) fn shortened(mut command: Command) -> Command {
    // Building propagates global flags, so that they can be hidden in subcommands.
    command.build();
    shorten(command)
}

fn shorten(command: Command) -> Command {
    let names: Vec<_> = command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let lists_settings = WITH_SETTINGS.contains(&command.get_name());
    let command = names.into_iter().fold(command, |command, name| command.mut_subcommand(name, shorten));
    if lists_settings {
        return command;
    }
    command.after_help(ELSEWHERE).mut_args(|argument| match argument.get_help_heading() {
        Some(HEADING) => argument.hide(true),
        _ => argument,
    })
}

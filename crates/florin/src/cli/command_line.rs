//! The command and arguments of a command line, as the audit log records them.

use super::flags::HEADING;
use clap::{Arg, ArgMatches, Command};

/// A command with its arguments. Settings are left out, because they may contain secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The command, such as `keys issue`.
    pub(crate) action: String,
    /// Its arguments, such as `--client Ada`.
    pub(crate) arguments: String,
}

impl CommandLine {
    /// Collects the words of a parsed command line.
    pub(super) fn of<'a>(mut command: &'a Command, mut matches: &'a ArgMatches) -> Self {
        let mut names = Vec::new();
        while let Some((name, below)) = matches.subcommand() {
            let Some(child) = command.find_subcommand(name) else { break };
            names.push(name);
            (command, matches) = (child, below);
        }
        let own = |argument: &&Arg| !argument.is_global_set() && argument.get_help_heading() != Some(HEADING);
        let arguments = command.get_arguments().filter(own).flat_map(|argument| words(argument, matches));
        Self { action: names.join(" "), arguments: arguments.collect::<Vec<_>>().join(" ") }
    }
}

/// The words of one argument: its flag and its values. Empty if the command line does not contain the argument.
fn words(argument: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = argument.get_id().as_str();
    if matches.try_contains_id(id).is_err() || matches.value_source(id) != Some(clap::parser::ValueSource::CommandLine)
    {
        return Vec::new();
    }
    let flag = argument.get_long().map(|name| format!("--{name}"));
    if !argument.get_action().takes_values() {
        return flag.into_iter().collect();
    }
    let mut words = Vec::new();
    for occurrence in matches.get_raw_occurrences(id).into_iter().flatten() {
        words.extend(flag.clone());
        words.extend(occurrence.map(|value| quoted(&value.to_string_lossy())));
    }
    words
}

/// A value, in quotes unless it is one plain word.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:,/@+=".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) { value.to_owned() } else { format!("{value:?}") }
}

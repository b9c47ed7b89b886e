//! Keeps a database password that was given as a flag out of the list of processes.
//!
//! Every user of a machine can read the arguments of a process, but only its owner and root can read its environment.

use crate::settings::{CommandLineSettings, has_password, variable};
use std::ffi::OsString;

/// The settings with URLs, each with the setting that names a file with the URLs.
const WITH_URLS: [[&str; 2]; 2] = [["database_url", "database_url_file"], ["cells", "cells_file"]];

/// A setting that is moved from a flag to a variable.
#[derive(Clone, Copy)]
struct Moved<'a> {
    key: &'static str,
    /// The setting that names a file with the value.
    file: &'static str,
    text: &'a str,
}

/// Restarts the program with the URLs of databases in variables if they were given as flags and have a password.
/// Returns if there is nothing to hide, or if the program can't be restarted.
pub(crate) fn hide(line: &[OsString], given: &CommandLineSettings) {
    let flag = |name: &str| given.flags.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
    let moved = WITH_URLS.into_iter().filter_map(|[key, file]| {
        // If both flags are given, the settings refuse them.
        let text = flag(key).filter(|text| flag(file).is_none() && has_password(text))?;
        Some(Moved { key, file, text })
    });
    let moved: Vec<_> = moved.collect();
    if !moved.is_empty() {
        restart(line, &moved);
    }
}

/// Executes the program again in this process, without these flags, and with variables instead. The process id stays
/// the same. Returns only if that fails: then the settings warn about the password.
#[cfg(unix)]
fn restart(line: &[OsString], moved: &[Moved<'_>]) {
    use std::os::unix::process::CommandExt;
    let line = moved.iter().fold(line.to_vec(), |line, moved| without_flag(&line, &flag_of(moved.key)));
    let (Ok(program), Some((name, arguments))) = (std::env::current_exe(), line.split_first()) else { return };
    let mut command = std::process::Command::new(program);
    command.arg0(name).args(arguments);
    for Moved { key, file, text } in moved {
        // A flag overrides both variables.
        command.env(variable(key), text).env_remove(variable(file));
    }
    let _not_replaced = command.exec();
}

#[cfg(not(unix))]
fn restart(_: &[OsString], _: &[Moved<'_>]) {}

fn flag_of(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// The command line without each occurrence of the flag and its value.
fn without_flag(line: &[OsString], flag: &str) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = line.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match text.strip_prefix(flag) {
            Some("") => drop(words.next()),
            Some(value) if value.starts_with('=') => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_flag_and_its_value_are_removed() {
        let line = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let kept = ["florin", "check", "--json"];
        for given in [
            &["florin", "--database-url", "postgres://u:p@h/d", "check", "--json"][..],
            &["florin", "check", "--database-url=postgres://u:p@h/d", "--json"],
        ] {
            assert_eq!(without_flag(&line(given), &flag_of("database_url")), line(&kept));
        }
        let file = ["florin", "--database-url-file", "url"];
        assert_eq!(without_flag(&line(&file), &flag_of("database_url")), line(&file));
        let twice = ["florin", "--cells", "a=x", "check", "--cells=b=y", "--json"];
        assert_eq!(without_flag(&line(&twice), &flag_of("cells")), line(&kept));
    }
}

//! Keeps a database password that was given as a flag out of the list of processes.
//!
//! Every user of a machine can read the arguments of a process, but only its owner and root can read its environment.

use crate::settings::{CommandLineSettings, has_password};
use std::ffi::OsString;

const FLAG: &str = "--database-url";
const VARIABLE: &str = "FLORIN_DATABASE_URL";

/// Restarts the program with the URL of the database in a variable if the URL was given as a flag and has a password.
/// Returns if there is nothing to hide, or if the program can't be restarted.
pub(crate) fn hide(line: &[OsString], given: &CommandLineSettings) {
    let flag = |name: &str| given.flags.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
    // If both flags are given, the settings refuse them.
    if let (Some(url), None) = (flag("database_url"), flag("database_url_file"))
        && has_password(url)
    {
        restart(&without_flag(line), url);
    }
}

/// Executes the program again in this process, with these arguments and the URL in a variable. The process id stays the
/// same. Returns only if that fails: then the settings warn about the password.
#[cfg(unix)]
fn restart(line: &[OsString], url: &str) {
    use std::os::unix::process::CommandExt;
    let (Ok(program), Some((name, arguments))) = (std::env::current_exe(), line.split_first()) else { return };
    let mut command = std::process::Command::new(program);
    // A flag overrides both variables.
    command.arg0(name).args(arguments).env(VARIABLE, url).env_remove("FLORIN_DATABASE_URL_FILE");
    let _not_replaced = command.exec();
}

#[cfg(not(unix))]
fn restart(_: &[OsString], _: &str) {}

/// The command line without the flag and its value.
fn without_flag(line: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = line.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match text.strip_prefix(FLAG) {
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
            assert_eq!(without_flag(&line(given)), line(&kept));
        }
        let file = ["florin", "--database-url-file", "url"];
        assert_eq!(without_flag(&line(&file)), line(&file));
    }
}

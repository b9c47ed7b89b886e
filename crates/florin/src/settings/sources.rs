//! The sources of settings, and their precedence.

use super::CommandLineSettings;
use crate::suggest;
use crate::usage::UsageError;
use config::{Config, File, FileFormat, Value};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Variables that clients of the API read, such as `florin listen` and the example in Python. They are not settings.
const OF_CLIENTS: [&str; 2] = ["FLORIN_URL", "FLORIN_API_KEY"];

/// The names of all settings in `florin.toml`. The variable is `FLORIN_` plus the name in capitals; the flag has
/// hyphens.
pub(crate) const KEYS: [&str; 36] = [
    "environment",
    "database_url",
    "database_url_file",
    "cells",
    "cells_file",
    "secret_key",
    "secret_key_file",
    "secret_key_previous",
    "secret_key_previous_file",
    "listen",
    "admin_listen",
    "public_url",
    "cors_origins",
    "log",
    "log_format",
    "metrics",
    "rate_limit",
    "max_connections",
    "max_connections_per_address",
    "max_in_flight",
    "max_cards",
    "workers",
    "drain_seconds",
    "shutdown_seconds",
    "postcode_cache_seconds",
    "idempotency_hours",
    "event_days",
    "sort_codes_folder",
    "world_hours",
    "max_budgets",
    "max_people",
    "max_checkouts",
    "max_payees",
    "max_networks",
    "webhook_allowed_networks",
    "webhook_retries",
];

/// Settings without a flag, because every user of the machine can read the arguments of a process.
#[cfg(test)]
pub(crate) const WITHOUT_FLAG: [&str; 2] = ["secret_key", "secret_key_previous"];

const FILE: &str = "florin.toml";
pub(super) const PREFIX: &str = "FLORIN_";

/// The settings from each source.
pub(super) struct Sources {
    flags: Vec<(&'static str, String)>,
    /// The values of the known variables, by variable name.
    variables: HashMap<String, String>,
    unknown_variables: Vec<String>,
    /// The path and text of the file.
    file: Option<(String, String)>,
}

/// The text of each given setting, with the name of its source.
#[derive(Debug)]
pub(super) struct Texts(pub(super) BTreeMap<&'static str, (String, String)>);

impl Sources {
    /// Reads the variables and the file.
    pub(super) fn gather(
        given: CommandLineSettings,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, UsageError> {
        let mut sources =
            Self { flags: given.flags, variables: HashMap::new(), unknown_variables: Vec::new(), file: None };
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
            if OF_CLIENTS.contains(&name) {
                continue;
            }
            if !KEYS.iter().any(|key| variable(key) == name) {
                sources.unknown_variables.push(name.to_owned());
                continue;
            }
            let Ok(value) = value.into_string() else {
                return Err(UsageError::new(format!("{name} is not UTF-8")));
            };
            sources.variables.insert(name.to_owned(), value);
        }
        sources.unknown_variables.sort();
        let path = given.file.as_deref().unwrap_or(Path::new(FILE));
        sources.file = match fs::read_to_string(path) {
            Ok(text) => Some((path.display().to_string(), text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && given.file.is_none() => None,
            Err(error) => return Err(UsageError::new(format!("cannot read {}: {error}", path.display()))),
        };
        Ok(sources)
    }

    /// A warning for each unknown variable.
    pub(super) fn warnings(&self) -> Vec<String> {
        let known = KEYS.map(variable);
        let warning = |name: &String| match suggest::nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("ignored unknown variable {name}; did you mean {meant}?"),
            None => format!("ignored unknown variable {name}"),
        };
        self.unknown_variables.iter().map(warning).collect()
    }

    /// The text of every setting, from the source with the highest precedence.
    pub(super) fn merge(&self) -> Result<Texts, UsageError> {
        let mut builder = Config::builder();
        if let Some((path, text)) = &self.file {
            let file = Config::builder().add_source(File::from_str(text, FileFormat::Toml)).build();
            let file = file.map_err(|error| UsageError::new(format!("{path}: {}", first_and_last(&error))))?;
            only_known(path, file.clone())?;
            builder = builder.add_source(file);
        }
        let variables = config::Environment::with_prefix("FLORIN").prefix_separator("_");
        builder = builder.add_source(variables.source(Some(self.variables.clone())));
        for (key, text) in &self.flags {
            builder = builder.set_override(*key, text.as_str()).map_err(internal)?;
        }
        let mut merged = values(builder.build().map_err(internal)?)?;
        let mut texts = BTreeMap::new();
        for key in KEYS {
            if let Some(value) = merged.remove(key) {
                let source = self.source(key);
                let text =
                    value.into_string().map_err(|_| UsageError::new(format!("{source} must be a single value")))?;
                texts.insert(key, (text, source));
            }
        }
        Ok(Texts(texts))
    }

    /// The flag, variable or line of the file that set a setting.
    fn source(&self, key: &str) -> String {
        if self.flags.iter().any(|(given, _)| *given == key) {
            format!("--{}", key.replace('_', "-"))
        } else if self.variables.contains_key(&variable(key)) {
            variable(key)
        } else {
            let file = self.file.as_ref().map_or(FILE, |(path, _)| path.as_str());
            format!("{key} in {file}")
        }
    }
}

/// The name of a setting's variable.
pub(crate) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_ascii_uppercase())
}

/// Refuses a file with an unknown key.
fn only_known(path: &str, file: Config) -> Result<(), UsageError> {
    match values(file)?.keys().find(|key| !KEYS.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let hint = suggest::or_list(key, "settings", &KEYS);
            Err(UsageError::new(format!("{path}: unknown setting `{key}`; {hint}")))
        }
    }
}

fn values(config: Config) -> Result<BTreeMap<String, Value>, UsageError> {
    config.try_deserialize().map_err(internal)
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that map_err requires")]
fn internal(error: config::ConfigError) -> UsageError {
    UsageError::new(format!("cannot combine the settings: {}", first_and_last(&error)))
}

/// The first and the last line of a parser's message: the place and the reason.
fn first_and_last(error: &config::ConfigError) -> String {
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    lines.next_back().map_or(first.clone(), |last| format!("{first}: {last}"))
}

//! The first line of an export.

use super::{ExportError, ExportOrigin};
use chrono::SecondsFormat;
use serde::{Deserialize, Serialize};

/// The name of the format, in the first line of a file.
pub(super) const FORMAT: &str = "florin-export";
/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The first line of an export.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportHeader {
    format: String,
    version: u32,
    schema: String,
    environment: String,
    exported_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox_key: Option<String>,
}

impl ExportHeader {
    /// The header of a new export. `schema` is the name of the store's last migration.
    pub fn new(origin: &ExportOrigin, schema: String) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            schema,
            environment: origin.environment.clone(),
            exported_at: origin.at.to_rfc3339_opts(SecondsFormat::Micros, true),
            secret_key: Some(origin.secret_key.clone()),
            sandbox_key: origin.sandbox_key.clone(),
        }
    }

    /// The id of the key that encrypts the secrets in the file.
    pub fn secret_key(&self) -> Option<&str> {
        self.secret_key.as_deref()
    }

    /// The key that encrypts the secrets in the file, if a sandbox generated it.
    pub fn sandbox_key(&self) -> Option<&str> {
        self.sandbox_key.as_deref()
    }

    /// The time at which the file was written.
    pub fn exported_at(&self) -> &str {
        &self.exported_at
    }

    /// Checks that the file matches a store with this schema (the name of its last migration) and environment.
    pub fn check_fits(&self, schema: &str, environment: &str) -> Result<(), ExportError> {
        if self.schema != schema {
            return Err(ExportError::Schema { file: self.schema.clone(), store: schema.to_owned() });
        }
        if self.environment != environment {
            return Err(ExportError::Environment(self.environment.clone()));
        }
        Ok(())
    }
}

//! The cells that are configured beside the home.

use super::Sourced;
use super::sources::Texts;
use crate::usage::UsageError;
use florin_ports::CellName;
use secrecy::{ExposeSecret, SecretString};

/// A cell other than the home.
#[derive(Clone, Debug)]
pub(crate) struct CellSetting {
    /// Its name.
    pub(crate) name: CellName,
    /// The URL of its store. It may hold a password, so it is not printed.
    pub(crate) url: Sourced<SecretString>,
}

/// The form of a cell, for messages.
const FORM: &str = "NAME=URL, such as eu-1=sqlite://eu-1.db; several are separated by spaces";

impl Texts {
    /// The configured cells, in the order of the setting. No message quotes a URL, because it may contain a password.
    pub(super) fn cells(&self, home: &Sourced<SecretString>) -> Result<Vec<CellSetting>, UsageError> {
        let Some(Sourced { value, source }) = self.direct_or_file("cells", "cells_file")? else {
            return Ok(Vec::new());
        };
        let mut cells: Vec<CellSetting> = Vec::new();
        for text in value.expose_secret().split_whitespace() {
            let cell = cell(text, &source)?;
            let refuse = |why: &str| Err(UsageError::new(format!("{}: {why}", cell.url.source)));
            let url = cell.url.value.expose_secret();
            if cells.iter().any(|other| other.name == cell.name) {
                return refuse("this name is given twice");
            }
            if home.value.expose_secret() == url {
                return refuse("its URL is that of the home; each cell needs a database of its own");
            }
            if cells.iter().any(|other| other.url.value.expose_secret() == url) {
                return refuse("another cell has the same URL; each cell needs a database of its own");
            }
            cells.push(cell);
        }
        Ok(cells)
    }
}

/// Parses one cell. `source` names the setting.
fn cell(text: &str, source: &str) -> Result<CellSetting, UsageError> {
    let malformed = || UsageError::new(format!("{source} must be {FORM}"));
    let (name, url) = text.split_once('=').filter(|(_, url)| !url.is_empty()).ok_or_else(malformed)?;
    // A URL without a name is not quoted.
    if name.contains(['/', ':', '@']) {
        return Err(malformed());
    }
    let invalid = |why: &str| UsageError::new(format!("{source}: the name of a cell {why} (got {name:?})"));
    let name = CellName::parse(name).map_err(|flaw| invalid(&flaw.message))?;
    if name == CellName::home() {
        return Err(invalid("can't be home: that is the database of --database-url"));
    }
    let source = format!("{source}: cell {name}");
    Ok(CellSetting { name, url: Sourced { value: url.into(), source } })
}

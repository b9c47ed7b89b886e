//! Writes exports.

use super::{ExportContents, ExportError, ExportHeader, Footer, hexadecimal};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes an export, table by table.
pub struct ExportWriter<'a> {
    out: &'a mut dyn Write,
    digest: Sha256,
    rows: BTreeMap<String, u64>,
}

impl<'a> ExportWriter<'a> {
    /// Begins the file with its header.
    pub fn begin(out: &'a mut dyn Write, header: &ExportHeader) -> Result<Self, ExportError> {
        let mut export = Self { out, digest: Sha256::new(), rows: BTreeMap::new() };
        export.line(serde_json::to_string(header).map_err(io::Error::from)?)?;
        Ok(export)
    }

    /// Begins a table, which may have no rows.
    pub fn table(&mut self, table: &str) {
        self.rows.entry(table.to_owned()).or_default();
    }

    /// Writes a row, given as JSON.
    pub fn row(&mut self, table: &str, row: &str) -> io::Result<()> {
        self.line(format!(r#"{{"table":"{table}","row":{row}}}"#))?;
        if let Some(rows) = self.rows.get_mut(table) {
            *rows += 1;
        }
        Ok(())
    }

    /// Ends the file with its footer.
    pub fn end(self) -> Result<ExportContents, ExportError> {
        let footer = Footer { rows: self.rows, sha256: hexadecimal(&self.digest.finalize()) };
        let line = serde_json::to_string(&footer).map_err(io::Error::from)?;
        writeln!(self.out, "{line}")?;
        self.out.flush()?;
        Ok(ExportContents { rows: footer.rows, sha256: footer.sha256 })
    }

    fn line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.digest.update(line.as_bytes());
        self.out.write_all(line.as_bytes())
    }
}

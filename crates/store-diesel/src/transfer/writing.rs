//! Writing an export.

use super::{Contents, Footer, Header, TransferError, hexadecimal};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// An export that is being written.
pub(crate) struct ExportTable<'a> {
    out: &'a mut dyn Write,
    digest: Sha256,
    rows: BTreeMap<String, u64>,
}

impl<'a> ExportTable<'a> {
    /// Begins with the header.
    pub(crate) fn begin(out: &'a mut dyn Write, header: &Header) -> Result<Self, TransferError> {
        let mut sheet = Self { out, digest: Sha256::new(), rows: BTreeMap::new() };
        sheet.line(serde_json::to_string(header).map_err(io::Error::from)?)?;
        Ok(sheet)
    }

    /// Begins a table. It may have no rows.
    pub(crate) fn table(&mut self, table: &str) {
        self.rows.entry(table.to_owned()).or_default();
    }

    /// Writes a row, given as JSON.
    pub(crate) fn row(&mut self, table: &str, row: &str) -> io::Result<()> {
        self.line(format!(r#"{{"table":"{table}","row":{row}}}"#))?;
        if let Some(rows) = self.rows.get_mut(table) {
            *rows += 1;
        }
        Ok(())
    }

    /// Ends with the footer.
    pub(crate) fn end(self) -> Result<Contents, TransferError> {
        let footer = Footer { rows: self.rows, sha256: hexadecimal(&self.digest.finalize()) };
        let line = serde_json::to_string(&footer).map_err(io::Error::from)?;
        writeln!(self.out, "{line}")?;
        self.out.flush()?;
        Ok(Contents { rows: footer.rows, sha256: footer.sha256 })
    }

    fn line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.digest.update(line.as_bytes());
        self.out.write_all(line.as_bytes())
    }
}

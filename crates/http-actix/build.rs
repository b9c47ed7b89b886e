//! Embeds the files of Swagger UI that the docs page loads, compressed with gzip.

use std::error::Error;
use std::io::{Cursor, Read};
use std::path::Path;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::{CompressionMethod, ZipArchive};

const FILES: [&str; 3] = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"];

/// The header of a gzip file without name and time (RFC 1952, section 2.3).
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for name in FILES {
        let file = gzip(&mut archive, name).map_err(|error| format!("cannot read {name} of Swagger UI: {error}"))?;
        std::fs::write(Path::new(&out).join(format!("{name}.gz")), file)?;
    }
    Ok(())
}

/// Returns a file of the archive in gzip format. Zip and gzip contain the same deflated bytes, so nothing is
/// decompressed.
fn gzip(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let end = format!("/dist/{name}");
    let is_named = |index: &usize| matches!(archive.name_for_index(*index), Some(Ok(path)) if path.ends_with(&end));
    let index = (0..archive.len()).find(is_named);
    let mut entry = archive.by_index_raw(index.ok_or("it is missing")?)?;
    let (method, crc, size) = (entry.compression(), entry.crc32(), u32::try_from(entry.size())?);
    let mut file = GZIP_HEADER.to_vec();
    match method {
        CompressionMethod::DEFLATE => {}
        // A stored file is not compressed. Write it as one stored block: its length, and the complement of its length
        // (RFC 1951, section 3.2.4).
        CompressionMethod::Stored => {
            let length = u16::try_from(size)?;
            file.push(1);
            file.extend(length.to_le_bytes());
            file.extend((!length).to_le_bytes());
        }
        other => return Err(format!("it is compressed with {other}").into()),
    }
    entry.read_to_end(&mut file)?;
    file.extend(crc.to_le_bytes());
    file.extend(size.to_le_bytes());
    Ok(file)
}

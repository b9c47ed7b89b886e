//! Writes every page, in every state and language, to a file that a browser can open:
//! `cargo run -p florin-pages --example gallery -- FOLDER`. URLs in the files are relative, so they work without a
//! server.

#[path = "../tests/samples/mod.rs"]
mod samples;

use florin_pages::{Language, asset, render};
use std::fs;
use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    fs::create_dir_all(folder.join("assets"))?;
    fs::create_dir_all(folder.join("theme"))?;
    for name in ["pages.css", "icon.svg"] {
        if let Some(file) = asset(name) {
            fs::write(folder.join("assets").join(name), file.bytes)?;
        }
    }
    for language in Language::ALL {
        for mut sample in samples::samples(language) {
            sample.frame.root = ".".into();
            if let Some(logo) = sample.frame.shop.as_mut().and_then(|shop| shop.logo_url.as_mut()) {
                *logo = "./assets/icon.svg".into();
            }
            if let Some(theme) = sample.frame.shop.as_ref().and_then(|shop| shop.theme) {
                fs::write(folder.join("theme").join(theme.file_name()), theme.css())?;
            }
            let name = format!("{}.{}.html", sample.name, language.tag());
            fs::write(folder.join(name), render(&sample.frame, &sample.page))?;
        }
    }
    Ok(())
}

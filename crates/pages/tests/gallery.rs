//! Checks that docs/GALLERY.md shows every page in every state, and exactly the pictures that exist.

#[expect(dead_code, reason = "another test uses the rest")]
mod samples;

use florin_pages::Language;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_gallery_has_a_picture_of_every_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(docs.join("GALLERY.md")).unwrap();
    let linked = text.split("](pictures/gallery/").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    let linked: BTreeSet<_> = linked.collect();
    let files = fs::read_dir(docs.join("pictures/gallery")).unwrap();
    let files: BTreeSet<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(linked, files);
    // The full pages only test the maximum size, so they have no pictures.
    let samples = samples::samples(Language::English).into_iter().map(|sample| sample.name);
    for name in samples.filter(|name| !name.starts_with("full_")) {
        assert!(linked.contains(&format!("{name}.webp")), "docs/GALLERY.md does not show {name}");
    }
}

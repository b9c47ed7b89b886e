//! Uploads that are not valid logos: other formats, damaged files, animations, and files with data after the image.

use image::{DynamicImage, GrayImage, ImageFormat};
use serde_json::json;

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::logo::{LOGO, checkerboard, encoded, png, set_logo, upload};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Row, Table};
use crate::support::worlds::empty_world;
use crate::support::{expect_fault, expect_faults, expect_json, shared};

const FILE: &str = "body.file";

/// Returns the checksum of a chunk of a PNG.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

/// Returns a chunk of a PNG.
fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind.as_slice(), data].concat();
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [length.as_slice(), &body, &crc(&body).to_be_bytes()].concat()
}

/// Inserts chunks after the header of a PNG.
fn with_chunks(png: &[u8], chunks: &[u8]) -> Vec<u8> {
    [&png[..33], chunks, &png[33..]].concat()
}

/// Changes the size that the header of a PNG claims.
fn claiming(png: &[u8], width: u32, height: u32) -> Vec<u8> {
    let header = [&width.to_be_bytes(), &height.to_be_bytes(), &png[24..29]].concat();
    [&png[..8], &chunk(*b"IHDR", &header), &png[33..]].concat()
}

/// Returns a chunk of a WebP.
fn riff(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    [kind.as_slice(), &length, data, &vec![0; data.len() % 2]].concat()
}

/// Returns a WebP with one animated frame of 300 x 300 pixels.
fn animated_webp() -> Vec<u8> {
    let still = encoded(&checkerboard(300, 300), ImageFormat::WebP);
    let side = [43, 1, 0];
    let header = [&[2, 0, 0, 0], side.as_slice(), &side].concat();
    let frame = [&[0; 6], side.as_slice(), &side, &[100, 0, 0, 0], &still[12..]].concat();
    let body = [riff(*b"VP8X", &header), riff(*b"ANIM", &[0; 6]), riff(*b"ANMF", &frame)].concat();
    riff(*b"RIFF", &[b"WEBP", body.as_slice()].concat())
}

/// Returns EXIF metadata with an orientation and a place.
fn exif(orientation: u8) -> Vec<u8> {
    let entries = [b"\x12\x01\x03\0\x01\0\0\0".as_slice(), &[orientation, 0, 0, 0]].concat();
    [b"II*\0\x08\0\0\0\x01\0".as_slice(), &entries, &[0; 4], b"GPS 51.5072N 0.1276W"].concat()
}

/// Adds EXIF metadata to a JPEG.
fn with_exif(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let segment = [b"Exif\0\0".as_slice(), &exif(orientation)].concat();
    let length = u16::try_from(segment.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &segment, &jpeg[2..]].concat()
}

#[test]
fn a_file_is_accepted_by_its_content() {
    let client = empty_world(shared());
    let complete = |format| encoded(&checkerboard(300, 300), format);
    let cut = |format| {
        let file = complete(format);
        file[..file.len() / 2].to_vec()
    };
    // One frame of 300 x 300 pixels, for a tenth of a second.
    let frame = [&[0; 4], [0, 0, 1, 44].as_slice(), &[0, 0, 1, 44], &[0; 8], &[0, 1, 0, 10, 0, 0]].concat();
    let animation = [chunk(*b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]), chunk(*b"fcTL", &frame)].concat();
    let mut damaged = png();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let padded = |size: usize| [png(), vec![0; size - png().len()]].concat();
    let mut table = Table::default();
    for (name, file, status, code) in [
        ("GIF", b"GIF89a\x2c\x01\x2c\x01\0\0\0;".to_vec(), 415, "unsupported_media_type"),
        (
            "SVG",
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>".to_vec(),
            415,
            "unsupported_media_type",
        ),
        ("BMP", [b"BM".as_slice(), &[0; 60]].concat(), 415, "unsupported_media_type"),
        ("PDF", b"%PDF-1.7".to_vec(), 415, "unsupported_media_type"),
        ("HTML", b"<!doctype html><script>alert(1)</script>".to_vec(), 415, "unsupported_media_type"),
        ("HTML before a PNG", [b"<html>".as_slice(), &png()].concat(), 415, "unsupported_media_type"),
        ("empty", Vec::new(), 415, "unsupported_media_type"),
        ("WAV", b"RIFF\x04\0\0\0WAVE".to_vec(), 415, "unsupported_media_type"),
        ("half a PNG", cut(ImageFormat::Png), 400, "invalid_format"),
        ("half a JPEG", cut(ImageFormat::Jpeg), 400, "invalid_format"),
        ("half a WebP", cut(ImageFormat::WebP), 400, "invalid_format"),
        ("the signature of a PNG", png()[..8].to_vec(), 400, "invalid_format"),
        ("a damaged PNG", damaged, 400, "invalid_format"),
        ("an animated PNG", with_chunks(&png(), &animation), 400, "invalid_value"),
        ("an animated WebP", animated_webp(), 400, "invalid_value"),
        ("255 pixels wide", encoded(&checkerboard(255, 900), ImageFormat::Png), 400, "invalid_value"),
        ("255 pixels high", encoded(&checkerboard(900, 255), ImageFormat::Jpeg), 400, "invalid_value"),
        ("too many pixels", claiming(&png(), 8_000, 5_001), 413, "payload_too_large"),
        ("too many bytes", padded(5 * 1024 * 1024 + 1), 413, "payload_too_large"),
        ("far too many bytes", padded(9 * 1024 * 1024), 413, "payload_too_large"),
    ] {
        let answer = set_logo(&client, &file);
        assert_documented("patch", LOGO, &answer);
        table.check(&Row { name: name.to_owned(), status, faults: vec![(FILE, code)] }, &answer);
    }
    table.check_status("the maximum number of bytes", 200, &set_logo(&client, &padded(5 * 1024 * 1024)));
    table.check_status("256 pixels", 200, &set_logo(&client, &encoded(&checkerboard(256, 256), ImageFormat::Png)));
    table.assert_passed(22);
}

#[test]
fn a_form_must_have_exactly_one_file() {
    let client = empty_world(shared());
    let file = png();
    let two = upload(&client, &[("file", &file), ("file", &file)]).send();
    expect_fault(&two, 413, FILE, "payload_too_large");
    let other = upload(&client, &[("logo", &file)]).send();
    expect_faults(&other, 400, &[("body.logo", "unknown_field"), (FILE, "required")]);
    let more = upload(&client, &[("file", &file), ("name", b"x")]).send();
    expect_fault(&more, 400, "body.name", "unknown_field");
    expect_fault(&upload(&client, &[]).send(), 400, FILE, "required");
    let media = "multipart/form-data; boundary=x";
    for body in [b"--x\r\n".to_vec(), b"nothing".to_vec(), file.clone()] {
        let answer = client.call("PATCH", LOGO).header("Content-Type", media).bytes(&body).send();
        expect_fault(&answer, 400, "body", "invalid_format");
    }
    for (media, body) in [
        ("application/json", b"{}".to_vec()),
        ("image/png", file.clone()),
        ("multipart/form-data", file.clone()),
        ("multipart/mixed; boundary=x", file.clone()),
    ] {
        let answer = client.call("PATCH", LOGO).header("Content-Type", media).bytes(&body).send();
        assert_documented("patch", LOGO, &answer);
        expect_fault(&answer, 415, "header.Content-Type", "unsupported_media_type");
    }
    assert_eq!(expect_json(&client.get("/v2/merchant"), 200)["logoUrl"], json!(null), "nothing was stored");
}

#[test]
fn nothing_but_pixels_is_stored() {
    let client = empty_world(shared());
    let stored = |file: &[u8]| {
        let merchant = expect_json(&set_logo(&client, file), 200);
        let path = text(&merchant, "/logoUrl").split_once("/pay/").unwrap().1.to_owned();
        client.with_authorization(None).get(&format!("/pay/{path}?")).body
    };
    let plain = stored(&png());
    let secret = [chunk(*b"tEXt", b"Comment\0GPS 51.5072N"), chunk(*b"eXIf", &exif(1))].concat();
    let script = b"<script>alert('GPS 51.5072N')</script>".as_slice();
    assert_eq!(stored(&with_chunks(&png(), &secret)), plain, "metadata");
    assert_eq!(stored(&[&png(), script].concat()), plain, "what follows the image");
    let jpeg = encoded(&checkerboard(300, 300), ImageFormat::Jpeg);
    let stored_jpeg = stored(&with_exif(&jpeg, 1));
    assert_eq!(stored_jpeg, stored(&jpeg));
    for file in [plain, stored_jpeg] {
        let kinds = ["tEXt", "iTXt", "zTXt", "eXIf", "iCCP", "GPS", "<script"];
        let found = |kind: &&str| file.windows(kind.len()).any(|window| window == kind.as_bytes());
        assert_eq!(kinds.iter().find(|kind| found(kind)), None);
    }
}

#[test]
fn the_orientation_of_a_photo_is_applied() {
    let client = empty_world(shared());
    let jpeg = encoded(&checkerboard(600, 300), ImageFormat::Jpeg);
    for (orientation, is_upright) in [(1, true), (6, false)] {
        let merchant = expect_json(&set_logo(&client, &with_exif(&jpeg, orientation)), 200);
        let path = text(&merchant, "/logoUrl").split_once("/pay/").unwrap().1.to_owned();
        let file = client.with_authorization(None).get(&format!("/pay/{path}?")).body;
        let logo = image::load_from_memory(&file).unwrap().to_rgba8();
        let [top, left] = [(255, 10), (10, 255)].map(|(x, y)| logo.get_pixel(x, y).0[3]);
        assert_eq!((top == 0, left == 0), (is_upright, !is_upright), "{orientation}");
    }
}

/// A file of a few KiB can claim any size, but no memory is allocated for it.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn a_claimed_size_takes_no_memory() {
    let (server, client) = fresh_sandbox();
    expect_json(&set_logo(&client, &png()), 200);
    let before = server.peak_memory();
    let mut jpeg = encoded(&checkerboard(300, 300), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg.splice(frame + 5..frame + 9, [0xea, 0x60, 0xea, 0x60]);
    for file in [claiming(&png(), 60_000, 60_000), claiming(&png(), 0x7fff_ffff, 0x7fff_ffff), jpeg] {
        expect_fault(&set_logo(&client, &file), 413, FILE, "payload_too_large");
    }
    let growth = server.peak_memory() - before;
    assert!(growth < 32, "{growth} MiB");
}

/// An image of one colour is small as a file, and large in memory.
#[test]
fn a_large_image_of_one_colour_is_accepted_up_to_the_limit() {
    let client = empty_world(shared());
    let file = |height| encoded(&DynamicImage::ImageLuma8(GrayImage::new(8_000, height)), ImageFormat::Png);
    expect_json(&set_logo(&client, &file(5_000)), 200);
    expect_fault(&set_logo(&client, &file(5_001)), 413, FILE, "payload_too_large");
}

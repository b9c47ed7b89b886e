//! `PATCH /v2/merchant/logo` and `GET /pay/logos/{id}.png`.

use image::{DynamicImage, ImageFormat};
use serde_json::json;

use crate::openapi::assert_documented;
use crate::support::assert::{text, uuid};
use crate::support::logo::{LOGO, checkerboard, encoded, form, png, set_logo, upload};
use crate::support::payer::{Payer, html};
use crate::support::payments::fresh_sandbox;
use crate::support::storefront::Shop;
use crate::support::worlds::{create_world, empty_world, restore, snapshot, world_path};
use crate::support::{ABSENT, Answer, Client, expect_fault, expect_json, shared, together};

const MERCHANT: &str = "/v2/merchant";

/// Returns the path of a URL of the server.
fn path_of(client: &Client, url: &str) -> String {
    let path = url.strip_prefix(&format!("http://{}", client.address));
    path.unwrap_or_else(|| panic!("not a URL of the server: {url}")).to_owned()
}

/// Reads a path without an API key.
fn fetch(client: &Client, path: &str) -> Answer {
    client.with_authorization(None).get(&format!("{path}?"))
}

/// Uploads a file, and returns the path of the logo.
fn uploaded(client: &Client, file: &[u8]) -> String {
    path_of(client, text(&expect_json(&set_logo(client, file), 200), "/logoUrl"))
}

fn logo_url(client: &Client) -> serde_json::Value {
    expect_json(&client.get(MERCHANT), 200)["logoUrl"].clone()
}

/// Reads a logo as an image.
fn image_at(client: &Client, path: &str) -> DynamicImage {
    let answer = fetch(client, path);
    assert_eq!(answer.status, 200, "{path}");
    image::load_from_memory_with_format(&answer.body, ImageFormat::Png).unwrap()
}

#[test]
fn a_logo_is_a_png_of_one_size_that_everybody_can_read() {
    let client = empty_world(shared());
    assert_eq!(logo_url(&client), json!(null));
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let answer = set_logo(&client, &encoded(&checkerboard(400, 300), format));
        assert_documented("patch", LOGO, &answer);
        let merchant = expect_json(&answer, 200);
        assert_eq!(expect_json(&client.get(MERCHANT), 200), merchant);
        let path = path_of(&client, text(&merchant, "/logoUrl"));
        let id = path.strip_prefix("/pay/logos/").and_then(|name| name.strip_suffix(".png")).unwrap();
        uuid(&json!(id));
        let answer = fetch(&client, &path);
        for (name, value) in [
            ("content-type", "image/png"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none';"));
        let image = image_at(&client, &path);
        assert_eq!((image.width(), image.height()), (512, 512));
        // The image has 512 x 384 pixels, in the middle of the logo.
        let alpha = |x: u32, y: u32| image.to_rgba8().get_pixel(x, y).0[3];
        assert_eq!([alpha(255, 63), alpha(255, 64), alpha(255, 447), alpha(255, 448)], [0, 255, 255, 0], "{format:?}");
    }
}

#[test]
fn each_upload_has_a_new_address_and_the_previous_one_is_gone() {
    let client = empty_world(shared());
    let first = uploaded(&client, &png());
    let second = uploaded(&client, &png());
    assert_ne!(first, second);
    assert_eq!(fetch(&client, &first).status, 404);
    assert_eq!(fetch(&client, &second).status, 200);
    assert_eq!(path_of(&client, logo_url(&client).as_str().unwrap()), second);
    let renamed = client.call("PATCH", MERCHANT).json(r#"{"name": "New"}"#).send();
    assert_eq!(path_of(&client, text(&expect_json(&renamed, 200), "/logoUrl")), second);
}

#[test]
fn other_addresses_of_logos_are_404_pages() {
    let client = empty_world(shared());
    let path = uploaded(&client, &png());
    let id = path.strip_prefix("/pay/logos/").unwrap().strip_suffix(".png").unwrap();
    for name in [
        format!("{ABSENT}.png"),
        id.to_owned(),
        format!("{id}.jpg"),
        format!("{id}.png.png"),
        format!("{}.png", id.replace('-', "")),
        format!("{}.png", id.to_uppercase()),
        "x.png".to_owned(),
        "..%2f..%2fetc%2fpasswd.png".to_owned(),
    ] {
        let answer = fetch(&client, &format!("/pay/logos/{name}"));
        let page = html(&answer, 404);
        assert!(page.contains("<h1"), "{name}: {page}");
        assert!(answer.header("cache-control").is_none_or(|value| value.contains("no-store")), "{name}: {answer:?}");
    }
    for method in ["POST", "PATCH", "DELETE"] {
        assert_eq!(client.call(method, &format!("{path}?")).send().status, 405, "{method}");
    }
}

#[test]
fn the_payment_page_shows_the_logo() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    assert!(!payer.page().contains("<img"));
    let path = uploaded(&shop.client, &png());
    let shown = format!("<img class=\"badge\" src=\"{path}\" alt=\"\" width=\"48\" height=\"48\">");
    assert!(payer.page().contains(&shown), "{}", payer.page());
}

#[test]
fn a_logo_belongs_to_one_account() {
    let (one, other) = (empty_world(shared()), empty_world(shared()));
    let (first, second) = (uploaded(&one, &png()), uploaded(&other, &png()));
    assert_eq!((fetch(&one, &first).status, fetch(&one, &second).status), (200, 200));
    let foreign = set_logo(&one.with_account(&other.account), &png());
    expect_fault(&foreign, 404, "query.accountId", "not_found");
    assert_eq!(path_of(&other, logo_url(&other).as_str().unwrap()), second);
    let limited = upload(&shared().limited(), &[("file", &png())]).send();
    expect_fault(&limited, 403, "header.Authorization", "insufficient_scope");
    let anonymous = upload(&one.with_authorization(None), &[("file", &png())]).send();
    expect_fault(&anonymous, 401, "header.Authorization", "missing_credentials");
}

#[test]
fn an_account_without_a_profile_has_no_logo() {
    let client = empty_world(shared());
    let off = client.call("PATCH", "/v2/sandbox/merchant").json(r#"{"status": "DEACTIVATED"}"#).send();
    expect_json(&off, 200);
    expect_fault(&set_logo(&client, &png()), 404, "query.accountId", "not_found");
}

#[test]
fn a_retry_with_the_same_file_is_replayed() {
    let client = empty_world(shared());
    let file = png();
    // Clients choose another boundary for each request.
    let send = |file: &[u8], boundary: &str| {
        let media = format!("multipart/form-data; boundary={boundary}");
        let call = client.call("PATCH", LOGO).header("Idempotency-Key", "logo-1").header("Content-Type", &media);
        call.bytes(form(boundary, &[("file", file)])).send()
    };
    let first = send(&file, "one");
    assert!(!first.replayed());
    let again = send(&file, "two");
    assert!(again.replayed(), "{again:?}");
    assert_eq!(expect_json(&again, 200), expect_json(&first, 200));
    assert_eq!(logo_url(&client), first.json()["logoUrl"]);
    let other = send(&encoded(&checkerboard(300, 400), ImageFormat::Png), "one");
    expect_fault(&other, 422, "body", "idempotency_mismatch");
}

#[test]
fn snapshots_contain_the_logo_and_copies_have_their_own() {
    let (_, client) = create_world(shared(), json!({"template": "empty", "startsAt": "2026-09-01T12:00:00Z"}));
    let first = uploaded(&client, &png());
    let image = fetch(&client, &first).body;
    let saved = snapshot(&client);
    let second = uploaded(&client, &encoded(&checkerboard(300, 600), ImageFormat::Png));
    let (_, copy) = create_world(shared(), json!({"snapshotId": saved}));
    let copied = path_of(&copy, logo_url(&copy).as_str().unwrap());
    assert!(copied != first && copied != second);
    assert_eq!(fetch(&copy, &copied).body, image);
    restore(&client, &saved);
    assert_eq!(path_of(&client, logo_url(&client).as_str().unwrap()), first);
    assert_eq!((fetch(&client, &first).body, fetch(&client, &second).status), (image.clone(), 404));
    assert_eq!(client.call("DELETE", &world_path(&client.account)).send().status, 204);
    assert_eq!(fetch(&client, &first).status, 404);
    assert_eq!(fetch(&copy, &copied).body, image);
}

#[test]
fn a_seeded_world_gives_the_same_address_again() {
    let address = || {
        let (_, client) = create_world(shared(), json!({"template": "empty", "seed": "logos", "replace": true}));
        uploaded(&client, &png())
    };
    assert_eq!(address(), address());
}

/// Concurrent uploads need the memory of one image at a time.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn the_memory_of_concurrent_uploads_is_limited() {
    let (server, client) = fresh_sandbox();
    // The image needs 16 MB of memory, but its file has a few KiB.
    let image = DynamicImage::ImageRgba8(image::RgbaImage::new(2_000, 2_000));
    let file = encoded(&image, ImageFormat::Png);
    expect_json(&set_logo(&client, &file), 200);
    let before = server.peak_memory();
    let answers = together(8, |_| set_logo(&client, &file));
    assert!(answers.iter().any(|answer| answer.status == 200), "{answers:?}");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        expect_fault(answer, 503, "", "overloaded");
    }
    let growth = server.peak_memory() - before;
    assert!(growth < 64, "8 images took {growth} MiB more than one");
}

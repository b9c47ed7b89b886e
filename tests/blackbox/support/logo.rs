//! Uploads of logos.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::client::{Answer, Call, Client};

pub(crate) const LOGO: &str = "/v2/merchant/logo";

/// The boundary between the fields of an upload.
const BOUNDARY: &str = "----florin-form";

/// Draws a pattern of squares in two colours.
pub(crate) fn checkerboard(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(
        width,
        height,
        |x, y| if (x / 16 + y / 16) % 2 == 0 { Rgb([200, 30, 30]) } else { Rgb([20, 40, 160]) },
    )
    .into()
}

/// Encodes an image.
pub(crate) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Returns the file of a valid logo.
pub(crate) fn png() -> Vec<u8> {
    encoded(&checkerboard(300, 300), ImageFormat::Png)
}

/// Formats a form with these fields.
pub(crate) fn form(boundary: &str, fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut form = Vec::new();
    for (name, content) in fields {
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"logo.png\"\r\n");
        form.extend([head.as_bytes(), b"Content-Type: image/png\r\n\r\n", content, b"\r\n"].concat());
    }
    form.extend(format!("--{boundary}--\r\n").into_bytes());
    form
}

/// Prepares an upload of these fields. [`Call::send`] sends it.
pub(crate) fn upload<'a>(client: &'a Client, fields: &[(&str, &[u8])]) -> Call<'a> {
    let media = format!("multipart/form-data; boundary={BOUNDARY}");
    client.call("PATCH", LOGO).header("Content-Type", &media).bytes(form(BOUNDARY, fields))
}

/// Uploads a file.
pub(crate) fn set_logo(client: &Client, file: &[u8]) -> Answer {
    upload(client, &[("file", file)]).send()
}

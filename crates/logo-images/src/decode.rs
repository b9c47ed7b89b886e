//! Decodes images.

use crate::complete_jpeg::is_complete_jpeg;
use florin_domain::merchant::{LogoFormat, LogoHeader, LogoRefusal, MAX_LOGO_PIXELS, check_logo_header};
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, Limits};
use std::io::Cursor;

/// Maximum number of bytes that a decoder may allocate: 8 for each pixel, and 16 MiB for its tables.
const MAX_BYTES: u64 = MAX_LOGO_PIXELS * 8 + 16 * 1024 * 1024;

/// A decoded image, with the rotation or reflection that its metadata asks for.
pub(crate) struct Decoded {
    pub(crate) image: DynamicImage,
    pub(crate) orientation: Orientation,
}

/// Checks the header of a file, and decodes it.
pub(crate) fn decode(file: &[u8], format: LogoFormat) -> Result<Decoded, LogoRefusal> {
    let reader = Cursor::new(file);
    match format {
        LogoFormat::Png => {
            let decoder = PngDecoder::with_limits(reader, limits()).map_err(|_| unreadable_png(file))?;
            let is_animated = decoder.is_apng().map_err(unreadable)?;
            decode_with(decoder, is_animated)
        }
        LogoFormat::Jpeg => {
            let decoder = JpegDecoder::new(reader).map_err(unreadable)?;
            check_header(&decoder, false)?;
            if is_complete_jpeg(file) { decode_with(decoder, false) } else { Err(LogoRefusal::Unreadable) }
        }
        LogoFormat::WebP => {
            let decoder = WebPDecoder::new(reader).map_err(unreadable)?;
            let is_animated = decoder.has_animation();
            decode_with(decoder, is_animated)
        }
    }
}

fn decode_with(mut decoder: impl ImageDecoder, is_animated: bool) -> Result<Decoded, LogoRefusal> {
    check_header(&decoder, is_animated)?;
    decoder.set_limits(limits()).map_err(unreadable)?;
    // Damaged metadata does not make an image unreadable.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    Ok(Decoded { image, orientation })
}

fn check_header(decoder: &impl ImageDecoder, is_animated: bool) -> Result<(), LogoRefusal> {
    let (width, height) = decoder.dimensions();
    check_logo_header(LogoHeader { width, height, is_animated })
}

/// Returns why the decoder could not read the header of a PNG. The decoder also refuses sizes beyond its own limits:
/// then the refusal names the size.
fn unreadable_png(file: &[u8]) -> LogoRefusal {
    let number = |at: usize| Some(u32::from_be_bytes(file.get(at..at + 4)?.try_into().ok()?));
    let size = number(16).zip(number(20)).filter(|_| file.get(12..16) == Some(b"IHDR"));
    let claimed = size.map(|(width, height)| LogoHeader { width, height, is_animated: false });
    claimed.and_then(|header| check_logo_header(header).err()).unwrap_or(LogoRefusal::Unreadable)
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_BYTES);
    limits
}

/// Returns the refusal for a file that can't be decoded. The decoder's own message is dropped, because a
/// merchant would not understand it.
fn unreadable(_: ImageError) -> LogoRefusal {
    LogoRefusal::Unreadable
}

//! Scales images to the size of logos.

use crate::decode::Decoded;
use florin_domain::merchant::{LOGO_SIDE, LogoRefusal, fit_logo};
use image::codecs::png::{CompressionType, FilterType as RowFilter, PngEncoder};
use image::imageops::{self, FilterType};
use image::{DynamicImage, RgbaImage};

/// Fits an image into the square of a logo, with transparent margins, and encodes it as a PNG.
pub(crate) fn encode(Decoded { mut image, orientation }: Decoded) -> Result<Vec<u8>, LogoRefusal> {
    let has_alpha = image.color().has_alpha();
    premultiply(&mut image);
    let fitted = fit_logo(image.width(), image.height());
    if image.width().max(image.height()) > 4 * LOGO_SIDE {
        // Shrinks by averaging first: the filter is slow on large images, and no better at this size.
        image = image.thumbnail_exact(2 * fitted.width, 2 * fitted.height);
    }
    let mut image = image.resize_exact(fitted.width, fitted.height, FilterType::Lanczos3);
    image.apply_orientation(orientation);
    let mut pixels = image.into_rgba16();
    if has_alpha {
        each_colour(&mut pixels, 4, u32::from(u16::MAX), divided);
    }
    let pixels = DynamicImage::ImageRgba16(pixels).into_rgba8();
    let placed = fit_logo(pixels.width(), pixels.height());
    let mut logo = RgbaImage::new(LOGO_SIDE, LOGO_SIDE);
    imageops::replace(&mut logo, &pixels, placed.left.into(), placed.top.into());
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Default, RowFilter::Adaptive);
    // Writing to memory doesn't fail.
    logo.write_with_encoder(encoder).map_err(|_| LogoRefusal::Unreadable)?;
    Ok(png)
}

/// Multiplies the colours by the alpha in place, so that the colours of transparent pixels have no effect when pixels
/// are mixed.
fn premultiply(image: &mut DynamicImage) {
    match image {
        DynamicImage::ImageLumaA8(pixels) => each_colour(pixels, 2, u32::from(u8::MAX), multiplied),
        DynamicImage::ImageRgba8(pixels) => each_colour(pixels, 4, u32::from(u8::MAX), multiplied),
        DynamicImage::ImageLumaA16(pixels) => each_colour(pixels, 2, u32::from(u16::MAX), multiplied),
        DynamicImage::ImageRgba16(pixels) => each_colour(pixels, 4, u32::from(u16::MAX), multiplied),
        _ => {}
    }
}

/// Replaces each colour sample with `compute(colour, alpha, max)`. The last sample of a pixel is its alpha. `max` is
/// the maximum of a sample.
fn each_colour<S>(samples: &mut [S], channels: usize, max: u32, compute: fn(u32, u32, u32) -> u32)
where
    S: Copy + Into<u32> + TryFrom<u32>,
{
    for pixel in samples.chunks_exact_mut(channels) {
        let Some((alpha, colours)) = pixel.split_last_mut() else { continue };
        for colour in colours {
            let computed = compute((*colour).into(), (*alpha).into(), max).min(max);
            *colour = S::try_from(computed).unwrap_or(*colour);
        }
    }
}

/// Multiplies a colour by an alpha, rounding half up. For samples of 16 bits, the computation fits in 32 bits.
const fn multiplied(colour: u32, alpha: u32, max: u32) -> u32 {
    (colour * alpha + max / 2) / max
}

/// The inverse of [`multiplied`]. A transparent pixel has no colour.
const fn divided(colour: u32, alpha: u32, max: u32) -> u32 {
    match (colour * max + alpha / 2).checked_div(alpha) {
        Some(colour) => colour,
        None => 0,
    }
}

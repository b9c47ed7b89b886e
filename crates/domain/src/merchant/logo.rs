//! Logos of merchants: accepted files, and the fitting of images.

use crate::ids::{AccountId, LogoId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

/// Maximum size of an uploaded file, in bytes.
pub const MAX_LOGO_BYTES: usize = 5 * 1024 * 1024;
/// Maximum number of pixels of an uploaded image.
pub const MAX_LOGO_PIXELS: u64 = 40_000_000;
/// Minimum length of the shorter side of an uploaded image, in pixels.
pub const MIN_LOGO_SIDE: u32 = 256;
/// The width and height of a logo, in pixels.
pub const LOGO_SIDE: u32 = 512;

/// The logo of a merchant.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    /// The id, which is part of the logo's URL.
    pub id: LogoId,
    /// The account of the merchant.
    pub account: AccountId,
    /// A PNG with [`LOGO_SIDE`] pixels on each side, without metadata.
    pub png: Vec<u8>,
    /// When it was uploaded.
    pub created_at: DateTime<Utc>,
}

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, account, png, created_at } = self;
        f.debug_struct("Logo")
            .field("id", id)
            .field("account", account)
            .field("png", &format_args!("{} bytes", png.len()))
            .field("created_at", created_at)
            .finish()
    }
}

impl LogoId {
    /// Derives the id of a logo from a new id and from the image. In a seeded world, the same new ids occur again after
    /// a restore. With the image as part of the id, a browser never shows a cached image for another logo.
    #[must_use]
    pub fn of_image(new: Uuid, png: &[u8]) -> Self {
        Self(Uuid::new_v5(&new, png))
    }

    /// Derives the id of a copy of this logo on another account. It only depends on the id of this logo and the
    /// account, so a seeded world has the same ids in each run.
    #[must_use]
    pub fn copied_to(self, account: &AccountId) -> Self {
        Self(Uuid::new_v5(&self.0, account.as_str().as_bytes()))
    }
}

/// Formats of uploaded images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogoFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
}

impl LogoFormat {
    /// Detects the format of a file from its first bytes. `None`: it is none of these formats.
    pub fn of(file: &[u8]) -> Option<Self> {
        if file.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if file.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }
}

/// The properties of an image in its header, which are read before the image is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogoHeader {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Whether it is animated.
    pub is_animated: bool,
}

/// Reasons to refuse a file as a logo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LogoRefusal {
    /// The file has too many bytes.
    #[error("must be at most {MAX_LOGO_BYTES} bytes")]
    TooLarge,
    /// The file is neither PNG nor JPEG nor WebP.
    #[error("must be a PNG, JPEG or WebP image")]
    UnknownFormat,
    /// The image has too many pixels.
    #[error("must have at most {MAX_LOGO_PIXELS} pixels (got {0} x {1})")]
    TooManyPixels(u32, u32),
    /// The image is animated.
    #[error("must not be animated")]
    Animated,
    /// A side of the image is too short.
    #[error("must have sides of at least {MIN_LOGO_SIDE} pixels (got {0} x {1})")]
    TooSmall(u32, u32),
    /// The file is damaged.
    #[error("cannot be read: the image is damaged or incomplete")]
    Unreadable,
    /// Decoding takes more memory or time than is allowed for the size of the image.
    #[error("takes too much memory or time to decode")]
    TooExpensive,
}

/// Checks the size and the format of a file before it is read as an image.
pub fn check_logo_file(file: &[u8]) -> Result<LogoFormat, LogoRefusal> {
    if file.len() > MAX_LOGO_BYTES {
        return Err(LogoRefusal::TooLarge);
    }
    LogoFormat::of(file).ok_or(LogoRefusal::UnknownFormat)
}

/// Checks the header of an image before the image is decoded. This prevents small files from taking much memory.
pub fn check_logo_header(header: LogoHeader) -> Result<(), LogoRefusal> {
    let LogoHeader { width, height, is_animated } = header;
    if u64::from(width) * u64::from(height) > MAX_LOGO_PIXELS {
        Err(LogoRefusal::TooManyPixels(width, height))
    } else if is_animated {
        Err(LogoRefusal::Animated)
    } else if width.min(height) < MIN_LOGO_SIDE {
        Err(LogoRefusal::TooSmall(width, height))
    } else {
        Ok(())
    }
}

/// The placement of an image in a logo, in pixels. The rest of the logo is transparent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogoPlacement {
    /// The width of the resized image.
    pub width: u32,
    /// The height of the resized image.
    pub height: u32,
    /// The width of the margin on the left.
    pub left: u32,
    /// The height of the margin at the top.
    pub top: u32,
}

/// Fits an image into a logo: the longer side fills the logo, nothing is cropped, and the image is centred.
pub fn fit_logo(width: u32, height: u32) -> LogoPlacement {
    let longer = u64::from(width.max(height).max(1));
    // The division rounds half up. The result is at most `LOGO_SIDE`, because no side is longer than `longer`.
    let resized = |side: u32| {
        let rounded = (u64::from(side) * u64::from(LOGO_SIDE) * 2 + longer) / (longer * 2);
        u32::try_from(rounded).unwrap_or(LOGO_SIDE).clamp(1, LOGO_SIDE)
    };
    let (width, height) = (resized(width), resized(height));
    LogoPlacement { width, height, left: (LOGO_SIDE - width) / 2, top: (LOGO_SIDE - height) / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_content_decides_the_format() {
        let webp = |kind: &[u8]| [b"RIFF\x10\0\0\0", kind].concat();
        for (file, format) in [
            (b"\x89PNG\r\n\x1a\n....".to_vec(), Some(LogoFormat::Png)),
            (b"\xff\xd8\xff\xe0".to_vec(), Some(LogoFormat::Jpeg)),
            (webp(b"WEBPVP8 "), Some(LogoFormat::WebP)),
            (webp(b"WAVEfmt "), None),
            (webp(b"WEB"), None),
            (b"\x89PNG\n".to_vec(), None),
            (b"GIF89a".to_vec(), None),
            (b"<svg>".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(check_logo_file(&file), format.ok_or(LogoRefusal::UnknownFormat), "{file:?}");
        }
    }

    #[test]
    fn the_limits_of_a_file_and_of_an_image_are_inclusive() {
        let file = |size: usize| {
            let mut file = vec![0; size];
            file[..3].copy_from_slice(b"\xff\xd8\xff");
            check_logo_file(&file)
        };
        assert_eq!(file(MAX_LOGO_BYTES), Ok(LogoFormat::Jpeg));
        assert_eq!(file(MAX_LOGO_BYTES + 1), Err(LogoRefusal::TooLarge));
        let check = |width, height, is_animated| check_logo_header(LogoHeader { width, height, is_animated });
        assert_eq!(check(256, 256, false), Ok(()));
        assert_eq!(check(8_000, 5_000, false), Ok(()));
        assert_eq!(check(255, 5_000, false), Err(LogoRefusal::TooSmall(255, 5_000)));
        assert_eq!(check(5_000, 255, false), Err(LogoRefusal::TooSmall(5_000, 255)));
        assert_eq!(check(8_000, 5_001, false), Err(LogoRefusal::TooManyPixels(8_000, 5_001)));
        assert_eq!(check(u32::MAX, u32::MAX, true), Err(LogoRefusal::TooManyPixels(u32::MAX, u32::MAX)));
        assert_eq!(check(0, u32::MAX, false), Err(LogoRefusal::TooSmall(0, u32::MAX)));
        assert_eq!(check(256, 256, true), Err(LogoRefusal::Animated));
    }

    #[test]
    fn images_are_enlarged_or_shrunk_to_fit() {
        let placement = |width, height, left, top| LogoPlacement { width, height, left, top };
        for ((width, height), expected) in [
            ((256, 256), placement(512, 512, 0, 0)),
            ((512, 512), placement(512, 512, 0, 0)),
            ((4_000, 1_000), placement(512, 128, 0, 192)),
            ((300, 600), placement(256, 512, 128, 0)),
            ((256, 156_250), placement(1, 512, 255, 0)),
        ] {
            assert_eq!(fit_logo(width, height), expected, "{width} x {height}");
        }
    }

    #[test]
    fn another_image_has_another_id() {
        let id = |new, png: &[u8]| LogoId::of_image(Uuid::from_u128(new), png);
        assert_eq!(id(7, b"one"), id(7, b"one"));
        assert_ne!(id(7, b"one"), id(7, b"other"));
        assert_ne!(id(7, b"one"), id(8, b"one"));
    }

    #[test]
    fn a_copy_has_an_id_of_its_own() {
        let (one, other) = (AccountId::parse("F1").unwrap(), AccountId::parse("F2").unwrap());
        let id = LogoId(Uuid::from_u128(7));
        assert_eq!(id.copied_to(&one), id.copied_to(&one));
        assert_ne!(id.copied_to(&one), id.copied_to(&other));
        assert_ne!(id.copied_to(&one), LogoId(Uuid::from_u128(8)).copied_to(&one));
    }

    proptest! {
        /// An image of any size lies within the logo and touches two opposite edges.
        #[test]
        fn every_image_fits(width in any::<u32>(), height in any::<u32>()) {
            let LogoPlacement { width: fitted_width, height: fitted_height, left, top } = fit_logo(width, height);
            prop_assert!(fitted_width >= 1 && fitted_height >= 1);
            prop_assert!(left + fitted_width <= LOGO_SIDE && top + fitted_height <= LOGO_SIDE);
            prop_assert!(width.max(height) == 0 || fitted_width == LOGO_SIDE || fitted_height == LOGO_SIDE);
            prop_assert!(left.abs_diff(LOGO_SIDE - left - fitted_width) <= 1);
            prop_assert!(top.abs_diff(LOGO_SIDE - top - fitted_height) <= 1);
        }
    }
}

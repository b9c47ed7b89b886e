//! Conversion of uploaded images to logos.

use async_trait::async_trait;
use florin_domain::merchant::LogoRefusal;

/// Reasons that an image was not converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogoImageError {
    /// The file cannot be a logo.
    #[error(transparent)]
    Refused(#[from] LogoRefusal),
    /// No image can be converted at the moment. The reason is attached.
    #[error("cannot convert an image: {0}")]
    Unavailable(String),
    /// Too many other images are in progress. A retry may succeed.
    #[error("too many images are in progress")]
    Overloaded,
}

/// Converts uploaded images to logos.
///
/// Promises: [`florin_domain::merchant::check_logo_file`] checks the file, and
/// [`florin_domain::merchant::check_logo_header`] checks its header before the image is decoded. The orientation in the
/// metadata is applied, and [`florin_domain::merchant::fit_logo`] places the image. The result contains no metadata.
/// The memory of all images in progress is bounded, and so is the time for each image.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LogoImages: Send + Sync {
    /// Converts an uploaded file, and returns the PNG of the logo.
    async fn convert(&self, file: Vec<u8>) -> Result<Vec<u8>, LogoImageError>;
}

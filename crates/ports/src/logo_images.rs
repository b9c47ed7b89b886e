//! Makes logos from uploaded images.

use async_trait::async_trait;
use florin_domain::merchant::LogoRefusal;

/// Reasons that no logo was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogoImageError {
    /// The file cannot be a logo.
    #[error(transparent)]
    Refused(#[from] LogoRefusal),
    /// No image can be converted at the moment, for this reason.
    #[error("cannot convert an image: {0}")]
    Unavailable(String),
    /// Too many other images are in progress. A later try may work.
    #[error("too many images are in progress")]
    Overloaded,
}

/// Makes logos from uploaded images.
///
/// Promises: the file is checked by [`florin_domain::merchant::check_logo_file`], and its header by
/// [`florin_domain::merchant::check_logo_header`] before it is decoded. The orientation in its metadata is applied, and
/// [`florin_domain::merchant::fit_logo`] places the image. The result contains pixels only. The memory of all images in
/// progress is bounded, and so is the time that each of them takes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LogoImages: Send + Sync {
    /// Returns the PNG of the logo.
    async fn make(&self, file: Vec<u8>) -> Result<Vec<u8>, LogoImageError>;
}

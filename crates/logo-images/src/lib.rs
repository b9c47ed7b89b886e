//! Logos of merchants: decodes uploaded images, and encodes them as PNGs of one size, in a process of its own.
//!
//! A decoder may take far more memory or time than the size of an image says: a WebP of 1 MB can make it build gigabytes of
//! tables. So the program starts itself again for each image ([`LogoProcess`]), and this second process ([`convert_stdin`])
//! limits its own memory and processor time before it reads the file. Images are converted one at a time.

mod complete_jpeg;
mod convert;
mod decode;
mod limits;
mod process;
mod resize;
#[cfg(test)]
mod tests;

pub use convert::{CONVERT_LOGO, convert_stdin};
pub use process::LogoProcess;

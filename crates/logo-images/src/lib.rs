//! Converts uploaded logos of merchants into PNGs of one size, in a separate process.
//!
//! A decoder may need far more memory or time than the size of an image suggests: a WebP of 1 MB can make it build
//! gigabytes of tables. So the program starts itself again for each image ([`LogoProcess`]). This second process
//! ([`convert_stdin`]) limits its own memory and processor time before it reads the file. Images are converted one at a
//! time.

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

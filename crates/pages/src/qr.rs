//! QR codes.

use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write;

/// A QR code as an SVG path. One unit of the path is one module of the code.
pub(crate) struct Code {
    /// Number of modules along one side, including the quiet zones.
    pub(crate) size: usize,
    /// The SVG path of the dark modules.
    pub(crate) path: String,
}

/// Width of the quiet zone on each side, in modules (ISO/IEC 18004).
const QUIET: usize = 4;

/// Encodes a text. `None`: the text is too long for a QR code.
pub(crate) fn encode(text: &str) -> Option<Code> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let mut path = String::new();
    for (y, row) in modules.chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|one, next| one == next) {
            if run.first() == Some(&Color::Dark) {
                let length = run.len();
                // A rectangle that is as long as the run, and one module high.
                write!(path, "M{} {}h{length}v1h-{length}z", x + QUIET, y + QUIET).ok()?;
            }
            x += run.len();
        }
    }
    Some(Code { size: width + 2 * QUIET, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_three_corners_and_a_quiet_zone() {
        let code = encode("https://pay.example.com/pay/0123456789abcdef0123456789abcdef").unwrap();
        let last = code.size - QUIET - 7;
        for corner in [format!("M{QUIET} {QUIET}h7v1"), format!("M{last} {QUIET}h7v1"), format!("M{QUIET} {last}h7v1")]
        {
            assert!(code.path.contains(&corner), "{corner}");
        }
        assert!(encode(&"x".repeat(5_000)).is_none());
    }
}

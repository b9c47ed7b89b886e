//! Detects incomplete JPEGs: the decoder fills missing parts with grey, and reports no error.

/// Returns whether a JPEG contains the marker that ends the image. A thumbnail in the metadata can contain this
/// marker, too, so metadata is skipped by the lengths of its segments.
pub(crate) fn is_complete_jpeg(file: &[u8]) -> bool {
    let mut rest = file;
    while let Some((marker, after)) = next_marker(rest) {
        rest = match marker {
            0xd9 => return true,
            // The start of the image, and a marker without a segment.
            0xd8 | 0x01 => after,
            _ => match after {
                [high, low, ..] => after.get(usize::from(u16::from_be_bytes([*high, *low]))..).unwrap_or_default(),
                _ => return false,
            },
        };
    }
    false
}

/// Returns the next marker and the bytes after it. Skips compressed data, including its escaped bytes and restart
/// markers.
fn next_marker(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let is_marker = |pair: &[u8]| matches!(pair, [0xff, marker] if !matches!(marker, 0x00 | 0xff | 0xd0..=0xd7));
    let at = bytes.windows(2).position(is_marker)?;
    Some((*bytes.get(at + 1)?, bytes.get(at + 2..)?))
}

//! The room for lists on a page, so that every page stays below 30,000 bytes.

/// The size that every page stays below, in bytes.
pub(crate) const MAX_PAGE: usize = 30_000;
/// The room for all lists of a page, in bytes. It leaves enough for the rest of a page with ordinary texts.
pub(crate) const ROOM: usize = 20_000;
/// Minimum reduction of the room of a page that is too large, in bytes.
const STEP: usize = 1_000;

/// Returns the smaller room with which a page must be rendered again, if it had `page_size` bytes with this room.
/// `None`: the page is not too large, or it is too large even without its lists.
pub(crate) fn reduced_room(room: usize, page_size: usize) -> Option<usize> {
    let excess = page_size.checked_sub(MAX_PAGE - 1).filter(|excess| *excess > 0)?;
    (room > 0).then(|| room.saturating_sub(excess.max(STEP)))
}

/// Returns the number of rows, from the first on, that fit into a room, and the bytes that they take.
pub(crate) fn fitting(sizes: impl Iterator<Item = usize>, room: usize) -> (usize, usize) {
    let sums = sizes.scan(0_usize, |sum, size| {
        *sum = sum.saturating_add(size);
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= room).fold((0, 0), |(rows, _), sum| (rows + 1, sum))
}

/// Returns the length of a text after escaping, in bytes.
pub(crate) fn escaped_length(text: &str) -> usize {
    text.len() + 4 * text.bytes().filter(|byte| b"&<>\"'".contains(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_up_to_the_room() {
        for (room, expected) in [(0, (0, 0)), (2, (0, 0)), (3, (1, 3)), (7, (2, 7)), (99, (3, 12))] {
            assert_eq!(fitting([3, 4, 5].into_iter(), room), expected, "{room}");
        }
    }

    #[test]
    fn a_page_that_is_too_large_gets_less_room_until_there_is_none() {
        assert_eq!(reduced_room(ROOM, MAX_PAGE - 1), None);
        assert_eq!(reduced_room(ROOM, MAX_PAGE), Some(ROOM - STEP));
        assert_eq!(reduced_room(ROOM, MAX_PAGE - 1 + 7_000), Some(ROOM - 7_000));
        assert_eq!(reduced_room(500, MAX_PAGE), Some(0));
        assert_eq!(reduced_room(0, MAX_PAGE), None);
    }
}

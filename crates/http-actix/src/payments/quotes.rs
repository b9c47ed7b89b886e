//! Checks the quotes of a CSV. The CSV parser accepts malformed quotes and guesses their meaning, which is not
//! acceptable for payments.

/// A malformed quote in a CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadQuotes {
    /// The quote that was opened on this line is never closed.
    Open { line: usize },
    /// A field on this line continues after its closing quote.
    Continued { line: usize },
}

/// The position of a byte within its field.
#[derive(Clone, Copy)]
enum At {
    FieldStart,
    Plain,
    Quoted {
        since: usize,
    },
    /// After a quote inside a quoted field: the end of the field, or the first half of a doubled quote.
    Closed {
        since: usize,
    },
}

/// Checks every quote. Inside a field that does not begin with a quote, quotes are ordinary characters.
pub(super) fn check(bytes: &[u8], separator: u8) -> Result<(), BadQuotes> {
    let (mut at, mut line) = (At::FieldStart, 1);
    for &byte in bytes {
        at = match (at, byte) {
            (At::FieldStart, b'"') => At::Quoted { since: line },
            (At::Quoted { since }, b'"') => At::Closed { since },
            (At::Closed { since }, b'"') | (At::Quoted { since }, _) => At::Quoted { since },
            (_, b'\n' | b'\r') => At::FieldStart,
            (_, byte) if byte == separator => At::FieldStart,
            (At::FieldStart | At::Plain, _) => At::Plain,
            (At::Closed { .. }, _) => return Err(BadQuotes::Continued { line }),
        };
        line += usize::from(byte == b'\n');
    }
    match at {
        At::Quoted { since } => Err(BadQuotes::Open { line: since }),
        At::FieldStart | At::Plain | At::Closed { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_quotes_are_detected() {
        for good in ["", "a,b\r\n\"c,\"\"d\"\"\",\"e\nf\"\n", "6\" pipe,b", "\"\"", "\"a\"\n\"b\"", "\"\"\"\""] {
            assert_eq!(check(good.as_bytes(), b','), Ok(()), "{good}");
            assert_eq!(check(good.replace(',', ";").as_bytes(), b';'), Ok(()), "{good}");
        }
        assert_eq!(check(b"a\nb,\"c\nd,e\n", b','), Err(BadQuotes::Open { line: 2 }));
        assert_eq!(check(b"\"a\"\"\n", b','), Err(BadQuotes::Open { line: 1 }));
        assert_eq!(check(b"a\n\"b\" ,c", b','), Err(BadQuotes::Continued { line: 2 }));
    }
}

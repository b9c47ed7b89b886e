//! Parses multipart/form-data bodies (RFC 7578) that are completely in memory.

use actix_web::http::header::{ContentDisposition, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};
use httparse::{EMPTY_HEADER, Status};

/// Maximum number of headers of a part.
const MAX_HEADERS: usize = 16;
/// Maximum size of the headers of a part, in bytes.
const MAX_HEADER_BYTES: usize = 8 * 1024;
/// Maximum length of a boundary, in bytes.
const MAX_BOUNDARY: usize = 70;

/// A field of a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) name: String,
    pub(crate) content: &'a [u8],
}

/// The reason that a body is not a form. The text completes the sentence "`body` …".
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotMultipart(pub(crate) &'static str);

/// Returns the boundary of the parts. `None`: the body is not multipart/form-data, or its boundary is invalid.
pub(crate) fn boundary(request: &HttpRequest) -> Option<String> {
    let media = request.mime_type().ok()??;
    let boundary = media.get_param("boundary")?.as_str();
    let is_valid = media.essence_str() == "multipart/form-data" && (1..=MAX_BOUNDARY).contains(&boundary.len());
    is_valid.then(|| boundary.to_owned())
}

/// Returns the parts of a body.
pub(crate) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, NotMultipart> {
    let delimiter = format!("\r\n--{boundary}");
    let delimiter = delimiter.as_bytes();
    let first = delimiter.get(2..).unwrap_or_default();
    // A preamble may precede the first part.
    let mut rest = match body.strip_prefix(first) {
        Some(rest) => rest,
        None => split(body, delimiter).ok_or(NotMultipart("must begin with the boundary of its Content-Type"))?.1,
    };
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let headers = without_blanks(rest)
            .strip_prefix(b"\r\n")
            .ok_or(NotMultipart("must have a line break after each boundary"))?;
        let (name, content) = read_headers(headers)?;
        let (content, after) = split(content, delimiter).ok_or(NotMultipart("must end with the boundary"))?;
        parts.push(Part { name, content });
        rest = after;
    }
    Ok(parts)
}

/// Reads the headers of a part. Returns the name of its field, and the bytes after the headers.
fn read_headers(bytes: &[u8]) -> Result<(String, &[u8]), NotMultipart> {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let head = bytes.get(..MAX_HEADER_BYTES).unwrap_or(bytes);
    let Ok(Status::Complete((length, headers))) = httparse::parse_headers(head, &mut headers) else {
        return Err(NotMultipart("must have valid headers in each part, of at most 8 KiB"));
    };
    let disposition = headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-disposition"));
    let name = disposition.and_then(|header| {
        // A file name in this header may have any encoding.
        let value = HeaderValue::from_bytes(String::from_utf8_lossy(header.value).as_bytes()).ok()?;
        let disposition = ContentDisposition::from_raw(&value).ok().filter(ContentDisposition::is_form_data)?;
        disposition.get_name().map(str::to_owned)
    });
    let name = name.ok_or(NotMultipart("must name the field of each part in its Content-Disposition"))?;
    Ok((name, bytes.get(length..).unwrap_or_default()))
}

/// Splits at the first occurrence of a delimiter. `None`: the bytes do not contain the delimiter.
fn split<'a>(bytes: &'a [u8], delimiter: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(delimiter.len()).position(|window| window == delimiter)?;
    Some((bytes.get(..at)?, bytes.get(at + delimiter.len()..)?))
}

/// Skips the spaces and tabs that may follow a boundary.
fn without_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    bytes.get(blanks..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::CONTENT_TYPE;
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    fn part(name: &str, content: &[u8]) -> Vec<u8> {
        let head = format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a.png\"\r\n\r\n");
        [head.as_bytes(), content, b"\r\n"].concat()
    }

    #[test]
    fn fields_are_read_in_their_order() {
        let body = [part("file", b"\r\n--x\r\n--\0\xff"), part("", b""), b"--b--\r\nepilogue".to_vec()].concat();
        let expected = vec![
            Part { name: "file".into(), content: b"\r\n--x\r\n--\0\xff" },
            Part { name: String::new(), content: b"" },
        ];
        assert_eq!(parts(&body, "b"), Ok(expected));
        let preamble = [b"preamble\r\n".as_slice(), &part("file", b"x"), b"--b--"].concat();
        assert_eq!(parts(&preamble, "b"), Ok(vec![Part { name: "file".into(), content: b"x" }]));
        let blanks = b"--b \t\r\nA: b\r\ncontent-disposition:form-data;name=file\r\n\r\n1\r\n--b--";
        assert_eq!(parts(blanks, "b"), Ok(vec![Part { name: "file".into(), content: b"1" }]));
        assert_eq!(parts(b"--b--", "b"), Ok(vec![]));
    }

    #[test]
    fn other_bodies_are_refused() {
        let whole = [part("file", b"1"), b"--b--".to_vec()].concat();
        for length in 0..whole.len() {
            assert!(parts(&whole[..length], "b").is_err(), "{length}");
        }
        for body in [
            b"--c\r\n".to_vec(),
            b"--bc\r\n\r\n1\r\n--b--".to_vec(),
            b"--b\r\n\r\n1\r\n--b--".to_vec(),
            b"--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--".to_vec(),
            b"--b\r\nContent-Disposition: attachment; name=\"file\"\r\n\r\n1\r\n--b--".to_vec(),
            b"--b\r\nContent Disposition: form-data; name=\"file\"\r\n\r\n1\r\n--b--".to_vec(),
            [b"--b\r\n".as_slice(), &b"A: b\r\n".repeat(MAX_HEADERS + 1), b"\r\n1\r\n--b--"].concat(),
        ] {
            assert!(parts(&body, "b").is_err(), "{}", String::from_utf8_lossy(&body));
        }
    }

    #[test]
    fn the_content_type_names_the_boundary() {
        let boundary =
            |value: &str| boundary(&TestRequest::post().insert_header((CONTENT_TYPE, value)).to_http_request());
        assert_eq!(boundary("multipart/form-data; boundary=abc").as_deref(), Some("abc"));
        assert_eq!(boundary("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"").as_deref(), Some("a b"));
        let long = format!("multipart/form-data; boundary={}", "x".repeat(MAX_BOUNDARY + 1));
        for other in ["", "multipart/form-data", "multipart/mixed; boundary=a", "text/plain; boundary=a", long.as_str()]
        {
            assert_eq!(boundary(other), None, "{other}");
        }
    }

    proptest! {
        /// Any body is either read or refused, without a panic.
        #[test]
        fn no_body_panics(pieces in prop::collection::vec(prop_oneof![
            Just(b"--b".to_vec()), Just(b"\r\n".to_vec()), Just(b"--".to_vec()), Just(part("file", b"1")),
            Just(b"Content-Disposition: form-data; name=\"".to_vec()), prop::collection::vec(any::<u8>(), 0..9),
        ], 0..12)) {
            let _ = parts(&pieces.concat(), "b");
        }

        /// Contents without the delimiter are read unchanged.
        #[test]
        fn content_is_kept(content in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assume!(!content.windows(5).any(|window| window == b"\r\n--b"));
            let body = [part("file", &content), b"--b--".to_vec()].concat();
            prop_assert_eq!(parts(&body, "b"), Ok(vec![Part { name: "file".into(), content: &content }]));
        }
    }
}

//! Headers: credentials, idempotency keys, media types.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::EventId;
use florin_ports::IdempotencyKey;

/// Reads the API key (contract 1.1): `ApiKey <key>`, with the scheme in any case, or only the key.
pub(crate) fn api_key(request: &HttpRequest) -> Result<&str, Problem> {
    let mut values = request.headers().get_all(AUTHORIZATION);
    let missing = || {
        let message = "is required: send `ApiKey <key>`";
        Problem::new(StatusCode::UNAUTHORIZED, "header.Authorization", ErrorCode::MissingCredentials, message)
    };
    let value = values.next().ok_or_else(missing)?;
    if values.next().is_some() {
        let flaw = Flaw::new(FlawCode::DuplicateParameter, "must be given only once");
        return Err(Problem::faults(vec![flaw.at("header.Authorization")]));
    }
    let text = value.to_str().map_err(|_| Problem::invalid_credentials())?.trim();
    let key = match text.split_once([' ', '\t']) {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("ApiKey") => key.trim(),
        Some(_) => return Err(Problem::invalid_credentials()),
        None if text.eq_ignore_ascii_case("ApiKey") => "",
        None => text,
    };
    if key.is_empty() { Err(missing()) } else { Ok(key) }
}

/// Reads the idempotency key, if one was sent.
pub(crate) fn idempotency_key(request: &HttpRequest, faults: &mut Faults) -> Option<IdempotencyKey> {
    let name = HeaderName::from_static("idempotency-key");
    let mut values = request.headers().get_all(name);
    let first = values.next()?;
    let key = if values.next().is_some() {
        Err(Flaw::new(FlawCode::DuplicateParameter, "must be given only once"))
    } else {
        IdempotencyKey::parse(first.as_bytes())
    };
    faults.take("header.Idempotency-Key", key)
}

/// Reads the id of the last event that a client has received, if it sent one. An empty header counts as missing.
pub(crate) fn last_event_id(request: &HttpRequest, faults: &mut Faults) -> Option<EventId> {
    let name = HeaderName::from_static("last-event-id");
    let mut values = request.headers().get_all(name);
    let first = values.next().filter(|value| !value.is_empty())?;
    let id = if values.next().is_some() {
        Err(Flaw::new(FlawCode::DuplicateParameter, "must be given only once"))
    } else {
        EventId::parse(first.to_str().unwrap_or_default())
    };
    faults.take("header.Last-Event-ID", id)
}

/// Whether the Content-Type is JSON in UTF-8.
pub(crate) fn is_json(request: &HttpRequest) -> bool {
    has_media_type(request, "application/json")
}

/// Whether the Content-Type is CSV in UTF-8.
pub(crate) fn is_csv(request: &HttpRequest) -> bool {
    has_media_type(request, "text/csv")
}

/// Whether the Content-Type is that of an HTML form in UTF-8.
pub(crate) fn is_form(request: &HttpRequest) -> bool {
    has_media_type(request, "application/x-www-form-urlencoded")
}

/// Whether the Content-Type is the expected media type, in UTF-8.
pub(crate) fn has_media_type(request: &HttpRequest, expected: &str) -> bool {
    let mut values = request.headers().get_all(CONTENT_TYPE);
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(text) = value.to_str() else { return false };
    let mut parts = text.split(';').map(str::trim);
    parts.next().is_some_and(|media| media.eq_ignore_ascii_case(expected)) && parts.all(is_accepted)
}

fn is_accepted(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn key(value: &str) -> Result<String, u16> {
        let request = TestRequest::default().insert_header((AUTHORIZATION, value)).to_http_request();
        api_key(&request).map(str::to_owned).map_err(|problem| problem.response(None).status().as_u16())
    }

    #[test]
    fn keys_are_read_with_and_without_a_scheme() {
        for good in ["ApiKey abc", "apikey abc", "APIKEY  abc", "abc"] {
            assert_eq!(key(good), Ok("abc".to_owned()), "{good}");
        }
        for missing in ["", " ", "ApiKey", "ApiKey "] {
            assert_eq!(key(missing), Err(401), "{missing}");
        }
        for wrong in ["Bearer abc", "Basic YTpi"] {
            assert_eq!(key(wrong), Err(403), "{wrong}");
        }
    }

    #[test]
    fn json_in_utf_8_is_recognised() {
        let json =
            |value: &str| is_json(&TestRequest::default().insert_header((CONTENT_TYPE, value)).to_http_request());
        for good in [
            "application/json",
            "Application/JSON",
            "application/json; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
        ] {
            assert!(json(good), "{good}");
        }
        for wrong in ["text/json", "application/json; charset=latin1", "application/jsonx", ""] {
            assert!(!json(wrong), "{wrong}");
        }
        assert!(!is_json(&TestRequest::default().to_http_request()));
    }
}

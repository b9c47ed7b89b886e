//! Checks where a form was sent from.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::Uri;
use actix_web::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};

/// Checks that a form was sent from a page of this server. The host and port of its `Origin` must be those of the
/// `Host` header or of the public URL. Browsers send `Origin` with every form.
pub(super) fn check_origin(request: &HttpRequest, public_url: &str) -> Result<(), Problem> {
    if is_own(request.headers(), public_url) {
        return Ok(());
    }
    let message = "must be the origin of the payment page";
    Err(Problem::forbidden("header.Origin", ErrorCode::InvalidValue, message))
}

fn is_own(headers: &HeaderMap, public_url: &str) -> bool {
    let Some((scheme, authority)) = single_value(headers, ORIGIN).and_then(|origin| origin.split_once("://")) else {
        return false;
    };
    if authority.contains(['/', '?', '#', '@']) {
        return false;
    }
    let Some(origin) = host_and_port(scheme, authority) else { return false };
    let host = single_value(headers, HOST).and_then(|host| host_and_port(scheme, host));
    let public = public_url.split_once("://").and_then(|(scheme, rest)| host_and_port(scheme, rest.split('/').next()?));
    host.as_ref() == Some(&origin) || public == Some(origin)
}

/// Returns the value of a header. `None`: it is missing or was sent more than once.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name);
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Returns the host and the port of an authority. `None`: the scheme is unknown, or the authority is invalid.
fn host_and_port(scheme: &str, authority: &str) -> Option<(String, u16)> {
    let default = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let url: Uri = format!("{scheme}://{authority}").parse().ok()?;
    Some((url.host()?.to_ascii_lowercase(), url.port_u16().unwrap_or(default)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn check(origins: &[&'static str], host: &'static str, public_url: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_static(origin));
        }
        is_own(&headers, public_url)
    }

    #[test]
    fn an_origin_must_be_the_host_or_the_public_url() {
        let public = "https://pay.example.com/florin";
        for (origin, host) in [
            ("http://localhost:8080", "localhost:8080"),
            ("https://a.example", "a.example"),
            ("https://a.example", "A.example:443"),
            ("http://a.example", "a.example:80"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("https://pay.example.com", "10.0.0.7:8080"),
            ("https://pay.example.com:443", "10.0.0.7:8080"),
        ] {
            assert!(check(&[origin], host, public), "{origin} {host}");
        }
        for (origin, host) in [
            ("null", "localhost:8080"),
            ("", "localhost:8080"),
            ("http://localhost:8081", "localhost:8080"),
            ("http://localhost", "localhost:8080"),
            ("https://a.example", "a.example:80"),
            ("http://pay.example.com", "10.0.0.7:8080"),
            ("https://pay.example.com.evil.example", "a.example"),
            ("https://evil.example", "a.example"),
            ("https://evil.example/pay.example.com", "a.example"),
            ("https://pay.example.com@evil.example", "a.example"),
            ("https://pay.example.com/", "a.example"),
            ("file://a.example", "a.example"),
            ("a.example", "a.example"),
        ] {
            assert!(!check(&[origin], host, public), "{origin} {host}");
        }
        assert!(!check(&[], "a.example", public));
        assert!(!check(&["https://a.example", "https://a.example"], "a.example", public));
    }
}

//! Single requests to the API and commands, which prepare a measurement.

use crate::requests::api_key;
use crate::server;
use anyhow::{Context, bail};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time that a request may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a request on a new connection, and returns the body of the response. Fails unless the status is 2xx.
pub(crate) fn call(server: SocketAddr, method: &str, path: &str, body: &str) -> anyhow::Result<String> {
    call_with(&api_key(), server, method, path, body)
}

/// Sends a request with another API key.
pub(crate) fn call_with(key: &str, server: SocketAddr, method: &str, path: &str, body: &str) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!(
        "{method} /v2/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ApiKey {key}\r\nConnection: close\r\n\
        Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).with_context(|| format!("{method} {path}: no answer"))?;
    let (head, body) = answer.split_once("\r\n\r\n").with_context(|| format!("{method} {path}: {answer:?}"))?;
    if !head.starts_with("HTTP/1.1 2") {
        bail!("{method} {path}: {answer}");
    }
    Ok(body.to_owned())
}

/// Issues an API key with all scopes on all accounts of a client.
pub(crate) fn issue_key(url: &str, client: &str, settings: &[(&str, &str)]) -> anyhow::Result<String> {
    let issue = ["keys", "issue", "--client", client, "--all-scopes", "--json"];
    let issued = server::output(url, &issue, settings)?;
    Ok(member(&issued, "key").context("no key was issued")?.to_owned())
}

/// Returns the value of the first member with this name that has a string value.
pub(crate) fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = json.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Returns the string values of all members with this name.
pub(crate) fn members(json: &str, name: &str) -> Vec<String> {
    let starts = [format!("\"{name}\":\""), format!("\"{name}\": \"")];
    let mut found = Vec::new();
    for part in json.split(&starts[0]).skip(1).chain(json.split(&starts[1]).skip(1)) {
        found.extend(part.split('"').next().map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_by_its_name() {
        assert_eq!(member(r#"{"a":{"token":"x"},"token":"y"}"#, "token"), Some("x"));
        assert_eq!(member(r#"{"token":1}"#, "token"), None);
    }

    #[test]
    fn members_are_read_in_order() {
        assert_eq!(members(r#"{"rows":[{"id":"a","accountId":"x"},{"id":"b"}]}"#, "id"), ["a", "b"]);
        assert_eq!(members(r#"{ "id": "a" }"#, "id"), ["a"]);
    }
}

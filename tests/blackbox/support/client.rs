//! The usual test client: one key, one account, any operation.

use std::fmt;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;

use super::server::MAX_WAIT;

/// A complete answer. Header names are in lower case.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("the body is not JSON ({error}): {self:?}"))
    }

    /// Whether the answer is a replay.
    pub(crate) fn replayed(&self) -> bool {
        let value = self.header("idempotent-replayed");
        assert!(matches!(value, None | Some("true")), "Idempotent-Replayed: {value:?}");
        value.is_some()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.text().chars().take(2000).collect();
        write!(formatter, "{} {:?} {text}", self.status, self.headers)
    }
}

/// A caller of the API.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: String,
    pub(crate) authorization: Option<String>,
    pub(crate) account: String,
    agent: Agent,
}

impl Client {
    pub(crate) fn new(address: &str, authorization: Option<&str>, account: &str) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(0)
            .proxy(None)
            .timeout_global(Some(MAX_WAIT))
            .build()
            .new_agent();
        Self {
            address: address.to_owned(),
            authorization: authorization.map(str::to_owned),
            account: account.to_owned(),
            agent,
        }
    }

    /// Returns the same caller with another `Authorization` header, or none.
    pub(crate) fn with_authorization(&self, value: Option<&str>) -> Self {
        Self { authorization: value.map(str::to_owned), ..self.clone() }
    }

    /// Returns the same caller with another account.
    pub(crate) fn with_account(&self, account: &str) -> Self {
        Self { account: account.to_owned(), ..self.clone() }
    }

    /// Adds `accountId` to a target without a query.
    pub(crate) fn target(&self, path: &str) -> String {
        if path.contains('?') { path.to_owned() } else { format!("{path}?accountId={}", self.account) }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send()
    }

    /// Sends a POST of JSON text.
    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.call("POST", path).json(body).send()
    }

    /// Sends a POST of JSON text with an idempotency key.
    pub(crate) fn post_once(&self, path: &str, key: &str, body: impl AsRef<[u8]>) -> Answer {
        self.call("POST", path).header("Idempotency-Key", key).json(body).send()
    }

    /// Sends a PUT of JSON text.
    pub(crate) fn put(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.call("PUT", path).json(body).send()
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call<'_> {
        let mut headers = Vec::new();
        if let Some(value) = &self.authorization {
            headers.push(("Authorization".to_owned(), value.clone()));
        }
        Call { client: self, method: method.to_owned(), target: self.target(path), headers, body: None }
    }
}

/// A builder of one request.
pub(crate) struct Call<'a> {
    client: &'a Client,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Call<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a body with the media type of JSON.
    pub(crate) fn json(self, body: impl AsRef<[u8]>) -> Self {
        self.header("Content-Type", "application/json").bytes(body)
    }

    /// Sets a body without a media type.
    pub(crate) fn bytes(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Some(body.as_ref().to_vec());
        self
    }

    pub(crate) fn send(self) -> Answer {
        let what = format!("{} {}", self.method, self.target);
        self.try_send().unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Sends the request. Returns the answer, or the reason why there is none.
    pub(crate) fn try_send(self) -> Result<Answer, String> {
        let url = format!("http://{}{}", self.client.address, self.target);
        let mut request = Request::builder().method(self.method.as_str()).uri(url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let answer = match self.body {
            Some(body) => self.client.agent.run(request.body(body).map_err(|error| error.to_string())?),
            None => self.client.agent.run(request.body(()).map_err(|error| error.to_string())?),
        };
        let mut answer = answer.map_err(|error| error.to_string())?;
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = answer.body_mut().read_to_vec().map_err(|error| error.to_string())?;
        Ok(Answer { status: answer.status().as_u16(), headers, body })
    }
}

//! Receivers, names and senders for the tests.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_domain::card::DecisionQuestion;
use florin_domain::checkout::CheckoutSession;
use florin_domain::checkout::SessionPurpose::Shopping;
use florin_domain::ids::EventId;
use florin_domain::merchant::WebUrl;
use florin_domain::test_support::{CLIENT, CardScenario, a_budget, a_card, a_session, a_shipping, collecting_shipping};
use florin_domain::webhook::{SigningSecret, TargetPolicy, WebhookSecrets, WebhookUrl};
use florin_ports::{DecisionRequest, WebhookRequest};
use florin_webhook_http::{
    HttpDecisions, HttpShippingRates, HttpWebhookSender, NameLookup, SenderSettings, TrustedRoots,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reqwest::header::{HeaderMap, HeaderName};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// The behaviour of a receiver on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    Http,
    /// HTTP, and closes the connection after a response.
    HttpOnce,
    /// HTTP over TLS as `hooks.test`, with its own certificate authority.
    Tls,
    /// The same, and closes the connection after a response.
    TlsOnce,
    /// Accepts connections, and never writes.
    Nothing,
    /// Sends bytes that are not HTTP.
    Garbage,
    /// Closes connections without a response.
    Goodbye,
    /// Sends a head that never ends, byte by byte.
    DrippingHead,
    /// Sends a head that never ends, at full speed.
    EndlessHead,
    /// Sends a body of a terabyte, at full speed.
    EndlessBody,
    /// Sends a body of a terabyte, byte by byte.
    DrippingBody,
}

/// A request that a receiver received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the value of a header. The case of the name does not matter.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the headers, as the library of Standard Webhooks expects them.
    pub(crate) fn headers(&self) -> HeaderMap {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }
}

/// A receiver on port `port` of every address of the machine.
pub(crate) struct Receiver {
    port: u16,
    has_ipv6: bool,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    authority: CertificateDer<'static>,
}

type Answers = Arc<dyn Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync>;

impl Receiver {
    pub(crate) async fn start(
        speaks: Speaks,
        answers: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        // On Linux, a listener on all IPv6 addresses also listens on all IPv4 addresses.
        let (listener, has_ipv6) = match TcpListener::bind("[::]:0").await {
            Ok(listener) => (listener, true),
            Err(_) => (TcpListener::bind("0.0.0.0:0").await.unwrap(), false),
        };
        let port = listener.local_addr().unwrap().port();
        let (authority, tls) = certificates();
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let answers: Answers = Arc::new(answers);
        let (counter, log) = (Arc::clone(&connections), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                let (requests, answers, tls) = (Arc::clone(&log), Arc::clone(&answers), tls.clone());
                tokio::spawn(async move { converse(speaks, stream, tls, &requests, &answers).await });
            }
        });
        Self { port, has_ipv6, connections, requests, authority }
    }

    /// Whether the receiver has IPv6 addresses.
    #[allow(dead_code, reason = "some tests do not use it")]
    pub(crate) const fn has_ipv6(&self) -> bool {
        self.has_ipv6
    }

    pub(crate) fn url(&self, scheme: &str) -> String {
        let host = if scheme == "https" { "hooks.test" } else { "127.0.0.1" };
        format!("{scheme}://{host}:{}/hook", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn authority(&self) -> CertificateDer<'static> {
        self.authority.clone()
    }
}

/// Creates a certificate authority, and a TLS server with a certificate for `hooks.test` from it.
fn certificates() -> (CertificateDer<'static>, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["hooks.test".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    (issuer.der().clone(), TlsAcceptor::from(Arc::new(config)))
}

/// Builds an HTTP response from its status line, further headers and body.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

async fn converse(
    speaks: Speaks,
    mut stream: TcpStream,
    tls: TlsAcceptor,
    requests: &Mutex<Vec<ReceivedRequest>>,
    answers: &Answers,
) -> io::Result<()> {
    match speaks {
        Speaks::Http | Speaks::HttpOnce => serve(&mut stream, requests, answers, speaks == Speaks::HttpOnce).await,
        Speaks::Tls | Speaks::TlsOnce => {
            serve(&mut tls.accept(stream).await?, requests, answers, speaks == Speaks::TlsOnce).await
        }
        Speaks::Goodbye => Ok(()),
        _ => {
            if speaks == Speaks::Garbage {
                stream.read_buf(&mut Vec::new()).await?;
            } else {
                read_request(&mut stream).await?;
            }
            misbehave(speaks, &mut stream).await
        }
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    requests: &Mutex<Vec<ReceivedRequest>>,
    answers: &Answers,
    once: bool,
) -> io::Result<()> {
    loop {
        let got = read_request(stream).await?;
        let answer = answers(&got);
        requests.lock().unwrap().push(got);
        stream.write_all(&answer).await?;
        stream.flush().await?;
        if once {
            return stream.shutdown().await;
        }
    }
}

async fn misbehave(speaks: Speaks, stream: &mut TcpStream) -> io::Result<()> {
    const ENDLESS: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n";
    match speaks {
        Speaks::Garbage => stream.write_all(b"220 mail.test ESMTP ready when you are\r\n").await?,
        Speaks::DrippingHead => stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").await?,
        Speaks::EndlessHead => stream.write_all(b"HTTP/1.1 200 OK\r\n").await?,
        Speaks::EndlessBody | Speaks::DrippingBody => stream.write_all(ENDLESS).await?,
        _ => {}
    }
    loop {
        match speaks {
            Speaks::DrippingHead | Speaks::DrippingBody => {
                stream.write_all(b"x").await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Speaks::EndlessHead => stream.write_all(format!("X: {}\r\n", "x".repeat(60_000)).as_bytes()).await?,
            Speaks::EndlessBody => stream.write_all(&vec![b'x'; 65_536]).await?,
            _ => std::future::pending().await,
        }
    }
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<ReceivedRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let mut got =
        ReceivedRequest { head: String::from_utf8(bytes[..end].to_vec()).unwrap(), body: bytes[end..].to_vec() };
    let length = got.header("content-length").map_or(0, |length| length.parse::<usize>().unwrap());
    while got.body.len() < length {
        stream.read_buf(&mut got.body).await?;
    }
    Ok(got)
}

/// The host names of a test, each with the addresses that successive lookups return.
#[derive(Clone, Default)]
pub(crate) struct Names(Arc<Mutex<BTreeMap<String, VecDeque<Vec<IpAddr>>>>>);

pub(crate) fn names() -> Names {
    Names::default()
}

impl Names {
    pub(crate) fn with(self, name: &str, addresses: &[&str]) -> Self {
        self.then(name, addresses)
    }

    /// Lets the next lookup of the name return these addresses. The last addresses are returned by all further lookups.
    pub(crate) fn then(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.0.lock().unwrap().entry(name.to_owned()).or_default().push_back(addresses);
        self
    }
}

#[async_trait]
impl NameLookup for Names {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut names = self.0.lock().unwrap();
        let answers = names.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        if answers.len() > 1 { Ok(answers.pop_front().unwrap()) } else { Ok(answers[0].clone()) }
    }
}

fn settings(policy: TargetPolicy, names: &Names, roots: Vec<CertificateDer<'static>>) -> SenderSettings {
    SenderSettings {
        policy,
        names: Arc::new(names.clone()),
        roots: TrustedRoots::Given(roots),
        time_limit: Duration::from_secs(1),
    }
}

fn sender_with(policy: TargetPolicy, names: &Names, roots: Vec<CertificateDer<'static>>) -> HttpWebhookSender {
    HttpWebhookSender::new(settings(policy, names, roots)).unwrap()
}

/// A client for shipping rates, with a time limit of one second.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn rates(environment: Environment, names: &Names) -> HttpShippingRates {
    HttpShippingRates::new(settings(TargetPolicy::new(environment, Vec::new()), names, Vec::new())).unwrap()
}

/// A client that asks decision endpoints.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn decisions(environment: Environment, names: &Names) -> HttpDecisions {
    decisions_with(environment, Arc::new(names.clone()))
}

/// A client that asks decision endpoints, with a resolver.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn decisions_with(environment: Environment, names: Arc<dyn NameLookup>) -> HttpDecisions {
    let policy = TargetPolicy::new(environment, Vec::new());
    let roots = TrustedRoots::Given(Vec::new());
    HttpDecisions::new(SenderSettings { policy, names, roots, time_limit: HttpDecisions::TIME_LIMIT }).unwrap()
}

/// A sender with the rules of an environment.
pub(crate) fn sender(environment: Environment, names: &Names) -> HttpWebhookSender {
    sender_with(TargetPolicy::new(environment, Vec::new()), names, Vec::new())
}

/// A sender of production for which 127.0.0.2 is a public address.
pub(crate) fn tls_sender(names: &Names, authority: Option<CertificateDer<'static>>) -> HttpWebhookSender {
    let policy = TargetPolicy::new(Environment::Production, vec!["127.0.0.2/32".parse().unwrap()]);
    sender_with(policy, names, authority.into_iter().collect())
}

/// A sender for which every address is allowed.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn careless_sender(names: &Names) -> HttpWebhookSender {
    let everything = ["0.0.0.0/0", "::/0"].map(|net| net.parse().unwrap());
    sender_with(TargetPolicy::new(Environment::Production, everything.to_vec()), names, Vec::new())
}

pub(crate) fn secrets() -> WebhookSecrets {
    WebhookSecrets::new(SigningSecret::new(vec![1; 32]), None, None)
}

/// The real time, with which the library compares the timestamp of a signature.
#[allow(clippy::disallowed_methods, reason = "there is no Clock port here")]
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}

pub(crate) fn request(url: &str, secrets: &WebhookSecrets, body: &str) -> WebhookRequest {
    WebhookRequest {
        client: None,
        url: WebhookUrl::stored(url.to_owned()),
        id: EventId(uuid::Uuid::from_u128(0x0198_c0de)),
        body: body.into(),
        secrets: Arc::new(secrets.clone()),
        at: now(),
    }
}

/// A question about a card message to the endpoint at this URL.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn question(url: &str, time_limit: Duration) -> DecisionRequest {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("100.00 GBP"));
    let message = scenario.authorize("12.50");
    let id = EventId(message.token.0);
    let question = DecisionQuestion { amount: message.amount.of(message.currency), message, allows_partial: true };
    DecisionRequest {
        client: CLIENT,
        url: WebhookUrl::stored(url.to_owned()),
        time_limit,
        id,
        question: Arc::new(question),
        body: r#"{"amount": "12.50"}"#.into(),
        secrets: Arc::new(secrets()),
        at: now(),
    }
}

/// A session that loads its rates from this URL: https, or http to a loopback host.
#[allow(dead_code, reason = "some tests do not use it")]
pub(crate) fn session(url: &str) -> CheckoutSession {
    let mut session = collecting_shipping(a_session("12.50 GBP"), true);
    session.shipping = Some(a_shipping());
    if let Shopping { options: Some(options), .. } = &mut session.purpose {
        options.dynamic_rates_url = Some(WebUrl::stored(url.to_owned()));
    }
    session
}

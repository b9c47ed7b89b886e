//! `florin serve`

use super::Context;
use crate::demo::{self, DemoData};
use crate::machine::SystemClock;
use crate::output;
use crate::settings::{Listen, Settings};
use crate::usage::UsageError;
use crate::workers::Workers;
use crate::{environment, metrics, secrets, wiring};
use anyhow::{Context as _, anyhow};
use florin_domain::access::Environment;
use florin_http_actix::{HttpSettings, Introduction};
use florin_ports::{Clock, SecretCipher};
use florin_store_contract::AnyStore;
use serde::Serialize;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// JSON line that announces that the server is ready. Scripts wait for it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listening {
    base_url: String,
    listen: String,
    environment: &'static str,
}

pub(super) async fn run(context: &Context, store: &Arc<dyn AnyStore>) -> anyhow::Result<ExitCode> {
    let settings = &context.settings;
    let listen = resolve(settings)?;
    let _lock = wiring::lock(settings)?;
    let (environment, applied) = environment::of_server(settings, store.as_ref()).await?;
    if applied > 0 {
        tracing::info!(applied, "applied migrations");
    }
    let cipher = secrets::open(settings, environment, store.as_ref()).await?.cipher;
    let has_demo = prepare(settings, environment, store.as_ref(), cipher.as_ref()).await?;
    let services = wiring::services(settings, environment, store, cipher);
    let metrics = settings.metrics.then(metrics::collect).transpose()?;
    let http = HttpSettings {
        listen,
        workers: settings.workers,
        max_connections: settings.max_connections,
        max_in_flight: settings.max_in_flight,
        rate_limit: settings.rate_limit,
        metrics: metrics
            .clone()
            .map(|handle| Arc::new(move || handle.render()) as Arc<dyn Fn() -> String + Send + Sync>),
        introduction: Introduction {
            version: env!("CARGO_PKG_VERSION"),
            public_url: settings.public_url.clone(),
            has_demo,
        },
        drain: settings.drain,
        shutdown_timeout: settings.shutdown,
    };
    let batches = wiring::batches(settings, store)?;
    let bound = florin_http_actix::bind(services.clone(), batches, wiring::management(store), &http);
    let (server, address) = bound.map_err(|error| unbound(&settings.listen, &error))?;
    tracing::info!(%address, environment = environment.as_str(), "listening");
    announce(context, store.as_ref(), environment, address, has_demo).await?;
    let processing = wiring::processing(&services, store);
    let workers = Workers::start(&services, processing, settings.idempotency, metrics);
    let ended = server.await;
    if timeout(WORKERS_STOP, workers.stop()).await.is_err() {
        tracing::error!("a background worker did not stop in time");
    }
    tracing::info!("stopped");
    ended.context("the server failed").map(|()| ExitCode::SUCCESS)
}

/// Seeds the demo data in a fresh sandbox. Returns whether there is demo data with a working key.
async fn prepare(
    settings: &Settings,
    environment: Environment,
    store: &dyn AnyStore,
    cipher: &dyn SecretCipher,
) -> anyhow::Result<bool> {
    match environment {
        Environment::Sandbox => {
            let now = SystemClock.now();
            Ok(demo::seed(store, now, cipher).await? && demo::key_works(store, now).await?)
        }
        Environment::Production => {
            if demo::is_there(store).await? {
                let source = &settings.database_url.source;
                let message =
                    format!("{source}: the database has the demo data of a sandbox; use another one for production");
                return Err(UsageError::new(message).into());
            }
            Ok(false)
        }
    }
}

/// Prints the server's address and how to begin.
async fn announce(
    context: &Context,
    store: &dyn AnyStore,
    environment: Environment,
    address: SocketAddr,
    has_demo: bool,
) -> anyhow::Result<()> {
    let settings = &context.settings;
    let base_url = settings.base_url(address);
    if context.json {
        let environment = environment.as_str();
        return output::json(&Listening { base_url, listen: address.to_string(), environment });
    }
    let mut facts = vec![
        ["Base URL".to_owned(), base_url.clone()],
        ["Docs".to_owned(), format!("{}/docs", settings.root_url(address))],
    ];
    let mut advice =
        "To get an API key, run: florin clients create, florin accounts create, florin keys issue".to_owned();
    if has_demo {
        let data = DemoData::read(store, base_url, SystemClock.now()).await?;
        facts.push(["Demo account".to_owned(), data.account_id.to_owned()]);
        facts.push(["Demo key".to_owned(), data.api_key.to_owned()]);
        if let Some(request) = data.sample_request() {
            advice = format!("Try it:\n\n{request}");
        }
    }
    let title = format!("Florin {} listening on {address} ({}).", env!("CARGO_PKG_VERSION"), environment.as_str());
    output::line(&format!("{title}\n\n{}\n\n{advice}\n", output::pairs(&facts)))
}

/// The address to listen on.
fn resolve(settings: &Settings) -> anyhow::Result<SocketAddr> {
    let listen = &settings.listen;
    listen.resolve().map_err(|error| UsageError::new(format!("cannot resolve {listen}: {error}; {ELSEWHERE}")).into())
}

/// The time that a background worker has to finish its round.
const WORKERS_STOP: Duration = Duration::from_secs(5);

/// The advice for an address that can't be used.
const ELSEWHERE: &str = "choose another address with --listen or FLORIN_LISTEN";

/// The error for an address that can't be bound, in one line.
fn unbound(listen: &Listen, error: &std::io::Error) -> anyhow::Error {
    let why = match error.kind() {
        ErrorKind::AddrInUse => "another program uses this address".to_owned(),
        ErrorKind::AddrNotAvailable => "the address is not available on this machine".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    anyhow!("cannot listen on {listen}: {why}; {ELSEWHERE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_port_in_use_is_one_line() {
        let listen = Listen::Address(SocketAddr::from(([127, 0, 0, 1], 8080)));
        let said = unbound(&listen, &std::io::Error::from(ErrorKind::AddrInUse)).to_string();
        assert!(said.contains("127.0.0.1:8080: another program") && said.contains("FLORIN_LISTEN"), "{said}");
    }
}

//! `florin serve`

use super::Context;
use crate::cells::{Stores, refuse_as_home, refuse_departures};
use crate::deliverer::Deliverer;
use crate::demo::{self, DemoData};
use crate::machine::SystemClock;
use crate::metrics::SubscriptionMetrics;
use crate::output;
use crate::recording::Act;
use crate::settings::{AdminListen, Listen, Settings};
use crate::usage::UsageError;
use crate::workers::{self, CellServices, Retention, Workers};
use crate::{environment, limits, metrics, secrets, wiring};
use actix_web::rt::spawn;
use anyhow::{Context as _, anyhow};
use chrono::{DateTime, Utc};
use florin_application::demo::DemoSecrets;
use florin_application::{CheckoutServices, DeliveryServices, PageTokenMaker, Services};
use florin_domain::access::Environment;
use florin_domain::audit_log::AuditOutcome;
use florin_http_actix::{HttpSettings, Introduction, bind_address};
use florin_ports::{CellName, Clock, CompleteStorage};
use florin_store_contract::AnyStore;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// JSON line that announces that the server is ready. Scripts wait for it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listening {
    base_url: String,
    listen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    admin_listen: Option<String>,
    environment: &'static str,
}

pub(super) async fn run(context: &Context, store: &Arc<dyn AnyStore>) -> anyhow::Result<ExitCode> {
    let settings = &context.settings;
    let listen = resolve(settings)?;
    refuse_early_clock(SystemClock.now())?;
    let _lock = wiring::lock(&settings.database_url)?;
    refuse_damage(store).await?;
    refuse_as_home(settings, store.as_ref()).await?;
    refuse_departures(settings, store.as_ref())?;
    let (environment, applied) = environment::of_server(settings, store.as_ref()).await?;
    if applied > 0 {
        tracing::info!(applied, "applied migrations");
    }
    // The secrets of the home alone: a broken cell must not stop the start.
    let cipher = secrets::open(settings, environment, store.as_ref()).await?.cipher;
    let stores = Stores::of_server(settings, store, environment, &cipher).await?;
    let was_seeded = demo::exists(store.as_ref()).await?;
    let page_tokens = secrets::page_tokens(store.as_ref(), cipher.as_ref()).await?;
    let demo_secrets = DemoSecrets { cipher: cipher.as_ref(), page_tokens: &page_tokens };
    let has_demo = prepare(settings, environment, &stores, demo_secrets).await?;
    record_start(context, store.as_ref(), applied, has_demo && !was_seeded).await?;
    wiring::start_recording_events(stores.all.as_ref(), environment);
    let services = wiring::services(settings, environment, &stores.all, (cipher, page_tokens))?;
    let metrics = settings.metrics.then(metrics::collect).transpose()?;
    limits::allow_connections(settings.max_connections, stores.cells.len());
    let listener = bind_address(listen).map_err(|error| unbound(&settings.listen, &error))?;
    let admin = bind_admin(settings, listen)?;
    let public_url = settings.root_url(listener.local_addr()?);
    let subscriptions = SubscriptionMetrics::default();
    let http = HttpSettings {
        workers: settings.workers,
        max_connections: settings.max_connections,
        max_connections_per_address: settings.max_connections_per_address,
        max_in_flight: settings.max_in_flight,
        rate_limit: settings.rate_limit,
        metrics: metrics.clone().map(|handle| render_metrics(handle, subscriptions.clone())),
        has_public_metrics: !matches!(settings.admin_listen, AdminListen::At(_)),
        cors_origins: settings.cors_origins.clone(),
        introduction: Introduction {
            version: env!("CARGO_PKG_VERSION"),
            public_url: settings.public_url.clone(),
            has_demo,
        },
        drain: settings.drain,
        shutdown_timeout: settings.shutdown,
    };
    let all = wiring::all_services(settings, &services, &stores.all, public_url)?;
    let cells = of_cells(settings, &stores, (&services, &all.checkouts), &subscriptions)?;
    let deliverers: Vec<_> = cells.iter().map(|cell| Rc::clone(&cell.deliverer)).collect();
    let bound = florin_http_actix::bind(all, &http, listener, admin);
    let server = bound.map_err(|error| unbound(&settings.listen, &error))?;
    let addresses = Addresses { main: server.address, admin: server.admin };
    tracing::info!(address = %addresses.main, environment = environment.as_str(), "listening");
    announce(context, (store.as_ref(), &services.page_tokens), environment, addresses, has_demo).await?;
    let retention = Retention { records: settings.idempotency, events: settings.events };
    let workers = Workers::start((&services, &stores.all), cells, retention, metrics.as_ref());
    let ended = server.run(stop_all(deliverers, settings.shutdown)).await;
    if timeout(WORKERS_STOP, workers.stop()).await.is_err() {
        tracing::error!("a background worker did not stop in time");
    }
    if timeout(WORKERS_STOP, workers::record_the_rest(&services, stores.all.as_ref())).await.is_err() {
        tracing::error!("the last refused authentications and uses of keys were not recorded in time");
    }
    stores.close();
    tracing::info!("stopped");
    ended.context("the server failed").map(|()| ExitCode::SUCCESS)
}

/// The services of the workers of each cell, on its store alone. Without cells, they are those of the server.
fn of_cells(
    settings: &Settings,
    stores: &Stores,
    (services, checkouts): (&Services, &CheckoutServices),
    subscriptions: &SubscriptionMetrics,
) -> anyhow::Result<Vec<CellServices>> {
    // All cells share one sender.
    let deliveries = wiring::deliveries(settings, services, &stores.all)?;
    let of_cell = |cell: Option<&CellName>, store: &Arc<dyn AnyStore>| -> anyhow::Result<_> {
        let store: Arc<dyn CompleteStorage> = store.clone();
        let services = match cell {
            Some(_) => wiring::services_of_cell(settings, services, &store),
            None => services.clone(),
        };
        let deliveries =
            DeliveryServices { time: services.time.clone(), deliveries: store.clone(), ..deliveries.clone() };
        Ok(CellServices {
            cell: cell.cloned(),
            processing: wiring::processing(&services, &store),
            checkouts: CheckoutServices {
                time: services.time.clone(),
                sessions: store.clone(),
                payments: store.clone(),
                banks: store.clone(),
                ..checkouts.clone()
            },
            deliverer: Rc::new(Deliverer::new(deliveries, subscriptions.clone(), cell.cloned())?),
            services,
        })
    };
    stores.each().map(|(cell, store)| of_cell(cell, store)).collect()
}

/// Stops all deliverers at the same time.
async fn stop_all(deliverers: Vec<Rc<Deliverer>>, limit: Duration) {
    let stop = |deliverer: Rc<Deliverer>| spawn(async move { deliverer.stop(limit).await });
    let stopping: Vec<_> = deliverers.into_iter().map(stop).collect();
    for stopped in stopping {
        if let Err(error) = stopped.await {
            tracing::error!(%error, "the deliveries of a cell did not stop");
        }
    }
}

/// Returns the function that renders all metrics.
fn render_metrics(
    handle: PrometheusHandle,
    subscriptions: SubscriptionMetrics,
) -> Arc<dyn Fn() -> String + Send + Sync> {
    Arc::new(move || handle.render() + &subscriptions.render())
}

/// Records what the start of the server changed in the store.
async fn record_start(
    context: &Context,
    store: &dyn AnyStore,
    applied: usize,
    has_new_demo: bool,
) -> anyhow::Result<()> {
    let changes =
        [(applied > 0).then(|| format!("{applied} migration(s)")), has_new_demo.then(|| "demo data".to_owned())];
    let changes: Vec<_> = changes.into_iter().flatten().collect();
    if !changes.is_empty() {
        Act::additional(&context.command_line).end(store, AuditOutcome::Done, &changes.join(", ")).await?;
    }
    Ok(())
}

/// Seeds the demo data in a fresh sandbox, and refuses what production must not serve. Demo data is in the home only,
/// and a home with cells gets none here: `florin demo` seeds it. Returns whether there is demo data with a working key.
async fn prepare(
    settings: &Settings,
    environment: Environment,
    stores: &Stores,
    secrets: DemoSecrets<'_>,
) -> anyhow::Result<bool> {
    let store = stores.home.as_ref();
    match environment {
        Environment::Sandbox => {
            let now = SystemClock.now();
            let has_demo = if stores.directory.is_some() {
                demo::exists(store).await?
            } else {
                demo::seed(store, now, secrets).await?
            };
            Ok(has_demo && demo::key_works(store, now).await?)
        }
        Environment::Production => {
            if demo::exists(store).await? {
                let source = &settings.database_url.source;
                let message =
                    format!("{source}: the database has the demo data of a sandbox; use another one for production");
                return Err(UsageError::new(message).into());
            }
            if settings.public_url.is_none() {
                let message =
                    "production needs FLORIN_PUBLIC_URL (or --public-url): the URL of this server that payers use";
                return Err(UsageError::new(message).into());
            }
            Ok(false)
        }
    }
}

/// Prints the server's address and how to begin.
async fn announce(
    context: &Context,
    (store, page_tokens): (&dyn AnyStore, &PageTokenMaker),
    environment: Environment,
    Addresses { main: address, admin }: Addresses,
    has_demo: bool,
) -> anyhow::Result<()> {
    let settings = &context.settings;
    let base_url = settings.base_url(address);
    if context.json {
        let environment = environment.as_str();
        let admin_listen = admin.map(|address| address.to_string());
        return output::json(&Listening { base_url, listen: address.to_string(), admin_listen, environment });
    }
    let mut facts = vec![
        ["Base URL".to_owned(), base_url.clone()],
        ["Docs".to_owned(), format!("{}/docs", settings.root_url(address))],
    ];
    let mut hint =
        "To get an API key, run: florin clients create, florin accounts create, florin keys issue".to_owned();
    if has_demo {
        let data = DemoData::read(store, base_url, (SystemClock.now(), page_tokens)).await?;
        facts.push(["Demo account".to_owned(), data.account_id.to_owned()]);
        facts.push(["Demo key".to_owned(), data.api_key.to_owned()]);
        if let Some(request) = data.sample_request() {
            hint = format!("Try it:\n\n{request}");
        }
    }
    let title = format!("Florin {} listening on {address} ({}).", env!("CARGO_PKG_VERSION"), environment.as_str());
    output::line(&format!("{title}\n\n{}\n\n{hint}\n", output::pairs(&facts)))
}

/// Refuses a damaged store. A check that takes longer than [`CHECK_PATIENCE`] continues while the server serves; if it
/// finds damage, the store refuses everything from then on.
async fn refuse_damage(store: &Arc<dyn AnyStore>) -> anyhow::Result<()> {
    let store = Arc::clone(store);
    let check = tokio::spawn(async move {
        let checked = store.check_structure().await;
        if let Err(error) = &checked {
            tracing::error!(%error, "the store is damaged or cannot be checked; restore it from a backup");
        }
        checked
    });
    match timeout(CHECK_PATIENCE, check).await {
        Ok(checked) => Ok(checked??),
        Err(_) => Ok(()),
    }
}

/// Maximum time that the start of the server waits for the check of the store.
const CHECK_PATIENCE: Duration = Duration::from_secs(2);

/// Refuses a clock that shows a time before 1970: HTTP can't express such a time in a response.
fn refuse_early_clock(now: DateTime<Utc>) -> anyhow::Result<()> {
    if now < DateTime::UNIX_EPOCH {
        return Err(anyhow!("the clock of this machine shows {now}, a time before 1970; set it first"));
    }
    Ok(())
}

/// The addresses that a server is bound to.
#[derive(Clone, Copy)]
struct Addresses {
    main: SocketAddr,
    admin: Option<SocketAddr>,
}

/// Binds the address for operators. If the default address can't be bound, for example because another server on this
/// machine uses it, logs a warning and returns `None`.
fn bind_admin(settings: &Settings, main: SocketAddr) -> anyhow::Result<Option<TcpListener>> {
    let setting = &settings.admin_listen;
    let address = setting.resolve(main).and_then(|address| address.map(bind_address).transpose());
    match address {
        Err(error) if *setting == AdminListen::Default => {
            tracing::warn!(%error, "health and metrics have no address of their own; set FLORIN_ADMIN_LISTEN");
            Ok(None)
        }
        bound => bound.context("cannot listen on the address of FLORIN_ADMIN_LISTEN"),
    }
}

/// The address to listen on.
fn resolve(settings: &Settings) -> anyhow::Result<SocketAddr> {
    let listen = &settings.listen;
    listen.resolve().map_err(|error| UsageError::new(format!("cannot resolve {listen}: {error}; {ELSEWHERE}")).into())
}

/// Maximum time for the background workers to stop, and then for the last records to be written.
const WORKERS_STOP: Duration = Duration::from_secs(5);

/// The hint for an address that can't be used.
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
    fn a_clock_before_1970_is_refused() {
        let said = refuse_early_clock(DateTime::UNIX_EPOCH - chrono::TimeDelta::seconds(1)).unwrap_err().to_string();
        assert!(said.contains("1969-12-31 23:59:59 UTC"), "{said}");
        assert!(refuse_early_clock(DateTime::UNIX_EPOCH).is_ok());
    }

    #[test]
    fn the_error_for_a_port_in_use_is_one_line() {
        let listen = Listen::Address(SocketAddr::from(([127, 0, 0, 1], 8080)));
        let said = unbound(&listen, &std::io::Error::from(ErrorKind::AddrInUse)).to_string();
        assert!(said.contains("127.0.0.1:8080: another program") && said.contains("FLORIN_LISTEN"), "{said}");
    }
}

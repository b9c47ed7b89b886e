//! Connects adapters to ports.

use crate::lock::ServerLock;
use crate::machine::{RandomIds, RandomKeys, SystemClock};
use crate::settings::{Settings, Sourced};
use crate::usage::UsageError;
use anyhow::{Context, anyhow};
use chrono::TimeDelta;
use florin_access_cache::{CachedAccounts, CachedCallers};
use florin_application::{
    AccountClocks, BatchServices, CheckoutServices, DecisionServices, DeliveryServices, ManagementServices,
    MerchantServices, PageTokenMaker, ProcessingLimits, ProcessingServices, Services, WebhookServices,
};
use florin_bank_sandbox::{SandboxBank, SandboxPayerBanks};
use florin_domain::access::Environment;
use florin_domain::batch::ModulusTable;
use florin_domain::webhook::TargetPolicy;
use florin_http_actix::{AllServices, BLOCKING_THREADS, EventViews, decision_question};
use florin_logo_images::LogoProcess;
use florin_mfa::{SandboxProvider, TotpProvider};
use florin_ports::{
    CompleteStorage, EventRecording, MfaProvider, PaymentInitiation, PostcodeProvider, Readiness, SecretCipher,
    SimulatedBank,
};
use florin_postcode_embedded::EmbeddedPostcodes;
use florin_postcode_guard::{GuardSettings, GuardedPostcodes};
use florin_rates_sandbox::FixedRates;
pub(crate) use florin_short_cache::MAX_CACHE_AGE;
use florin_store_contract::{Adapter, AnyStore, MigrationProgress, StoreSettings};
use florin_webhook_http::{
    HttpDecisions, HttpShippingRates, HttpWebhookSender, SenderSettings, SystemNames, TrustedRoots,
};
use secrecy::{ExposeSecret, SecretString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The storage adapters of this program. The scheme of the database URL selects one.
pub(crate) const ADAPTERS: [Adapter; 2] = [florin_store_diesel::SQLITE, florin_store_diesel::POSTGRES];
/// Timeout of a postcode provider.
const POSTCODE_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of cached address lookups.
const POSTCODES_KEPT: u64 = 10_000;

// One thread pool may have to run all lookups for shipping rates; they use at most half of its threads.
const _: () = assert!(HttpShippingRates::LOOKUPS_MAX <= BLOCKING_THREADS / 2);

/// Opens the store, whatever its schema version. `create`: whether a missing database file is created. An error names
/// the setting that gave the URL.
pub(crate) fn open(url: &Sourced<SecretString>, create: bool) -> anyhow::Result<Arc<dyn AnyStore>> {
    let Sourced { value, source } = url;
    let at = StoreSettings { create, ..StoreSettings::at(value.expose_secret()) };
    let store = florin_store_contract::open(&ADAPTERS, &at);
    Ok(store.map_err(|error| UsageError::new(format!("{source}: {error}")))?)
}

/// The file of the database; `None` unless it is a SQLite database.
pub(crate) fn sqlite_file(url: &Sourced<SecretString>) -> Option<PathBuf> {
    florin_store_diesel::sqlite_file(&StoreSettings::at(url.value.expose_secret()))
}

/// Locks a SQLite database for this server. PostgreSQL needs no lock, because many servers can share it.
pub(crate) fn lock(url: &Sourced<SecretString>) -> anyhow::Result<Option<ServerLock>> {
    sqlite_file(url).map(|file| ServerLock::take(&file, &url.source)).transpose()
}

/// Applies pending migrations and returns their number. A schema newer than this program is refused.
pub(crate) async fn bring_up_to_date(store: &dyn AnyStore) -> anyhow::Result<usize> {
    bring_up_to_date_reporting(store, &|_, _| {}).await
}

/// Does what [`bring_up_to_date`] does, and reports each migration.
pub(crate) async fn bring_up_to_date_reporting(
    store: &dyn AnyStore,
    progress: MigrationProgress<'_>,
) -> anyhow::Result<usize> {
    match store.readiness().await? {
        // Change nothing: the server may lack the right to change the schema.
        Readiness::Ready => Ok(0),
        Readiness::MigrationsPending => store.migrate(progress).context("cannot apply the migrations"),
        unfit => Err(refusal(unfit)),
    }
}

/// Refuses a schema that is newer than this program.
pub(crate) async fn refuse_newer(store: &dyn AnyStore) -> anyhow::Result<()> {
    match store.readiness().await? {
        Readiness::Ready | Readiness::MigrationsPending => Ok(()),
        unfit => Err(refusal(unfit)),
    }
}

/// Refuses every schema except the current one.
pub(crate) async fn must_be_current(store: &dyn AnyStore) -> anyhow::Result<()> {
    match store.readiness().await? {
        Readiness::Ready => Ok(()),
        Readiness::MigrationsPending if store.environment().await?.is_none() => {
            Err(anyhow!("the database is empty or not up to date; run `florin init` or `florin migrate`"))
        }
        unfit => Err(refusal(unfit)),
    }
}

/// The error for a database that can't be used as it is.
fn refusal(unfit: Readiness) -> anyhow::Error {
    let hint = match unfit {
        Readiness::Ready => "",
        Readiness::MigrationsPending => "; run `florin migrate`",
        Readiness::SchemaTooNew => "; upgrade florin",
        Readiness::Replaced | Readiness::Damaged => "; restore it from a backup",
    };
    anyhow!("{}{hint}", unfit.problem().unwrap_or("the database is ready"))
}

/// The services for the HTTP adapter and the workers.
pub(crate) fn services(
    settings: &Settings,
    environment: Environment,
    store: &Arc<dyn CompleteStorage>,
    secrets: (Arc<dyn SecretCipher>, PageTokenMaker),
) -> anyhow::Result<Services> {
    Ok(services_with(settings, environment, store, secrets, decisions(settings, environment, store)?))
}

/// The services of the workers of one cell, on its store alone. They ask decision endpoints through the server's asker.
pub(crate) fn services_of_cell(settings: &Settings, services: &Services, store: &Arc<dyn CompleteStorage>) -> Services {
    let decisions = DecisionServices { endpoints: store.clone(), ..services.decisions.clone() };
    let secrets = (Arc::clone(&services.cipher), services.page_tokens.clone());
    services_with(settings, services.environment, store, secrets, decisions)
}

fn services_with(
    settings: &Settings,
    environment: Environment,
    store: &Arc<dyn CompleteStorage>,
    (cipher, page_tokens): (Arc<dyn SecretCipher>, PageTokenMaker),
    decisions: DecisionServices,
) -> Services {
    Services {
        environment,
        time: account_clocks(store),
        callers: Arc::new(CachedCallers::new(store.clone())),
        accounts: Arc::new(CachedAccounts::new(store.clone())),
        banks: store.clone(),
        activities: store.clone(),
        books: store.clone(),
        cards: store.clone(),
        decisions,
        chains: store.clone(),
        disputes: store.clone(),
        // Only simulated card messages use exchange rates.
        rates: Arc::new(FixedRates::new()),
        credits: store.clone(),
        events: store.clone(),
        batches: store.clone(),
        mfa_sessions: store.clone(),
        mfa_providers: mfa_providers(environment),
        cipher,
        digests: page_tokens.digests(),
        page_tokens,
        refusals: Arc::default(),
        key_uses: Arc::default(),
        postcodes: postcodes(settings, environment, store),
        upkeep: store.clone(),
        records: store.clone(),
        timelines: store.clone(),
        worlds: store.clone(),
        snapshot_files: store.clone(),
        keys: Arc::new(RandomKeys),
        world_lifetime: settings.world_lifetime,
    }
}

/// The services of real-time decisions on card messages.
fn decisions(
    settings: &Settings,
    environment: Environment,
    store: &Arc<dyn CompleteStorage>,
) -> anyhow::Result<DecisionServices> {
    let limits = (HttpDecisions::TIME_LIMIT, HttpDecisions::LOOKUPS_MAX);
    let asker = HttpDecisions::new(sender_settings(settings, environment, limits))?;
    Ok(DecisionServices {
        endpoints: store.clone(),
        asker: Arc::new(asker),
        render: Arc::new(decision_question),
        observe: Arc::new(|outcome| {
            metrics::counter!("florin_card_decisions_total", "outcome" => outcome).increment(1);
        }),
    })
}

/// The services of all groups of operations. `public_url` is the URL of this server that payers use.
pub(crate) fn all_services(
    settings: &Settings,
    services: &Services,
    store: &Arc<dyn CompleteStorage>,
    public_url: String,
) -> anyhow::Result<AllServices> {
    let batches = batches(settings, store)?;
    Ok(AllServices {
        services: services.clone(),
        management: management(settings, store),
        webhooks: webhooks(services, store),
        merchants: merchants(settings, store, &batches.modulus)?,
        checkouts: checkouts(settings, services, store, public_url)?,
        batches,
    })
}

/// Sets how the stores of this process write events. Called once, with the store that reaches all of them.
pub(crate) fn start_recording_events(store: &dyn CompleteStorage, environment: Environment) {
    let renderer = EventViews::new(Arc::new(SystemClock), Arc::new(RandomIds));
    store.start_recording_events(EventRecording { environment, renderer: Arc::new(renderer) });
}

/// Creates the clocks and id sources of accounts.
fn account_clocks(store: &Arc<dyn CompleteStorage>) -> AccountClocks {
    AccountClocks::new(Arc::new(SystemClock), Arc::new(RandomIds), store.clone())
}

/// The services that process payment batches, with the simulated bank. `None` in production, which has no bank adapter
/// yet, so confirmed batches are not processed.
pub(crate) fn processing(services: &Services, store: &Arc<dyn CompleteStorage>) -> Option<ProcessingServices> {
    match services.environment {
        Environment::Sandbox => Some(ProcessingServices {
            time: services.time.clone(),
            accounts: Arc::clone(&services.accounts),
            processing: store.clone(),
            rail: Arc::new(SandboxBank::new(store.clone(), Arc::new(SystemClock))),
            // The simulated bank responds immediately, so a short lease suffices: other workers take over soon after a
            // crash.
            limits: ProcessingLimits { lease: TimeDelta::seconds(5), ..ProcessingLimits::default() },
        }),
        Environment::Production => None,
    }
}

/// The services that manage budgets, cards, people and networks.
fn management(settings: &Settings, store: &Arc<dyn CompleteStorage>) -> ManagementServices {
    ManagementServices {
        time: account_clocks(store),
        budgets: store.clone(),
        transfers: store.clone(),
        cards: store.clone(),
        people: store.clone(),
        accounts: store.clone(),
        networks: store.clone(),
        audit_log: store.clone(),
        max_networks: settings.max_networks,
        max_people: settings.max_people,
        max_budgets: settings.max_budgets,
        max_cards: settings.max_cards,
    }
}

/// The services that manage subscriptions to events.
fn webhooks(services: &Services, store: &Arc<dyn CompleteStorage>) -> WebhookServices {
    WebhookServices {
        environment: services.environment,
        time: services.time.clone(),
        accounts: Arc::clone(&services.accounts),
        webhooks: store.clone(),
        deliveries: store.clone(),
        cipher: Arc::clone(&services.cipher),
        keys: Arc::clone(&services.keys),
    }
}

/// The services that deliver events.
pub(crate) fn deliveries(
    settings: &Settings,
    services: &Services,
    store: &Arc<dyn CompleteStorage>,
) -> anyhow::Result<DeliveryServices> {
    let limits = (HttpWebhookSender::TIME_LIMIT, HttpWebhookSender::LOOKUPS_MAX);
    let sender = HttpWebhookSender::new(sender_settings(settings, services.environment, limits));
    Ok(DeliveryServices {
        time: services.time.clone(),
        deliveries: store.clone(),
        cipher: Arc::clone(&services.cipher),
        sender: Arc::new(sender?),
        schedule: settings.webhook_retries,
        sleep: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
        spawn: Arc::new(|sending| {
            // Run it as a separate task, which is aborted when the set is dropped.
            let mut tasks = JoinSet::new();
            tasks.spawn(sending);
            Box::pin(async move { tasks.join_next().await?.ok() })
        }),
        observe: Arc::new(|outcome| {
            metrics::counter!("florin_webhook_attempts_total", "outcome" => outcome).increment(1);
        }),
        lease: TimeDelta::seconds(60),
    })
}

/// The settings for requests to servers of clients. Each sender has lookups of its own, so that no kind of request uses
/// up those of another. Lookups leave threads for reads of the store.
fn sender_settings(
    settings: &Settings,
    environment: Environment,
    (time_limit, max_lookups): (Duration, usize),
) -> SenderSettings {
    SenderSettings {
        policy: TargetPolicy::new(environment, settings.webhook_networks.clone()),
        names: Arc::new(SystemNames::new(max_lookups)),
        roots: TrustedRoots::Machine,
        time_limit,
    }
}

/// The services that manage payment batches.
fn batches(settings: &Settings, store: &Arc<dyn CompleteStorage>) -> anyhow::Result<BatchServices> {
    let modulus = match &settings.sort_codes {
        Some(Sourced { value: folder, source }) => sort_codes(folder, source)?,
        None => ModulusTable::built_in().context("cannot read the built-in table of sort codes")?,
    };
    Ok(BatchServices {
        time: account_clocks(store),
        management: store.clone(),
        reading: store.clone(),
        modulus: Arc::new(modulus),
    })
}

/// The services that manage merchants. They check bank details with the table of the payment batches.
fn merchants(
    settings: &Settings,
    store: &Arc<dyn CompleteStorage>,
    modulus: &Arc<ModulusTable>,
) -> anyhow::Result<MerchantServices> {
    Ok(MerchantServices {
        time: account_clocks(store),
        merchants: store.clone(),
        logo_images: Arc::new(LogoProcess::new().context("cannot find the program that converts logos")?),
        checkouts: store.clone(),
        settlement_accounts: store.clone(),
        payees: store.clone(),
        modulus: Arc::clone(modulus),
        max_checkouts: settings.max_checkouts,
        max_payees: settings.max_payees,
    })
}

/// The services of checkout sessions. Production has no adapter for the banks of payers yet, so nothing is paid there.
fn checkouts(
    settings: &Settings,
    services: &Services,
    store: &Arc<dyn CompleteStorage>,
    public_url: String,
) -> anyhow::Result<CheckoutServices> {
    let is_sandbox = services.environment == Environment::Sandbox;
    let initiation = is_sandbox.then(|| Arc::new(SandboxPayerBanks) as Arc<dyn PaymentInitiation>);
    let simulated_bank = is_sandbox.then(|| Arc::new(SandboxPayerBanks) as Arc<dyn SimulatedBank>);
    let limits = (HttpShippingRates::TIME_LIMIT, HttpShippingRates::LOOKUPS_MAX);
    let rates = HttpShippingRates::new(sender_settings(settings, services.environment, limits))?;
    Ok(CheckoutServices {
        time: services.time.clone(),
        sessions: store.clone(),
        payments: store.clone(),
        banks: store.clone(),
        shipping_rates: Arc::new(rates),
        page_tokens: services.page_tokens.clone(),
        initiation,
        simulated_bank,
        public_url,
    })
}

/// Reads Vocalink's tables of sort codes. `source` names the setting.
fn sort_codes(folder: &Path, source: &str) -> anyhow::Result<ModulusTable> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path)
            .map_err(|error| UsageError::new(format!("{source}: cannot read {}: {error}", path.display())))
    };
    let table = ModulusTable::parse(&read("valacdos.txt")?, &read("scsubtab.txt")?);
    table.map_err(|error| UsageError::new(format!("{source}: {}: {error}", folder.display())).into())
}

/// The MFA providers of an environment. The provider with fixed tokens exists in the sandbox only.
fn mfa_providers(environment: Environment) -> Vec<Arc<dyn MfaProvider>> {
    let totp: Arc<dyn MfaProvider> = Arc::new(TotpProvider::new());
    match environment {
        Environment::Sandbox => vec![totp, Arc::new(SandboxProvider::new())],
        Environment::Production => vec![totp],
    }
}

/// The postcode providers. Synthetic addresses exist in the sandbox only; imported ones in both environments.
fn postcodes(
    settings: &Settings,
    environment: Environment,
    store: &Arc<dyn CompleteStorage>,
) -> Arc<dyn PostcodeProvider> {
    let embedded = EmbeddedPostcodes::new(environment == Environment::Sandbox, store.clone());
    let guard =
        GuardSettings { timeout: POSTCODE_TIMEOUT, cache_for: settings.postcode_cache, cache_entries: POSTCODES_KEPT };
    Arc::new(GuardedPostcodes::new(Arc::new(embedded), guard))
}

//! State shared by all requests.

use crate::account_guards::AccountGuards;
use crate::form_limiter::FormLimiter;
use crate::load::InFlight;
use crate::pages::Introduction;
use crate::routes::events::Streams;
use crate::settings::{HttpSettings, RenderMetrics};
use crate::unknown_keys::UnknownKeyLimiter;
use crate::uploads::Uploads;
use actix_web::web::Bytes;
use florin_application::{
    BatchServices, CheckoutServices, ManagementServices, MerchantServices, Services, WebhookServices,
};
use florin_domain::access::Environment;
use florin_domain::ids::ClientId;
use florin_domain::merchant::Bank;
use florin_ports::StoreError;
use florin_short_cache::ShortCache;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The services of all groups of operations.
pub struct AllServices {
    /// Card messages, credits, activity, events, worlds, and what all operations use.
    pub services: Services,
    /// Payment batches.
    pub batches: BatchServices,
    /// Management of budgets, cards, people and networks.
    pub management: ManagementServices,
    /// Subscriptions to events.
    pub webhooks: WebhookServices,
    /// Merchants.
    pub merchants: MerchantServices,
    /// Checkout sessions, payments and refunds.
    pub checkouts: CheckoutServices,
}

/// State shared by all threads that serve requests.
pub(crate) struct App {
    pub(crate) services: Services,
    pub(crate) batches: BatchServices,
    pub(crate) management: ManagementServices,
    pub(crate) webhooks: WebhookServices,
    pub(crate) merchants: MerchantServices,
    pub(crate) checkouts: CheckoutServices,
    pub(crate) limiter: Option<RateLimiter>,
    pub(crate) unknown_keys: UnknownKeyLimiter,
    /// Limits the forms that payers send.
    pub(crate) forms: FormLimiter,
    pub(crate) metrics: Option<RenderMetrics>,
    /// Whether `/metrics` is also served at the address of the API.
    pub(crate) has_public_metrics: bool,
    /// The origins whose web pages may call the API.
    pub(crate) cors_origins: Vec<String>,
    pub(crate) in_flight: InFlight,
    pub(crate) uploads: Uploads,
    /// The open streams of events.
    pub(crate) streams: Arc<Streams>,
    /// Makes the restore or deletion of a world wait for the world's requests in progress, and new requests wait for
    /// the restore or deletion.
    pub(crate) account_guards: AccountGuards,
    /// Whether a stop signal was received. The server then reports that it is not ready, but still serves requests.
    pub(crate) stopping: AtomicBool,
    /// Whether the clock of the machine showed a time before 1970. The server is then not ready until it is restarted.
    pub(crate) had_early_clock: AtomicBool,
    /// The data that the home page shows about this server.
    pub(crate) introduction: Introduction,
    /// Rendered pages of the bank list, by limit and offset, for a short time.
    pub(crate) bank_pages: ShortCache<(i64, i64), Bytes, StoreError>,
    /// The complete bank list, for the payment pages.
    pub(crate) bank_list: ShortCache<(), Arc<Vec<Bank>>, StoreError>,
}

impl App {
    /// Maximum number of cached pages of the bank list. A full page takes about 200 KiB, and callers mostly request the
    /// first.
    const MAX_BANK_PAGES: u64 = 16;

    pub(crate) fn new(all: AllServices, settings: &HttpSettings) -> Self {
        let AllServices { services, batches, management, webhooks, merchants, checkouts } = all;
        Self {
            services,
            batches,
            management,
            webhooks,
            merchants,
            checkouts,
            limiter: settings.rate_limit.map(RateLimiter::new),
            unknown_keys: UnknownKeyLimiter::new(),
            forms: FormLimiter::new(),
            metrics: settings.metrics.clone(),
            has_public_metrics: settings.has_public_metrics,
            streams: Arc::default(),
            account_guards: AccountGuards::default(),
            cors_origins: settings.cors_origins.clone(),
            introduction: settings.introduction.clone(),
            stopping: AtomicBool::new(false),
            had_early_clock: AtomicBool::new(false),
            in_flight: InFlight::new(settings.max_in_flight),
            uploads: Uploads::new(),
            bank_pages: ShortCache::new(Self::MAX_BANK_PAGES),
            bank_list: ShortCache::new(1),
        }
    }

    /// Whether the home page and the docs show the demo key: in a sandbox with the demo data.
    pub(crate) fn shows_demo(&self) -> bool {
        self.services.environment == Environment::Sandbox && self.introduction.has_demo
    }
}

/// Limits the requests per second of each API client.
pub(crate) struct RateLimiter {
    limiter: DefaultKeyedRateLimiter<ClientId>,
    clock: DefaultClock,
}

impl RateLimiter {
    pub(crate) fn new(per_second: NonZeroU32) -> Self {
        let limiter = DefaultKeyedRateLimiter::keyed(Quota::per_second(per_second));
        Self { limiter, clock: DefaultClock::default() }
    }

    /// Counts a request. If the limit is exceeded, returns the number of seconds to wait as an error.
    pub(crate) fn count(&self, client: ClientId) -> Result<(), u64> {
        self.limiter
            .check_key(&client)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()).as_secs().saturating_add(1))
    }
}

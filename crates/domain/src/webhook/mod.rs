//! Webhooks: subscriptions to events, and the delivery of events to them (contract 6).

mod breaker;
mod delivery;
mod health;
mod retry;
mod secrets;
mod state;
mod subscription;
mod target;
mod url;

#[cfg(test)]
mod delivery_tests;
#[cfg(test)]
mod subscription_tests;
#[cfg(test)]
mod target_tests;

pub use breaker::Breaker;
pub use delivery::{
    AttemptOutcome, AttemptRecord, DELIVERIES_KEPT, DeliveredEvent, Delivery, DeliveryDecision, DeliveryStatus,
    SendError,
};
pub use health::{DisabledReason, FAILING_FOR, FirstFailure};
pub use retry::{Jitter, RETRY_AFTER_MAX, RetrySchedule};
pub use secrets::{SigningSecret, WebhookSecrets, authorization_header, shared_secret};
pub use state::WebhookState;
pub use subscription::{
    CheckoutIds, OverlapHours, RedeliverSituation, ShownOnce, WEBHOOKS_OF_A_CLIENT, Webhook, WebhookChange,
    WebhookRefusal, decide_create_webhook, decide_recover, decide_redeliver,
};
pub use target::{TargetPolicy, is_global};
pub use url::{WebhookUrl, check_target};

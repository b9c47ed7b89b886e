//! Views: the JSON of responses and events, with its schemas in the OpenAPI document.

mod account;
mod activity;
mod batch_check;
mod budget;
mod card;
mod card_settings;
mod chain;
mod checkout;
mod controls;
mod decision;
mod decline;
mod dispute;
mod dry_run;
mod event;
mod explanation;
mod invariants;
mod ip_address;
mod limit;
mod list;
mod merchant;
mod merchant_payment;
mod message_extras;
mod payment;
mod payment_alert;
mod payment_batch;
mod person;
mod question;
mod scalars;
mod scenario;
mod session;
mod top_up;
mod transaction;
mod transfer;
mod webhook;
mod world;

pub(crate) use account::{AccountParts, AccountView};
pub(crate) use activity::{ActivityDetailView, ActivityListView};
pub(crate) use batch_check::{BatchCheckView, shortage_message};
pub(crate) use budget::{BudgetParts, BudgetView};
pub(crate) use card::{CardDetailsView, CardView, TransitionView};
pub(crate) use card_settings::{HoldLifeView, OverClearingView};
pub(crate) use chain::ChainView;
pub(crate) use checkout::CheckoutView;
pub(crate) use controls::ControlsView;
pub(crate) use decision::DecisionEndpointView;
pub(crate) use dispute::{DisputeAnswer, DisputeMessageAnswer, DisputeView};
pub(crate) use dry_run::DryRunView;
pub use event::EventViews;
pub(crate) use event::envelope as event_envelope;
pub(crate) use event::{
    BatchChanged, BatchCompleted, BatchOrderChanged, BoxCredited, BoxDebited, CardStateUpdated, CardTransacted,
    EventTypeView, MerchantPaymentEnded, MerchantPaymentFailed, PaymentCreated, PaymentReturned, SessionEnded,
    StoredEventView, envelope_schema,
};
pub(crate) use explanation::ExplanationView;
pub(crate) use invariants::InvariantsView;
pub(crate) use ip_address::IpAddressView;
pub(crate) use limit::LimitView;
pub(crate) use list::List;
pub(crate) use merchant::{MerchantView, PayeeView, SettlementAccountView};
pub(crate) use merchant_payment::{MerchantPaymentView, RefundAnswer, RefundView};
pub(crate) use payment::PaymentView;
pub(crate) use payment_alert::AlertView;
pub(crate) use payment_batch::{BatchView, InputView};
pub(crate) use person::{PersonView, RoleView};
pub(crate) use question::QuestionView;
pub use question::decision_question;
pub(crate) use scalars::{Amount, Sum, Time};
pub(crate) use scenario::{ScenarioView, StepView};
pub(crate) use session::{MoneyView, OrderView, PaidSession, SessionView};
pub(crate) use top_up::TopUpView;
pub(crate) use transaction::{TransactionAnswer, TransactionView};
pub(crate) use transfer::TransferView;
pub(crate) use webhook::{
    CreatedWebhookView, DeliveryView, QueuedCountView, QueuedEventView, RotatedSecretView, WebhookView,
};
pub(crate) use world::{ClockView, CreatedWorldView, ImportedSnapshotView, SnapshotView, WorldView};

//! Test data: subscriptions to events.

use super::{CLIENT, noon};
use crate::event::EventKind;
use crate::ids::WebhookId;
use crate::secret::SealedSecret;
use crate::webhook::{Webhook, WebhookState, WebhookUrl};
use uuid::Uuid;

/// Returns an enabled subscription to the card messages of all accounts of the client. Its secrets cannot be decrypted.
pub fn a_webhook() -> Webhook {
    Webhook {
        id: WebhookId(Uuid::from_u128(1)),
        client: CLIENT,
        account: None,
        state: WebhookState::Enabled,
        url: WebhookUrl::stored("https://example.com/".into()),
        type_name: "CardTransaction".into(),
        kind: EventKind::CardTransaction,
        filter: None,
        ordered: false,
        secrets: SealedSecret::new(vec![1, 2, 3]),
        failing: None,
        created_at: noon(),
        updated_at: noon(),
        resumptions: 0,
    }
}

/// Returns the state of a subscription that its client disabled at noon.
pub fn disabled_by_client() -> WebhookState {
    WebhookState::Disabled { at: noon(), reason: None }
}

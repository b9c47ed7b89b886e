//! The fields that new sessions and new top-ups have in common.

use super::{CheckoutSession, PageTokenHash, PaymentReference, SessionPurpose, SessionState};
use crate::ids::{AccountId, CheckoutSessionId};
use crate::merchant::{Locale, WebUrl};
use crate::money::Money;
use crate::text::Text;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeSet;

/// The terms of a new session or top-up that the client sends.
#[derive(Clone, Debug)]
pub struct SessionTerms {
    /// The client's idempotency key.
    pub idempotency_key: Text<1, 255>,
    /// The amount, in the range of [`super::MERCHANT_AMOUNTS`].
    pub amount: Money,
    /// The URL to which the payer returns. `None`: the URL of the checkout, if there is one.
    pub return_url: Option<WebUrl>,
    /// The locale of the page. `None`: the locale of the checkout, if there is one.
    pub locale: Option<Locale>,
    /// The time for which the session can be paid.
    pub lifetime: TimeDelta,
}

/// A session or top-up to open: its terms, with its new id, its page token and the time.
#[derive(Clone, Debug)]
pub struct SessionDraft {
    /// The id of the new session.
    pub id: CheckoutSessionId,
    /// The merchant's account.
    pub account: AccountId,
    /// The terms that the client sent.
    pub terms: SessionTerms,
    /// The hash of the page token.
    pub token: PageTokenHash,
    /// Candidates for the payment reference. The session uses the first free one.
    pub references: Vec<PaymentReference>,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

impl SessionDraft {
    /// Returns the new OPEN session. `None`: all payment references are already used.
    pub(super) fn session(
        &self,
        purpose: SessionPurpose,
        taken: &BTreeSet<PaymentReference>,
    ) -> Option<CheckoutSession> {
        let terms = &self.terms;
        Some(CheckoutSession {
            id: self.id,
            account: self.account.clone(),
            purpose,
            state: SessionState::Open { has_begun: false },
            idempotency_key: terms.idempotency_key.as_str().to_owned(),
            merchant_reference: None,
            description: None,
            amount: terms.amount,
            basket: None,
            shipping: None,
            locale: terms.locale.clone(),
            return_url: terms.return_url.clone(),
            token: self.token,
            payment_reference: self.references.iter().find(|reference| !taken.contains(*reference)).cloned()?,
            expires_at: self.now.checked_add_signed(terms.lifetime).unwrap_or(DateTime::<Utc>::MAX_UTC),
            created_at: self.now,
            updated_at: self.now,
        })
    }
}

//! Identifiers. Each kind has its own type, so that the compiler can tell them apart.

use crate::fault::{Flaw, FlawCode};
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// Parses a UUID in its hyphenated form, with upper- or lower-case digits. Anything else is `invalid_format`.
pub fn parse_uuid(text: &str) -> Result<Uuid, Flaw> {
    let wrong = || Flaw::format("must be a UUID such as 0198c0de-0000-7000-8000-000000000001");
    // Uuid's parser also accepts the simple, braced and URN forms; only the hyphenated form has 36 characters.
    if text.len() != 36 {
        return Err(wrong());
    }
    Uuid::try_parse(text).map_err(|_| wrong())
}

macro_rules! uuid_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Parses the hyphenated form; anything else is `invalid_format`.
            pub fn parse(text: &str) -> Result<Self, Flaw> {
                parse_uuid(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

uuid_ids! {
    /// A checkout of a merchant.
    CheckoutId;
    /// A logo of a merchant. Each upload creates a new id.
    LogoId;
    /// A settlement account that SHOPPING sessions pay into.
    SettlementAccountId;
    /// A payee that `TOP_UP` sessions pay into.
    PayeeId;
    /// A checkout session, in which a payer pays a merchant.
    CheckoutSessionId;
    /// A payment or refund of a checkout session.
    MerchantPaymentId;
    /// A refund. It has a second id, a [`MerchantPaymentId`], because payments and refunds are listed together.
    RefundId;
    /// An order: what a payer bought in a SHOPPING session.
    MerchantOrderId;
    /// A payment batch.
    PaymentBatchId;
    /// A payment order: the payments of a batch in one currency from one funding budget.
    OrderId;
    /// A payment of a batch. The bank uses the same id.
    PaymentId;
    /// The lease of a worker on a batch, or on deliveries of a subscription.
    LeaseId;
    /// An event.
    EventId;
    /// A multi-factor authentication session.
    MfaSessionId;
    /// A budget, which holds money.
    BudgetId;
    /// A person.
    PersonId;
    /// The membership of a person in an account.
    PersonaId;
    /// A transfer between two budgets.
    TransferId;
    /// A card. Its `cardToken` has the same value.
    CardId;
    /// A limit of a card.
    LimitId;
    /// The `userToken` of a card: a second id, which each new card gets. It identifies neither a person nor a budget.
    UserToken;
    /// A dispute of a card transaction.
    DisputeId;
    /// A card message. The token of the first message also identifies the chain.
    TransactionToken;
    /// A journal transaction.
    JournalId;
    /// A movement in the activity of an account.
    ActivityId;
    /// An API client.
    ClientId;
    /// A move of an API client to another cell.
    MoveId;
    /// A network that a client may call from.
    NetworkId;
    /// An API key (not its secret).
    ApiKeyId;
    /// A snapshot of a world.
    SnapshotId;
    /// A subscription to events.
    WebhookId;
}

/// A short account id such as `F50091`: 1 to 36 characters, without NUL. Cloning it copies no text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(Arc<str>);

impl AccountId {
    /// Maximum length of an account id, in characters.
    pub const MAX: usize = 36;

    /// Parses an id: checks the length, and that the text contains no NUL.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if text.is_empty() {
            return Err(Flaw::required());
        }
        if text.contains('\0') {
            return Err(Flaw::format("must not contain the NUL character"));
        }
        let length = text.chars().count();
        if length > Self::MAX {
            let message = format!("must be at most {} characters (got {length})", Self::MAX);
            return Err(Flaw::new(FlawCode::TooLong, message));
        }
        Ok(Self(Arc::from(text)))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_a_uuid() {
        assert!(parse_uuid("0198C0DE-0000-7000-8000-00000000000A").is_ok());
        for wrong in [
            "0198c0de000070008000000000000001",
            "{0198c0de-0000-7000-8000-000000000001}",
            "urn:uuid:0198c0de-0000-7000-8000-000000000001",
            "0198c0de-0000-7000-8000-00000000000g",
            "",
        ] {
            assert_eq!(parse_uuid(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong}");
        }
    }

    #[test]
    fn account_ids_have_1_to_36_characters() {
        assert!(AccountId::parse("F50091").is_ok());
        assert_eq!(AccountId::parse("").unwrap_err().code, FlawCode::Required);
        assert_eq!(AccountId::parse(&"x".repeat(37)).unwrap_err().code, FlawCode::TooLong);
        assert_eq!(AccountId::parse("a\0b").unwrap_err().code, FlawCode::InvalidFormat);
    }
}

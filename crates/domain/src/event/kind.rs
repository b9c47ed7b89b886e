//! The kinds of events, and the types that subscriptions name.

use uuid::{Uuid, uuid};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $id:literal $(, $other:literal = $other_id:literal)?;)*) => {
        /// The kind of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventKind {
            $($(#[$doc])* $name,)*
        }

        impl EventKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the name in events and in the API.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// Returns the id of the event type that has the name of this kind.
            pub const fn id(self) -> Uuid {
                match self { $(Self::$name => uuid!($id),)* }
            }
        }

        impl EventType {
            /// All types: each kind under its own name, and then the alternative names of kinds.
            pub const ALL: &'static [Self] = &[
                $(Self { id: uuid!($id), name: stringify!($name), kind: EventKind::$name },)*
                $($(Self { id: uuid!($other_id), name: $other, kind: EventKind::$name },)?)*
            ];
        }
    };
}

/// A type of events that subscriptions can name. Some kinds have two types, under different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventType {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: &'static str,
    /// The kind of its events.
    pub kind: EventKind,
}

// The first four kinds have the ids of the original service.
kinds! {
    /// Money entered a budget: a credit, a top-up, a transfer, or a payment that was returned.
    BoxCredited = "25d5b682-7449-4d07-b6fc-7c9bf1239561";
    /// Money left a budget: a transfer, or a payment.
    BoxDebited = "fc05160e-0f0c-44e0-87a8-e2f093b09ff4";
    /// A card message was approved or declined, or a hold expired.
    CardTransaction = "da153b21-9c8d-46d2-8911-83c6da10655a";
    /// A card was created, or its state changed.
    CardStateUpdated = "a1920089-8cdd-404d-b1aa-624bc4170b40";
    /// A payment batch was validated, so that it can be confirmed.
    PaymentBatchCreated = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a01";
    /// A payment batch with this order was confirmed.
    PaymentBatchOrderCreated = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a02";
    /// Processing of a payment batch has started.
    PaymentBatchProcessing = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a03";
    /// Every payment of a batch is final, whether or not any succeeded.
    PaymentBatchCompleted = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a04";
    /// A payment batch was cancelled.
    PaymentBatchCancelled = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a05";
    /// A confirmed payment batch with this order was cancelled.
    PaymentBatchOrderCancelled = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a06";
    /// A payment of a batch was started, to be sent to the bank.
    PaymentCreated = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a07";
    /// The recipient's bank returned a payment.
    PaymentReturned = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a08";
    /// A checkout session was paid.
    MerchantCheckoutSessionCompleted = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a11",
        "RoqqettCheckoutSessionCompleted" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a21";
    /// A checkout session was cancelled.
    MerchantCheckoutSessionCancelled = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a12",
        "RoqqettCheckoutSessionCancelled" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a22";
    /// A checkout session was abandoned.
    MerchantCheckoutSessionAbandoned = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a13",
        "RoqqettCheckoutSessionAbandoned" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a23";
    /// A checkout session expired.
    MerchantCheckoutSessionExpired = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a14",
        "RoqqettCheckoutSessionExpired" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a24";
    /// A payment of a checkout session failed.
    MerchantPaymentFailed = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a15",
        "RoqqettPaymentFailed" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a25";
    /// A refund of a checkout payment is complete.
    MerchantRefundCompleted = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a16",
        "RoqqettRefundCompleted" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a26";
    /// A checkout payment arrived in the settlement account.
    MerchantPaymentReconciled = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a17",
        "RoqqettPaymentReconciled" = "7d0f6a3e-52c1-4b8e-9f0a-3c6d1e8b4a27";
}

impl EventType {
    /// Returns the type with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|known| known.name == name)
    }

    /// Returns the type with this id.
    pub fn with_id(id: Uuid) -> Option<&'static Self> {
        Self::ALL.iter().find(|known| known.id == id)
    }
}

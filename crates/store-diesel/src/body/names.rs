//! Enumerations of the domain, stored by the names of their members.

#[cfg(test)]
use super::backend;
use super::errors::{Outcome, corrupt};
use florin_domain::access::{Environment, Feature, Scope};
use florin_domain::batch::{
    AlertCode, AlertKind, FailureReason, InputFormat, InputStatus, PaymentBatchStatus, PaymentNetwork, PaymentStatus,
};
use florin_domain::budget::{BudgetFeature, BudgetKind, BudgetStatus, CreditScheme};
use florin_domain::card::{
    CardOwnerKind, CardState, ChainEnd, ChainKind, Control, ControlOwner, DecisionCode, DisputeReason, DisputeStatus,
    EntryMode, Fallback, FulfillmentStatus, LimitWindow, Match, MessageKind, Network, NoDecision, OverClearing,
    Response, ThreeDSecure, TransactionState, WalletTokenState,
};
use florin_domain::checkout::{
    BankReportResult, MerchantPaymentKind, MerchantPaymentStatus, PaymentFailure, PurposeKind, SessionStatus,
};
use florin_domain::event::EventKind;
use florin_domain::ids::BudgetId;
use florin_domain::ledger::{JournalKind, Pool};
use florin_domain::merchant::{
    ApprovalStatus, BankDetailsType, CheckoutStatus, CheckoutType, MerchantPermission, MerchantStatus,
};
use florin_domain::mfa::{MfaProviderName, MfaSessionState};
use florin_domain::people::{PersonStatus, Role};
use florin_domain::webhook::{DeliveryStatus, DisabledReason, SendError};
use florin_domain::world::WorldTemplate;
use std::fmt::Debug;
use uuid::Uuid;

/// The name of a pool, without the budget that it may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolName(pub(crate) &'static str);

impl PoolName {
    const ALL: [Self; 9] = [
        Self::of(Pool::Available(ANY_BUDGET)),
        Self::of(Pool::Held(ANY_BUDGET)),
        Self::of(Pool::Reserved(ANY_BUDGET)),
        Self::of(Pool::CardNetwork),
        Self::of(Pool::InboundPayments),
        Self::of(Pool::OutboundPayments),
        Self::of(Pool::Fees),
        Self::of(Pool::PayerBanks),
        Self::of(Pool::MerchantSettled(Uuid::nil())),
    ];

    /// Returns the name of this pool.
    pub(crate) const fn of(pool: Pool) -> Self {
        Self(pool.kind())
    }

    const fn as_str(self) -> &'static str {
        self.0
    }
}

/// A placeholder, for pools that belong to a budget.
const ANY_BUDGET: BudgetId = BudgetId(Uuid::nil());

/// A member of an enumeration that is stored by name.
pub(crate) trait Name: Copy + Debug + 'static {
    /// Returns all members.
    fn all() -> &'static [Self];

    /// Returns the name of this member, as stored.
    fn name(self) -> &'static str;

    /// Returns the member with this name.
    fn named(text: &str) -> Option<Self> {
        Self::all().iter().copied().find(|member| member.name() == text)
    }
}

/// Reads a stored name.
pub(crate) fn read_name<T: Name>(text: &str) -> Outcome<T> {
    T::named(text).ok_or_else(|| corrupt(format!("unknown value `{text}`")))
}

/// Returns the names of the members that meet a condition, as the content of an SQL list: `'OPEN', 'WON'`.
pub(crate) fn sql_list<T: Name>(condition: impl Fn(T) -> bool) -> String {
    let names = T::all().iter().filter(|member| condition(**member)).map(|member| format!("'{}'", member.name()));
    names.collect::<Vec<_>>().join(", ")
}

macro_rules! names {
    ($($list:ty: $all:expr, $name:expr;)*) => {$(
        impl Name for $list {
            fn all() -> &'static [Self] {
                $all
            }

            fn name(self) -> &'static str {
                $name(self)
            }
        }
    )*};
}

names! {
    AlertCode: Self::ALL, Self::as_str;
    AlertKind: &Self::ALL, Self::as_str;
    ApprovalStatus: &Self::ALL, Self::as_str;
    BankDetailsType: &Self::ALL, Self::as_str;
    BankReportResult: &Self::ALL, Self::as_str;
    BudgetKind: &Self::ALL, Self::as_str;
    BudgetStatus: &Self::ALL, Self::as_str;
    BudgetFeature: &Self::ALL, Self::as_str;
    CardOwnerKind: &Self::ALL, Self::as_str;
    CardState: &Self::ALL, Self::as_str;
    WorldTemplate: &Self::ALL, Self::as_str;
    ChainEnd: &Self::ALL, Self::as_str;
    ChainKind: &Self::ALL, Self::as_str;
    CheckoutStatus: &Self::ALL, Self::as_str;
    CheckoutType: &Self::ALL, Self::as_str;
    DecisionCode: &Self::ALL, Self::code;
    Fallback: &Self::ALL, Self::as_str;
    NoDecision: &Self::ALL, Self::as_str;
    Control: &Self::ALL, Self::as_str;
    ControlOwner: &Self::ALL, Self::as_str;
    CreditScheme: &Self::ALL, Self::as_str;
    DeliveryStatus: &Self::ALL, Self::as_str;
    DisabledReason: &Self::ALL, Self::as_str;
    DisputeReason: &Self::ALL, Self::as_str;
    DisputeStatus: &Self::ALL, Self::as_str;
    SendError: &Self::ALL, Self::as_str;
    EntryMode: &Self::ALL, Self::as_str;
    EventKind: Self::ALL, Self::as_str;
    FailureReason: &Self::ALL, Self::as_str;
    FulfillmentStatus: &Self::ALL, Self::as_str;
    InputFormat: &Self::ALL, Self::as_str;
    InputStatus: &Self::ALL, Self::as_str;
    Environment: &[Self::Sandbox, Self::Production], Self::as_str;
    Feature: &Self::ALL, Self::as_str;
    JournalKind: &Self::ALL, Self::as_str;
    PoolName: &Self::ALL, Self::as_str;
    Match: &Self::ALL, Self::as_str;
    MessageKind: &Self::ALL, Self::as_str;
    MerchantPaymentKind: &Self::ALL, Self::as_str;
    MerchantPaymentStatus: &Self::ALL, Self::as_str;
    MerchantPermission: &Self::ALL, Self::as_str;
    MerchantStatus: &Self::ALL, Self::as_str;
    MfaProviderName: &[Self::Totp, Self::Sandbox], Self::as_str;
    MfaSessionState: &Self::ALL, Self::as_str;
    Network: &Self::ALL, Self::as_str;
    OverClearing: &Self::ALL, Self::as_str;
    PersonStatus: &Self::ALL, Self::as_str;
    Role: &Self::ALL, Self::as_str;
    PaymentBatchStatus: &Self::ALL, Self::as_str;
    PaymentFailure: &Self::ALL, Self::as_str;
    PurposeKind: &Self::ALL, Self::as_str;
    SessionStatus: &Self::ALL, Self::as_str;
    PaymentNetwork: &Self::ALL, Self::as_str;
    PaymentStatus: &Self::ALL, Self::as_str;
    Response: &Self::ALL, Self::code;
    Scope: Self::ALL, Self::as_str;
    LimitWindow: &Self::ALL, Self::as_str;
    ThreeDSecure: &Self::ALL, Self::as_str;
    WalletTokenState: &Self::ALL, Self::as_str;
    TransactionState: &Self::ALL, Self::as_str;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The database would reject a name that no CHECK lists.
    #[test]
    fn every_name_is_in_the_schema() {
        fn check<T: Name>(schema: &str) {
            for member in T::all() {
                assert!(schema.contains(&format!("'{}'", member.name())), "{member:?}");
                assert_eq!(T::named(member.name()).map(Name::name), Some(member.name()));
            }
        }
        let schema = backend::migrations::sources();
        check::<AlertCode>(&schema);
        check::<AlertKind>(&schema);
        check::<ApprovalStatus>(&schema);
        check::<BankDetailsType>(&schema);
        check::<MerchantStatus>(&schema);
        check::<BudgetKind>(&schema);
        check::<BudgetStatus>(&schema);
        check::<PersonStatus>(&schema);
        check::<Role>(&schema);
        check::<DeliveryStatus>(&schema);
        check::<DisabledReason>(&schema);
        check::<DisputeReason>(&schema);
        check::<DisputeStatus>(&schema);
        check::<Fallback>(&schema);
        check::<SendError>(&schema);
        check::<EventKind>(&schema);
        check::<FailureReason>(&schema);
        check::<InputFormat>(&schema);
        check::<InputStatus>(&schema);
        check::<OverClearing>(&schema);
        check::<PaymentNetwork>(&schema);
        check::<PaymentStatus>(&schema);
        check::<CardOwnerKind>(&schema);
        check::<CardState>(&schema);
        check::<ChainEnd>(&schema);
        check::<ChainKind>(&schema);
        check::<CheckoutStatus>(&schema);
        check::<FulfillmentStatus>(&schema);
        check::<CheckoutType>(&schema);
        check::<CreditScheme>(&schema);
        check::<Environment>(&schema);
        check::<Feature>(&schema);
        check::<JournalKind>(&schema);
        check::<PoolName>(&schema);
        check::<MessageKind>(&schema);
        check::<MfaProviderName>(&schema);
        check::<MfaSessionState>(&schema);
        check::<Network>(&schema);
        check::<PaymentBatchStatus>(&schema);
        check::<Response>(&schema);
        check::<LimitWindow>(&schema);
        check::<TransactionState>(&schema);
    }
}

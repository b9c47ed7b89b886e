//! The lists of storage ports: the one place that names all of them.

use crate::{
    AccountProfiles, Accounts, Activities, AddressBook, AuditLog, Banks, BatchManagement, BatchProcessing,
    BatchReading, Books, BooksCheck, Budgets, Callers, CardLedger, CardManagement, ChainHistories, CheckoutSessions,
    Checkouts, ClientNetworks, Credits, DecisionEndpoints, Deliveries, Disputes, Events, IdempotencyRecords, KeyUpkeep,
    MerchantPayments, Merchants, MfaSessions, Payees, PaymentBatches, People, Registry, SandboxBankStorage, Secrets,
    Seeding, SettlementAccounts, SnapshotFiles, Timelines, Transfers, Upkeep, Webhooks, Worlds,
};

/// Declares a trait that combines ports. Every type that implements all of them implements it.
macro_rules! sum_of_ports {
    ($(#[$doc:meta])* $name:ident: $first:ident $(+ $port:ident)*) => {
        $(#[$doc])*
        pub trait $name: $first $(+ $port)* {}

        impl<S: $first $(+ $port)* + ?Sized> $name for S {}
    };
}

sum_of_ports! {
    /// Every port that a store for production implements. An `Arc<dyn Storage>` coerces to an `Arc` of each port.
    Storage: AccountProfiles
        + Accounts
        + Activities
        + AddressBook
        + AuditLog
        + Banks
        + BatchManagement
        + BatchProcessing
        + BatchReading
        + Books
        + Budgets
        + Callers
        + CardLedger
        + CardManagement
        + ChainHistories
        + CheckoutSessions
        + Checkouts
        + ClientNetworks
        + Credits
        + DecisionEndpoints
        + Deliveries
        + Disputes
        + Events
        + IdempotencyRecords
        + KeyUpkeep
        + BooksCheck
        + MerchantPayments
        + Merchants
        + MfaSessions
        + Payees
        + PaymentBatches
        + People
        + Registry
        + Secrets
        + SettlementAccounts
        + Transfers
        + Upkeep
        + Webhooks
}

sum_of_ports! {
    /// Every port that only a sandbox needs: worlds, clocks of accounts, demo data, the storage of the simulated bank.
    /// An adapter for production implements [`crate::ProductionOnly`] instead.
    SandboxStorage: SandboxBankStorage + Seeding + SnapshotFiles + Timelines + Worlds
}

sum_of_ports! {
    /// Every storage port, including those that only a sandbox needs.
    CompleteStorage: Storage + SandboxStorage
}

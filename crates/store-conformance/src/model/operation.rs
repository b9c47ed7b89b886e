//! Operations, and the generation of random sequences.

use crate::seed_data::Who;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::card::decide::FirstKind;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::{collection, option, sample};

/// One operation. A record that it names by number may be absent or may belong to another account.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// A first message.
    First {
        who: Who,
        card: u8,
        kind: FirstKind,
        amount: &'static str,
        extra: UsedExtension,
        key: Option<u8>,
    },
    FollowUp {
        who: Who,
        message: u8,
        kind: FollowUpKind,
        amount: &'static str,
        key: Option<u8>,
    },
    Expire {
        who: Who,
        message: u8,
    },
    Credit {
        who: Who,
        budget: u8,
        currency: &'static str,
        amount: &'static str,
        key: Option<u8>,
    },
    Open {
        who: Who,
        batch: u8,
        provider: MfaProviderName,
        key: Option<u8>,
    },
    Confirm {
        who: Who,
        batch: u8,
        session: u8,
        provider: MfaProviderName,
        verdict: Option<MfaVerdict>,
        key: Option<u8>,
    },
    /// A first message whose journal transaction gets the journal id with the number `message`. If the id is taken,
    /// storing fails half-way.
    Fail {
        who: Who,
        message: u8,
        key: Option<u8>,
    },
    /// Time passes.
    Wait {
        hours: i64,
    },
    DueHolds {
        max: u32,
    },
    /// Deletes old idempotency records.
    DeleteRecords {
        hours: i64,
        max: u32,
    },
    /// Revokes the key of an account.
    Revoke {
        who: Who,
    },
    /// Reads budgets and batches, and checks the books.
    Read {
        who: Who,
    },
}

/// Kind of a follow-up.
#[derive(Clone, Copy, Debug)]
pub(super) enum FollowUpKind {
    Advice,
    Incremental,
    Clearing,
    FinalClearing,
    AtmClearing,
    Reversal,
    FullReversal,
    RefundClearing,
    RefundReversal,
    ForcedClearing,
    DebitReversal,
    RefundReturn,
    Expiration,
}

/// Extension that a first message uses.
#[derive(Clone, Copy, Debug)]
pub(super) enum UsedExtension {
    Nothing,
    Dollars,
    Partial,
    Fee,
    Forced,
    CashBack,
}

impl Operation {
    /// Returns the time after the operation.
    pub(super) fn time_after(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Wait { hours } => now + TimeDelta::hours(*hours),
            _ => now + TimeDelta::microseconds(1),
        }
    }
}

/// Generates sequences of `length` operations.
pub(super) fn sequences(length: usize) -> impl Strategy<Value = Vec<Operation>> {
    collection::vec(operation(u8::try_from(length).unwrap_or(u8::MAX)), length)
}

fn who() -> impl Strategy<Value = Who> {
    any::<bool>().prop_map(|other| if other { Who::Other } else { Who::Main })
}

fn amount() -> impl Strategy<Value = &'static str> {
    let amounts = ["1", "0", "0.01", "2", "3", "5", "10", "19.99", "50", "95", "0.001", "1000000000"];
    (0..amounts.len()).prop_map(move |place| amounts[place])
}

fn key() -> impl Strategy<Value = Option<u8>> {
    option::weighted(0.3, 0..4_u8)
}

fn provider() -> impl Strategy<Value = MfaProviderName> {
    any::<bool>().prop_map(|totp| if totp { MfaProviderName::Totp } else { MfaProviderName::Sandbox })
}

fn operation(messages: u8) -> impl Strategy<Value = Operation> {
    let kind = prop_oneof![4 => Just(FirstKind::Purchase), 4 => sample::select(&FirstKind::ALL[..])];
    let extra = prop_oneof![
        8 => Just(UsedExtension::Nothing),
        2 => Just(UsedExtension::Dollars),
        1 => Just(UsedExtension::Partial),
        1 => Just(UsedExtension::Fee),
        1 => Just(UsedExtension::Forced),
        1 => Just(UsedExtension::CashBack),
    ];
    let first = (who(), 0..14_u8, kind, amount(), extra, key());
    let follows = prop_oneof![
        2 => Just(FollowUpKind::Advice),
        2 => Just(FollowUpKind::Incremental),
        3 => Just(FollowUpKind::Clearing),
        2 => Just(FollowUpKind::FinalClearing),
        2 => Just(FollowUpKind::Reversal),
        1 => Just(FollowUpKind::FullReversal),
        1 => Just(FollowUpKind::AtmClearing),
        1 => Just(FollowUpKind::RefundClearing),
        1 => Just(FollowUpKind::RefundReversal),
        1 => Just(FollowUpKind::ForcedClearing),
        1 => Just(FollowUpKind::DebitReversal),
        1 => Just(FollowUpKind::RefundReturn),
        1 => Just(FollowUpKind::Expiration),
    ];
    let currency = prop_oneof![4 => Just("GBP"), 2 => Just("JPY"), 1 => Just("EUR")];
    let verdict = prop_oneof![
        3 => Just(Some(MfaVerdict::Wrong)),
        3 => (0..3_i64).prop_map(|step| Some(MfaVerdict::Correct { step: Some(step) })),
        1 => Just(Some(MfaVerdict::ExpiresSession)),
        1 => Just(Some(MfaVerdict::LocksSession)),
        1 => Just(None),
    ];
    let confirm = (who(), 0..9_u8, 0..messages, provider(), verdict, key());
    prop_oneof![
        8 => first.prop_map(|(who, card, kind, amount, extra, key)| {
            Operation::First { who, card, kind, amount, extra, key }
        }),
        10 => (who(), 0..messages, follows, amount(), key())
            .prop_map(|(who, message, kind, amount, key)| Operation::FollowUp { who, message, kind, amount, key }),
        2 => (who(), 0..messages).prop_map(|(who, message)| Operation::Expire { who, message }),
        4 => (who(), 0..7_u8, currency, amount(), key())
            .prop_map(|(who, budget, currency, amount, key)| Operation::Credit { who, budget, currency, amount, key }),
        4 => (who(), 0..9_u8, provider(), key())
            .prop_map(|(who, batch, provider, key)| Operation::Open { who, batch, provider, key }),
        5 => confirm.prop_map(|(who, batch, session, provider, verdict, key)| {
            Operation::Confirm { who, batch, session, provider, verdict, key }
        }),
        2 => (who(), 0..messages, key()).prop_map(|(who, message, key)| Operation::Fail { who, message, key }),
        2 => prop_oneof![Just(1), Just(24), Just(24 * 7)].prop_map(|hours| Operation::Wait { hours }),
        2 => (0..4_u32).prop_map(|max| Operation::DueHolds { max }),
        1 => (0..200_i64, 0..3_u32).prop_map(|(hours, max)| Operation::DeleteRecords { hours, max }),
        1 => who().prop_map(|who| Operation::Revoke { who }),
        2 => who().prop_map(|who| Operation::Read { who }),
    ]
}

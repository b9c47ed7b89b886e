//! Property tests of arbitrary sequences of messages.

use super::testing::{extended, scenario_with};
use super::{Extras, FollowUp};
use crate::card::decide::FirstKind;
use crate::card::{
    CardTransaction, Chain, ChainKind, CountedAmount, CountedKind, LimitWindow, MessageKind, Response, Rule,
    TransactionState,
};
use crate::ids::TransactionToken;
use crate::ledger::{Balances, JournalTransaction, Pool};
use crate::money::{DecimalAmount, Minor};
use crate::test_support::{CardScenario, a_limit, quotes};
use chrono::TimeDelta;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Action {
    First(FirstKind, String, Box<Extras>),
    Follow(usize, FollowUp),
    Expire(usize),
    Wait(i64),
}

fn decimal() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0_u64..4000).prop_map(|pence| format!("{}.{:02}", pence / 100, pence % 100)),
        4 => (0_u64..4000).prop_map(|whole| whole.to_string()),
        1 => Just("1000000000".to_owned()),
        1 => Just("0.001".to_owned()),
    ]
}

fn follow_up() -> impl Strategy<Value = FollowUp> {
    let amount = || decimal().prop_map(|text| DecimalAmount::from_json_number(&text).unwrap());
    prop_oneof![
        amount().prop_map(|amount| FollowUp::Advice { amount }),
        (amount(), any::<bool>()).prop_map(|(amount, is_final)| FollowUp::Clearing { amount, is_final }),
        (amount(), proptest::option::of(amount())).prop_map(|(amount, fee)| FollowUp::AtmClearing { amount, fee }),
        (amount(), decline()).prop_map(|(amount, decline)| FollowUp::Incremental { amount, decline }),
        Just(FollowUp::RefundReversal),
        proptest::option::of(amount()).prop_map(|amount| FollowUp::Reversal { amount }),
        amount().prop_map(|amount| FollowUp::RefundClearing { amount }),
        amount().prop_map(|amount| FollowUp::ForcedClearing { amount }),
        proptest::option::of(amount()).prop_map(|amount| FollowUp::DebitReversal { amount }),
        proptest::option::of(amount()).prop_map(|amount| FollowUp::RefundReturn { amount }),
        Just(FollowUp::Expiration),
    ]
}

fn decline() -> impl Strategy<Value = Option<Response>> {
    proptest::option::weighted(0.1, proptest::sample::select(&Response::DECLINES[..]))
}

fn extras() -> impl Strategy<Value = Extras> {
    let merchant = prop_oneof![
        4 => Just(None),
        1 => Just(Some(quotes("USD", "0.787037037"))),
        1 => Just(Some(quotes("JPY", "0.005208333333"))),
        1 => Just(Some(quotes("BHD", "2.087904641"))),
        1 => Just(Some(quotes("EUR", "0.5"))),
        1 => Just(Some(quotes("GBP", "1"))),
    ];
    let fee = proptest::option::of(decimal().prop_map(|text| DecimalAmount::from_json_number(&text).unwrap()));
    let cash_back = proptest::option::weighted(0.2, decimal());
    let cash_back = cash_back.prop_map(|text| text.map(|text| DecimalAmount::from_json_number(&text).unwrap()));
    (merchant, any::<bool>(), fee, decline(), cash_back).prop_map(
        |(quotes, partial_approval, acquirer_fee, decline, cash_back)| Extras {
            quotes,
            partial_approval,
            acquirer_fee,
            decline,
            cash_back,
            ..Extras::default()
        },
    )
}

fn action() -> impl Strategy<Value = Action> {
    let kind = prop_oneof![
        Just(FirstKind::Purchase),
        Just(FirstKind::Atm),
        Just(FirstKind::Refund),
        proptest::sample::select(&FirstKind::ALL[..]),
    ];
    prop_oneof![
        3 => (kind, decimal(), extras())
            .prop_map(|(kind, amount, extras)| Action::First(kind, amount, Box::new(extras))),
        6 => (any::<usize>(), follow_up()).prop_map(|(which, message)| Action::Follow(which, message)),
        1 => any::<usize>().prop_map(Action::Expire),
        1 => (0_i64..5).prop_map(Action::Wait),
    ]
}

fn pick(scenario: &CardScenario, which: usize) -> Option<TransactionToken> {
    let records = &scenario.records;
    (!records.is_empty()).then(|| records[which % records.len()].token)
}

/// Sums the postings to one pool.
fn sum_of_postings(scenario: &CardScenario, pool: Pool) -> i128 {
    let postings = scenario.journal.iter().flat_map(JournalTransaction::postings);
    postings.filter(|posting| posting.pool == pool).map(|posting| i128::from(posting.amount.0)).sum()
}

/// Returns the amount by which a message changes the cleared amount of its chain.
fn posted(record: &CardTransaction) -> i64 {
    match record.kind {
        _ if record.state == TransactionState::Declined => 0,
        MessageKind::PinDebitReversal | MessageKind::RefundReturn => -record.amount.0,
        MessageKind::PinDebit
        | MessageKind::PinDebitCashback
        | MessageKind::Refund
        | MessageKind::FeeCharge
        | MessageKind::FeeChargeReversal => record.amount.0,
        MessageKind::Clearing
        | MessageKind::CashbackClearing
        | MessageKind::AtmClearing
        | MessageKind::RefundClearing => record.amount.0 + record.acquirer_fee.0,
        _ => 0,
    }
}

/// Checks that partial amounts add up to the converted total, and that a hold of zero is zero in both currencies.
fn check_conversion(scenario: &CardScenario, chain: &Chain) -> Result<(), TestCaseError> {
    prop_assert!(!chain.held().is_negative() && !chain.cleared.is_negative());
    let first = scenario.records.iter().find(|record| record.token == chain.id).unwrap();
    prop_assert_eq!(chain.merchant.is_some(), first.conversion.is_some());
    let (Some(side), Some(first)) = (chain.merchant, first.conversion) else { return Ok(()) };
    let convert = |minor| first.rate.convert(minor, first.currency, chain.currency).unwrap();
    prop_assert_eq!(chain.cleared, convert(side.cleared));
    let messages = scenario.records.iter().filter(|record| record.chain == chain.id);
    let posted: i64 = messages.map(posted).sum();
    prop_assert_eq!(chain.cleared, Minor(posted), "clearings and returns add up");
    prop_assert_eq!(chain.held().0 + chain.cleared.0, convert(Minor(side.held.0 + side.cleared.0)).0);
    if chain.kind != ChainKind::Refund {
        prop_assert_eq!(chain.held().is_zero(), side.held.is_zero(), "a hold of zero is zero in both currencies");
    }
    Ok(())
}

/// Checks that a limit counts what approved messages hold or have cleared in its window, unless refunds lowered it.
fn check_limits(scenario: &CardScenario) -> Result<(), TestCaseError> {
    let is_refund = |kind| matches!(kind, MessageKind::RefundClearing | MessageKind::Refund);
    let mut refunds = scenario.records.iter().filter(|record| is_refund(record.kind));
    let is_refunded = refunds.any(|record| record.impacted > Minor::ZERO);
    // Neither refunds nor fees are counted.
    let is_debit = |kind| !matches!(kind, ChainKind::Refund | ChainKind::Fee);
    let debits = scenario.chains.iter().filter(|chain| is_debit(chain.kind));
    let held_and_cleared: i64 = debits.map(|chain| chain.held().0 + chain.cleared.0).sum();
    for limit in &scenario.limits {
        let of_limit = |entry: &&CountedAmount| entry.limit == limit.id && entry.kind != CountedKind::Refunded;
        let counted = scenario.chains.iter().flat_map(|chain| &chain.counted).filter(of_limit);
        prop_assert!(counted.clone().all(|entry| entry.amount > Minor::ZERO));
        let current = counted.filter(|entry| entry.window_start == limit.window_start);
        let counted: i64 = current.map(|entry| entry.amount.0).sum();
        prop_assert!(!limit.spent.is_negative() && limit.spent.0 <= counted);
        if !is_refunded {
            prop_assert_eq!(limit.spent.0, counted);
            if limit.window == LimitWindow::Lifetime {
                prop_assert_eq!(counted, held_and_cleared);
            }
        }
    }
    Ok(())
}

fn check(scenario: &CardScenario, opening: i64) -> Result<(), TestCaseError> {
    for journal in &scenario.journal {
        let sum: i128 = journal.postings().iter().map(|posting| i128::from(posting.amount.0)).sum();
        prop_assert_eq!(sum, 0, "a journal transaction balances");
    }
    let budget = scenario.card.budget;
    let open_holds: i64 =
        scenario.chains.iter().filter(|chain| chain.end().is_none()).map(|chain| chain.held().0).sum();
    let ended_holds: i64 =
        scenario.chains.iter().filter(|chain| chain.end().is_some()).map(|chain| chain.held().0).sum();
    prop_assert_eq!(ended_holds, 0);
    for chain in &scenario.chains {
        prop_assert_eq!(chain.expires_at.is_some(), chain.end().is_none() && chain.kind.can_hold());
        prop_assert_eq!(chain.due_at().is_some(), !chain.held().is_zero(), "what is held expires");
    }
    prop_assert_eq!(scenario.balances.held(), Minor(open_holds));
    prop_assert_eq!(scenario.balances.available().0, scenario.balances.ledger().0 - open_holds);
    let available = i128::from(opening) + sum_of_postings(scenario, Pool::Available(budget));
    prop_assert_eq!(i128::from(scenario.balances.available().0), available);
    prop_assert_eq!(i128::from(open_holds), sum_of_postings(scenario, Pool::Held(budget)));
    scenario.chains.iter().try_for_each(|chain| check_conversion(scenario, chain))?;
    check_limits(scenario)?;
    for (record, declined) in scenario.records.iter().zip(&scenario.declined) {
        let explained = declined.as_ref().map(|why| (why.failed.response(), why.passed.iter().all(Rule::passes)));
        let expected = (record.state == TransactionState::Declined).then_some((record.response, true));
        prop_assert_eq!(explained, expected, "declines are explained, and nothing else is");
    }
    Ok(())
}

proptest! {
    #[test]
    fn money_is_conserved(
        opening in prop_oneof![4 => 0_i64..20_000, 1 => (i64::MAX - 10_000)..=i64::MAX],
        actions in proptest::collection::vec(action(), 1..60),
    ) {
        let mut scenario = scenario_with(opening);
        scenario.limits = LimitWindow::ALL.map(|window| a_limit(window, "10000.00 GBP")).into();
        for action in actions {
            let before = (scenario.balances, scenario.records.len(), scenario.journal.len(), scenario.chains.clone());
            let result = match action {
                Action::First(kind, amount, extras) => scenario.send(&extended(kind, &amount, *extras)).map(|_| ()),
                Action::Follow(which, message) => match pick(&scenario, which) {
                    Some(token) => scenario.follow(token, &message).map(|_| ()),
                    None => Ok(()),
                },
                Action::Expire(which) => {
                    if let Some(token) = pick(&scenario, which) {
                        scenario.expire(token);
                    }
                    Ok(())
                }
                Action::Wait(days) => {
                    scenario.wait(TimeDelta::days(days));
                    Ok(())
                }
            };
            if result.is_err() {
                let after =
                    (scenario.balances, scenario.records.len(), scenario.journal.len(), scenario.chains.clone());
                prop_assert_eq!(after, before, "a refused message changes nothing");
            }
            check(&scenario, opening)?;
        }
    }

    #[test]
    fn balances_never_leave_their_range(
        available in any::<i64>(),
        held in 0_i64..=i64::MAX,
        reserved in 0_i64..=i64::MAX,
    ) {
        let sum = i128::from(available) + i128::from(held) + i128::from(reserved);
        let balances = Balances::new(Minor(available), Minor(held), Minor(reserved));
        prop_assert_eq!(balances.is_ok(), i64::try_from(sum).is_ok());
        if let Ok(balances) = balances {
            prop_assert_eq!(i128::from(balances.ledger().0), sum);
        }
    }
}

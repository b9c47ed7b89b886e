//! Tests of messages other than authorizations and their follow-ups. Their balances are those of the table in
//! docs/CARD-EXTENSIONS.md.

use super::testing::{extended, reversal, row, scenario_with};
use super::{CardDecision, CardRefusal, Extras, FirstKind, FollowUp};
use crate::card::{CardState, Chain, ChainEnd, LimitWindow, MessageKind, Response, TransactionState};
use crate::money::{DecimalAmount, Minor};
use crate::test_support::{CardScenario, a_limit, decimal, first_message, quotes};

const START: i64 = 25_000;

fn force(text: &str) -> FollowUp {
    FollowUp::ForcedClearing { amount: decimal(text) }
}

fn debit_reversal(text: Option<&str>) -> FollowUp {
    FollowUp::DebitReversal { amount: text.map(decimal) }
}

fn refund_return(text: Option<&str>) -> FollowUp {
    FollowUp::RefundReturn { amount: text.map(decimal) }
}

fn cash(text: &str) -> Extras {
    Extras { cash_back: Some(decimal(text)), ..Extras::default() }
}

fn send(scenario: &mut CardScenario, kind: FirstKind, amount: &str) -> CardDecision {
    scenario.send(&first_message(kind, amount)).unwrap()
}

fn chain(scenario: &CardScenario) -> &Chain {
    scenario.chains.last().unwrap()
}

#[test]
fn first_messages_change_balances_as_documented() {
    for (kind, amount, expected) in [
        (FirstKind::ForcePost, "10", ["authorization.clearing", "COMPLETION", "240.00", "240.00", "-10.00"]),
        (FirstKind::Debit, "10", ["pindebit", "COMPLETION", "240.00", "240.00", "-10.00"]),
        (FirstKind::Inquiry, "0", ["balanceinquiry", "COMPLETION", "250.00", "250.00", "0.00"]),
        (FirstKind::UnlinkedRefund, "10", ["refund", "COMPLETION", "260.00", "260.00", "10.00"]),
        (FirstKind::FeeCharge, "10", ["fee.charge", "COMPLETION", "240.00", "240.00", "-10.00"]),
        (FirstKind::FeeCredit, "10", ["fee.charge.reversal", "COMPLETION", "260.00", "260.00", "10.00"]),
    ] {
        let mut scenario = scenario_with(START);
        let decision = send(&mut scenario, kind, amount);
        assert_eq!(row(&decision), expected, "{kind:?}");
        assert_eq!(decision.transaction.response, Response::Approved);
        let chain = chain(&scenario);
        assert_eq!((chain.end(), chain.kind), (Some(ChainEnd::Cleared), kind.chain()));
        assert_eq!(chain.cleared, decision.transaction.amount);
        assert_eq!(decision.journal.is_some(), kind != FirstKind::Inquiry);
    }
}

#[test]
fn messages_without_rules_are_accepted_in_any_state_and_overdraw() {
    for state in CardState::ALL {
        for kind in FirstKind::ALL {
            let mut scenario = scenario_with(5);
            scenario.card.state = state;
            scenario.limits = vec![a_limit(LimitWindow::Day, "0.00 GBP")];
            let amount = if kind == FirstKind::Inquiry { "0" } else { "10" };
            let approved = send(&mut scenario, kind, amount).transaction.state != TransactionState::Declined;
            let expected = match kind {
                FirstKind::ForcePost | FirstKind::FeeCharge | FirstKind::FeeCredit => true,
                FirstKind::Refund | FirstKind::UnlinkedRefund => state != CardState::Unactivated,
                FirstKind::Inquiry => state == CardState::Active,
                FirstKind::Purchase | FirstKind::Atm | FirstKind::Debit => false,
            };
            assert_eq!(approved, expected, "{kind:?} {state:?}");
        }
    }
}

#[test]
fn only_purchases_and_inquiries_may_be_of_zero() {
    for kind in FirstKind::ALL {
        let refused = matches!(scenario_with(START).send(&first_message(kind, "0")), Err(CardRefusal::Amount(_)));
        assert_eq!(refused, !matches!(kind, FirstKind::Purchase | FirstKind::Inquiry), "{kind:?}");
    }
}

#[test]
fn a_purchase_can_be_cleared_again_and_after_its_end() {
    let mut scenario = scenario_with(START);
    let token = scenario.authorize("10").token;
    let duplicate = scenario.follow(token, &force("10")).unwrap();
    assert_eq!(row(&duplicate), ["authorization.clearing", "COMPLETION", "240.00", "230.00", "-10.00"]);
    assert_eq!(
        (chain(&scenario).held(), chain(&scenario).cleared, duplicate.first_state),
        (Minor(1_000), Minor(1_000), None)
    );
    scenario.clear(token, "10").unwrap();
    let late = scenario.follow(token, &force("10")).unwrap();
    assert_eq!(row(&late), ["authorization.clearing", "COMPLETION", "220.00", "220.00", "-10.00"]);
    assert_eq!(chain(&scenario).cleared, Minor(3_000));

    let mut scenario = scenario_with(START);
    let token = scenario.authorize("10").token;
    scenario.reverse(token).unwrap();
    let late = scenario.follow(token, &force("10")).unwrap();
    assert_eq!(
        (late.first_state, chain(&scenario).end()),
        (Some(TransactionState::Completed), Some(ChainEnd::Reversed))
    );
    let posted = send(&mut scenario, FirstKind::ForcePost, "1").transaction.token;
    assert!(matches!(scenario.follow(posted, &force("1")), Err(CardRefusal::WrongKind { .. })));
}

#[test]
fn cash_back_is_part_of_the_amount() {
    let mut scenario = scenario_with(START);
    let held = scenario.send(&extended(FirstKind::Purchase, "10", cash("4"))).unwrap();
    assert_eq!(row(&held), ["authorization.cashback", "PENDING", "250.00", "240.00", "-10.00"]);
    assert_eq!(held.transaction.details.cash_back, Some(Minor(400)));
    let cleared = scenario.clear(held.transaction.token, "10").unwrap();
    assert_eq!(row(&cleared), ["authorization.clearing.cashback", "COMPLETION", "240.00", "240.00", "-10.00"]);
    let debit = scenario.send(&extended(FirstKind::Debit, "10", cash("10"))).unwrap();
    assert_eq!(row(&debit), ["pindebit.cashback", "COMPLETION", "230.00", "230.00", "-10.00"]);
    for wrong in ["10.01", "0.001"] {
        let refused = scenario.send(&extended(FirstKind::Purchase, "10", cash(wrong)));
        assert!(matches!(refused, Err(CardRefusal::CashBack(_))), "{wrong}");
    }
}

#[test]
fn a_debit_is_returned_in_parts_up_to_its_amount() {
    let mut scenario = scenario_with(START);
    let token = send(&mut scenario, FirstKind::Debit, "10").transaction.token;
    let partial = scenario.follow(token, &debit_reversal(Some("4"))).unwrap();
    assert_eq!(row(&partial), ["pindebit.reversal", "CLEARED", "244.00", "244.00", "4.00"]);
    assert_eq!(partial.first_state, Some(TransactionState::Completed));
    let refused = scenario.follow(token, &debit_reversal(Some("6.01")));
    assert!(matches!(refused, Err(CardRefusal::ExceedsRemainder { rest }) if rest.minor == Minor(600)), "{refused:?}");
    let rest = scenario.follow(token, &debit_reversal(None)).unwrap();
    assert_eq!(row(&rest), ["pindebit.reversal", "CLEARED", "250.00", "250.00", "6.00"]);
    assert_eq!((rest.first_state, rest.transaction.requested), (Some(TransactionState::NothingCleared), Minor(1_000)));
    assert_eq!(scenario.follow(token, &debit_reversal(None)), Err(CardRefusal::AlreadyReversed));
    for wrong in [reversal(None), force("1"), refund_return(None), FollowUp::Expiration] {
        assert!(matches!(scenario.follow(token, &wrong), Err(CardRefusal::WrongKind { .. })), "{wrong:?}");
    }
}

#[test]
fn a_settled_refund_is_withdrawn_up_to_its_amount() {
    let mut scenario = scenario_with(START);
    let unlinked = send(&mut scenario, FirstKind::UnlinkedRefund, "10").transaction.token;
    let full = scenario.follow(unlinked, &refund_return(None)).unwrap();
    assert_eq!(row(&full), ["refund.reversal", "COMPLETION", "250.00", "250.00", "-10.00"]);
    assert_eq!(scenario.follow(unlinked, &refund_return(None)), Err(CardRefusal::AlreadyReversed));

    let authorised = send(&mut scenario, FirstKind::Refund, "10").transaction.token;
    assert!(matches!(scenario.follow(authorised, &refund_return(None)), Err(CardRefusal::WrongKind { .. })));
    let cleared = scenario.follow(authorised, &FollowUp::RefundClearing { amount: decimal("8") }).unwrap().transaction;
    assert!(matches!(
        scenario.follow(cleared.token, &refund_return(Some("9"))),
        Err(CardRefusal::ExceedsRemainder { .. })
    ));
    let partial = scenario.follow(cleared.token, &refund_return(Some("3"))).unwrap();
    assert_eq!((partial.transaction.kind, partial.transaction.impacted), (MessageKind::RefundReturn, Minor(-300)));
    assert_eq!(chain(&scenario).cleared, Minor(500));
}

#[test]
fn a_hold_expires_on_demand() {
    let mut scenario = scenario_with(START);
    let token = scenario.authorize("10").token;
    let expired = scenario.follow(token, &FollowUp::Expiration).unwrap();
    assert_eq!(row(&expired), ["authorization.reversal.issuerexpiration", "CLEARED", "250.00", "250.00", "10.00"]);
    assert_eq!(expired.transaction.preceding, Some(token));
    assert_eq!(scenario.follow(token, &FollowUp::Expiration), Err(CardRefusal::Expired));
}

#[test]
fn limits_count_debits_and_forced_clearings_but_no_fees() {
    let mut scenario = scenario_with(START).limited_to(a_limit(LimitWindow::Lifetime, "1000.00 GBP"));
    let used = |scenario: &CardScenario| (scenario.limits[0].spent.0, scenario.limits[0].uses);
    let debit = send(&mut scenario, FirstKind::Debit, "10").transaction.token;
    assert_eq!(used(&scenario), (1_000, 1));
    scenario.follow(debit, &debit_reversal(Some("4"))).unwrap();
    assert_eq!(used(&scenario), (600, 1));
    send(&mut scenario, FirstKind::ForcePost, "5");
    assert_eq!(used(&scenario), (1_100, 1));
    send(&mut scenario, FirstKind::FeeCharge, "5");
    assert_eq!(used(&scenario), (1_100, 1));
    let refund = send(&mut scenario, FirstKind::UnlinkedRefund, "2").transaction.token;
    assert_eq!(used(&scenario), (900, 1));
    scenario.follow(refund, &refund_return(None)).unwrap();
    assert_eq!(used(&scenario), (1_100, 1));
}

#[test]
fn a_forced_clearing_stays_counted_when_the_hold_is_released() {
    let mut scenario = scenario_with(START).limited_to(a_limit(LimitWindow::Day, "1000.00 GBP"));
    let token = scenario.authorize("10").token;
    scenario.wait(chrono::TimeDelta::days(1));
    scenario.follow(token, &force("10")).unwrap();
    scenario.reverse(token).unwrap();
    assert_eq!(scenario.limits[0].current(scenario.now).spent, Minor(1_000));
}

#[test]
fn an_account_check_has_nothing_to_clear() {
    let mut scenario = scenario_with(START);
    let check = send(&mut scenario, FirstKind::Purchase, "0").transaction.token;
    assert!(matches!(scenario.follow(check, &force("1")), Err(CardRefusal::WrongKind { .. })));
}

#[test]
fn cash_is_not_paid_out_in_part_and_never_rounds_to_zero() {
    let mut scenario = scenario_with(3_000);
    let partial = Extras { partial_approval: true, ..cash("40") };
    let declined = scenario.send(&extended(FirstKind::Purchase, "100", partial)).unwrap().transaction;
    assert_eq!((declined.response, declined.impacted), (Response::NotSufficientFunds, Minor::ZERO));
    let tiny = Extras { quotes: Some(quotes("INR", "0.009392265")), ..cash("0.01") };
    assert!(matches!(scenario.send(&extended(FirstKind::Purchase, "100", tiny)), Err(CardRefusal::CashBack(_))));
}

#[test]
fn returns_in_another_currency_add_up_to_what_was_converted() {
    let in_usd = || Extras { quotes: Some(quotes("USD", "0.787037037")), ..Extras::default() };
    let mut scenario = scenario_with(START);
    let debit = scenario.send(&extended(FirstKind::Debit, "10", in_usd())).unwrap();
    assert_eq!((debit.transaction.amount, debit.balances.available()), (Minor(787), Minor(24_213)));
    let amounts = ["3.33", "3.33", "3.34"].map(|amount| {
        let returned = scenario.follow(debit.transaction.token, &debit_reversal(Some(amount))).unwrap().transaction;
        assert_eq!(
            returned.conversion.map(|shown| DecimalAmount::from_json_number(amount).unwrap().to_minor(shown.currency)),
            Some(Ok(returned.conversion.unwrap().amount))
        );
        returned.amount.0
    });
    assert_eq!((amounts.iter().sum::<i64>(), scenario.balances.available()), (787, Minor(START)));
}

//! Tests of limits, and of the messages that count against them.

use super::FollowUp;
use super::testing::{advice, clearing, incremental, reversal, scenario_with};
use crate::card::{LimitWindow, Response, Rule};
use crate::money::Minor;
use crate::test_support::{CardScenario, a_limit, decimal};
use chrono::TimeDelta;

fn limited(window: LimitWindow, amount: &str) -> CardScenario {
    scenario_with(100_000).limited_to(a_limit(window, &format!("{amount} GBP")))
}

fn spent(scenario: &CardScenario) -> i64 {
    scenario.limits[0].current(scenario.now).spent.0
}

#[test]
fn the_transaction_limit_is_checked_first_and_counts_nothing() {
    let mut scenario = limited(LimitWindow::Day, "30.00").limited_to(a_limit(LimitWindow::Transaction, "20.00 GBP"));
    assert_eq!(scenario.authorize("20").response, Response::Approved);
    assert_eq!(scenario.authorize("20.01").response, Response::UsageLimitReached);
    let rules: Vec<_> = scenario.declined[1].as_ref().unwrap().rules().map(|(rule, _)| rule.name()).collect();
    assert_eq!(rules.last(), Some(&"transaction_limit"));
    assert_eq!(scenario.authorize("20").response, Response::UsageLimitReached);
    assert_eq!(scenario.declined[2].as_ref().unwrap().failed.name(), "spending_limit");
    let transaction = scenario.limits.iter().find(|limit| limit.window == LimitWindow::Transaction).unwrap();
    assert_eq!((transaction.spent, transaction.uses), (Minor::ZERO, 0));
}

#[test]
fn increments_count_towards_the_amount_of_their_transaction() {
    let mut scenario = limited(LimitWindow::Transaction, "20.00");
    let token = scenario.authorize("15").token;
    assert_eq!(scenario.follow(token, &incremental("5")).unwrap().transaction.response, Response::Approved);
    let declined = scenario.follow(token, &incremental("0.01")).unwrap().declined.unwrap().failed;
    let Rule::TransactionLimit(seen) = declined else { panic!("{declined:?}") };
    assert_eq!((seen.requested, seen.amount), (Minor(2_001), Minor(2_000)));
    scenario.limits[0].max_uses = Some(0);
    assert_eq!(scenario.authorize("1").response, Response::UsageLimitReached);
}

#[test]
fn limits_that_are_turned_off_still_count() {
    let mut scenario = limited(LimitWindow::Week, "10.00");
    for (active, turned_off) in [(false, false), (true, true), (false, true)] {
        (scenario.limits[0].active, scenario.limits[0].turned_off) = (active, turned_off);
        assert_eq!(scenario.authorize("20").response, Response::Approved);
    }
    (scenario.limits[0].active, scenario.limits[0].turned_off) = (true, false);
    assert_eq!((spent(&scenario), scenario.limits[0].uses), (6_000, 3));
    assert_eq!(scenario.authorize("0.01").response, Response::UsageLimitReached);
}

#[test]
fn a_release_gives_back_only_counted_amounts() {
    let mut scenario = scenario_with(100_000);
    let early = scenario.authorize("30").token;
    scenario.limits.push(a_limit(LimitWindow::Month, "1000.00 GBP"));
    let token = scenario.authorize("10").token;
    scenario.follow(token, &incremental("5")).unwrap();
    assert_eq!(spent(&scenario), 1_500);
    scenario.follow(early, &incremental("2")).unwrap();
    scenario.reverse(early).unwrap();
    assert_eq!(spent(&scenario), 1_500, "of 32, the limit counted 2");
    scenario.follow(token, &reversal(Some("12"))).unwrap();
    assert_eq!(spent(&scenario), 300);
    scenario.follow(token, &reversal(None)).unwrap();
    assert_eq!((spent(&scenario), scenario.limits[0].uses), (0, 1));
}

#[test]
fn an_amount_goes_back_to_the_window_that_counted_it() {
    let mut scenario = limited(LimitWindow::Day, "1000.00");
    let token = scenario.authorize("10").token;
    scenario.wait(TimeDelta::days(1));
    scenario.follow(token, &advice("16")).unwrap();
    scenario.authorize("1");
    assert_eq!(spent(&scenario), 700);
    scenario.reverse(token).unwrap();
    assert_eq!(spent(&scenario), 100, "10 belonged to the day before");
}

#[test]
fn the_excess_of_a_clearing_counts_in_the_window_of_the_clearing() {
    let mut scenario = limited(LimitWindow::Day, "1000.00");
    let token = scenario.authorize("10").token;
    scenario.follow(token, &clearing("4", false)).unwrap();
    assert_eq!(spent(&scenario), 1_000);
    scenario.wait(TimeDelta::days(1));
    scenario.follow(token, &clearing("8.50", true)).unwrap();
    assert_eq!((spent(&scenario), scenario.limits[0].uses), (250, 0));
    let below = scenario.authorize("10").token;
    scenario.clear(below, "7").unwrap();
    assert_eq!(spent(&scenario), 950);
}

#[test]
fn refunds_lower_the_current_window_and_stop_at_zero() {
    let mut scenario = limited(LimitWindow::Day, "1000.00");
    let token = scenario.authorize("10").token;
    let refund = scenario.refund("25").token;
    scenario.follow(refund, &FollowUp::RefundClearing { amount: decimal("25") }).unwrap();
    assert_eq!(spent(&scenario), 0);
    scenario.reverse(token).unwrap();
    assert_eq!((spent(&scenario), scenario.limits[0].uses), (0, 1));
}

#[test]
fn a_returned_refund_raises_the_use_by_the_amount_that_it_subtracted() {
    let mut scenario = limited(LimitWindow::Day, "1000.00");
    scenario.authorize("10");
    let refund = scenario.refund("25").token;
    let cleared =
        scenario.follow(refund, &FollowUp::RefundClearing { amount: decimal("25") }).unwrap().transaction.token;
    assert_eq!(spent(&scenario), 0);
    scenario.follow(cleared, &FollowUp::RefundReturn { amount: None }).unwrap();
    assert_eq!(spent(&scenario), 1_000, "of 25, the refund subtracted 10");
}

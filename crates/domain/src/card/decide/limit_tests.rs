//! Limits and the messages that count against them.

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
fn the_limit_on_a_transaction_is_checked_first_and_counts_nothing() {
    let mut world = limited(LimitWindow::Day, "30.00").limited_to(a_limit(LimitWindow::Transaction, "20.00 GBP"));
    assert_eq!(world.authorize("20").response, Response::Approved);
    assert_eq!(world.authorize("20.01").response, Response::UsageLimitReached);
    let rules: Vec<_> = world.declined[1].as_ref().unwrap().rules().map(|(rule, _)| rule.name()).collect();
    assert_eq!(rules.last(), Some(&"transaction_limit"));
    assert_eq!(world.authorize("20").response, Response::UsageLimitReached);
    assert_eq!(world.declined[2].as_ref().unwrap().failed.name(), "spending_limit");
    let transaction = world.limits.iter().find(|limit| limit.window == LimitWindow::Transaction).unwrap();
    assert_eq!((transaction.spent, transaction.uses), (Minor::ZERO, 0));
}

#[test]
fn increments_count_towards_the_amount_of_their_transaction() {
    let mut world = limited(LimitWindow::Transaction, "20.00");
    let token = world.authorize("15").token;
    assert_eq!(world.follow(token, &incremental("5")).unwrap().transaction.response, Response::Approved);
    let declined = world.follow(token, &incremental("0.01")).unwrap().declined.unwrap().failed;
    let Rule::TransactionLimit(seen) = declined else { panic!("{declined:?}") };
    assert_eq!((seen.requested, seen.amount), (Minor(2_001), Minor(2_000)));
    world.limits[0].max_uses = Some(0);
    assert_eq!(world.authorize("1").response, Response::UsageLimitReached);
}

#[test]
fn limits_that_are_switched_off_count_on() {
    let mut world = limited(LimitWindow::Week, "10.00");
    for (active, turned_off) in [(false, false), (true, true), (false, true)] {
        (world.limits[0].active, world.limits[0].turned_off) = (active, turned_off);
        assert_eq!(world.authorize("20").response, Response::Approved);
    }
    (world.limits[0].active, world.limits[0].turned_off) = (true, false);
    assert_eq!((spent(&world), world.limits[0].uses), (6_000, 3));
    assert_eq!(world.authorize("0.01").response, Response::UsageLimitReached);
}

#[test]
fn increments_are_given_back_and_what_was_never_counted_is_not() {
    let mut world = scenario_with(100_000);
    let early = world.authorize("30").token;
    world.limits.push(a_limit(LimitWindow::Month, "1000.00 GBP"));
    let token = world.authorize("10").token;
    world.follow(token, &incremental("5")).unwrap();
    assert_eq!(spent(&world), 1_500);
    world.follow(early, &incremental("2")).unwrap();
    world.reverse(early).unwrap();
    assert_eq!(spent(&world), 1_500, "of 32, the limit counted 2");
    world.follow(token, &reversal(Some("12"))).unwrap();
    assert_eq!(spent(&world), 300);
    world.follow(token, &reversal(None)).unwrap();
    assert_eq!((spent(&world), world.limits[0].uses), (0, 1));
}

#[test]
fn an_amount_goes_back_to_the_window_that_counted_it() {
    let mut world = limited(LimitWindow::Day, "1000.00");
    let token = world.authorize("10").token;
    world.wait(TimeDelta::days(1));
    world.follow(token, &advice("16")).unwrap();
    world.authorize("1");
    assert_eq!(spent(&world), 700);
    world.reverse(token).unwrap();
    assert_eq!(spent(&world), 100, "10 belonged to the day before");
}

#[test]
fn clearings_above_the_hold_count_where_they_happen() {
    let mut world = limited(LimitWindow::Day, "1000.00");
    let token = world.authorize("10").token;
    world.follow(token, &clearing("4", false)).unwrap();
    assert_eq!(spent(&world), 1_000);
    world.wait(TimeDelta::days(1));
    world.follow(token, &clearing("8.50", true)).unwrap();
    assert_eq!((spent(&world), world.limits[0].uses), (250, 0));
    let below = world.authorize("10").token;
    world.clear(below, "7").unwrap();
    assert_eq!(spent(&world), 950);
}

#[test]
fn refunds_lower_the_current_window_and_stop_at_zero() {
    let mut world = limited(LimitWindow::Day, "1000.00");
    let token = world.authorize("10").token;
    let refund = world.refund("25").token;
    world.follow(refund, &FollowUp::RefundClearing { amount: decimal("25") }).unwrap();
    assert_eq!(spent(&world), 0);
    world.reverse(token).unwrap();
    assert_eq!((spent(&world), world.limits[0].uses), (0, 1));
}

#[test]
fn a_refund_that_is_taken_back_counts_what_it_lowered() {
    let mut world = limited(LimitWindow::Day, "1000.00");
    world.authorize("10");
    let refund = world.refund("25").token;
    let cleared = world.follow(refund, &FollowUp::RefundClearing { amount: decimal("25") }).unwrap().transaction.token;
    assert_eq!(spent(&world), 0);
    world.follow(cleared, &FollowUp::RefundReturn { amount: None }).unwrap();
    assert_eq!(spent(&world), 1_000, "of 25, the limit was lowered by 10");
}

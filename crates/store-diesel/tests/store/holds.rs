//! Holds that are due.

use crate::support::{Fixture, MINE, MessageIds, amount, authorization, follow_up, fresh, id, noon, stamp};
use chrono::TimeDelta;
use florin_domain::card::decide::{ChainSituation, FollowUp, decide_expiry};
use florin_domain::ids::TransactionToken;
use florin_domain::money::Minor;
use florin_ports::{CardLedger, DueHold, ExpiryCommand, WriteError};
use std::sync::Arc;

fn hold(chain: TransactionToken) -> DueHold {
    DueHold { account: id(MINE), chain }
}

fn expiry(hold: DueHold, ids: MessageIds) -> ExpiryCommand {
    let decide = Arc::new(move |situation: &ChainSituation| ids.rule(|stamp| decide_expiry(situation, stamp)));
    ExpiryCommand { hold, decide }
}

#[tokio::test(flavor = "multi_thread")]
async fn due_holds_come_oldest_first_and_expire_once() {
    let fixture = Fixture::seeded().await;
    let at = |number, minutes| MessageIds { now: noon() + TimeDelta::minutes(minutes), ..stamp(number) };
    for (number, minutes) in [(1, 30), (2, 10), (3, 20), (4, 0)] {
        fresh(fixture.store.first_message(authorization(MINE, at(number, minutes), "10")).await);
    }
    // A cleared chain holds nothing and is never due.
    let clearing = FollowUp::Clearing { amount: amount("10"), is_final: true };
    fresh(fixture.store.follow_up(follow_up(MINE, stamp(4).token, at(5, 1), clearing)).await);

    let week = TimeDelta::days(7);
    let due = async |minutes, max| {
        let found = fixture.store.due_holds(noon() + week + TimeDelta::minutes(minutes), max).await;
        found.map(|found| found.into_iter().map(|due| due.item).collect::<Vec<_>>())
    };
    let [one, two, three] = [1, 2, 3].map(|number| hold(stamp(number).token));
    assert_eq!(due(9, 10).await.unwrap(), []);
    assert_eq!(due(10, 10).await.unwrap(), std::slice::from_ref(&two));
    assert_eq!(due(40, 10).await.unwrap(), [two.clone(), three.clone(), one.clone()]);
    assert_eq!(due(40, 2).await.unwrap(), [two.clone(), three.clone()]);

    let late = MessageIds { now: noon() + week + TimeDelta::minutes(10), ..stamp(6) };
    assert_eq!(fixture.store.expire(expiry(two.clone(), late)).await, Ok(true));
    assert_eq!(fixture.store.expire(expiry(two.clone(), MessageIds { now: late.now, ..stamp(7) })).await, Ok(false));
    assert_eq!(fixture.store.expire(expiry(one.clone(), MessageIds { now: late.now, ..stamp(8) })).await, Ok(false));
    assert_eq!(due(40, 10).await.unwrap(), [three, one]);
    assert_eq!(fixture.store.expire(expiry(hold(stamp(9).token), stamp(9))).await, Err(WriteError::Absent));
    assert_eq!(fixture.balances(MINE).await.held(), Minor(2_000));
    fixture.check_books().await;
}

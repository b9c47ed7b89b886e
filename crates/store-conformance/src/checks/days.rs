//! Checks that days begin at midnight UTC, whatever the time zone of the machine or of the server's session.

use crate::check::{CheckResult, checks};
use crate::commands::{first, message, stamp_at};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::seed_data::{Who, day, seed_data, unused};
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use florin_domain::card::decide::FirstKind;
use florin_domain::card::{CardLimit, LimitWindow};
use florin_domain::money::{Minor, Total};

checks! {
    "days.limits.count_from_midnight_utc" => limits_count_from_midnight_utc,
    "days.cards.expire_at_the_end_of_their_day_in_utc" => expire_at_the_end_of_their_day_in_utc,
}

/// Returns windows at different times of the year, each with the earliest day on which it may begin.
fn starts() -> [(LimitWindow, DateTime<Utc>); 4] {
    [
        (LimitWindow::Day, day(2026, 9, 2)),
        (LimitWindow::Day, day(2026, 3, 29)),
        (LimitWindow::Week, day(2026, 8, 30)),
        (LimitWindow::Month, day(2026, 9, 1)),
    ]
    .map(|(window, day)| (window, day.and_time(NaiveTime::MIN).and_utc()))
}

async fn limits_count_from_midnight_utc(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let (mut cards, mut number) = (Vec::new(), 0);
    for (window, start) in starts() {
        // The domain defines on which day a week begins.
        let start = (0..7).map(|days| start + TimeDelta::days(days)).find(|at| window.start(*at) == at.date_naive());
        let start = expect_some("the first moment of a window", start)?;
        let mut seed = data.accounts[0].cards[0].clone();
        seed.card.id.0 = crate::seed_data::uuid(17, cards.len() as u128);
        let (amount, window_start) = (Minor(10_000), window.start(start - TimeDelta::days(40)));
        seed.limits = vec![CardLimit { amount, window_start, ..unused(Who::Main, window) }];
        cards.push((seed.card.id, window, start));
        data.accounts[0].cards.push(seed);
    }
    handle.seeding.seed(data).await?;
    for (card, _, start) in &cards {
        // Just before the window, exactly at its start, and half a day later.
        for (at, text) in
            [(*start - TimeDelta::microseconds(1), "1"), (*start, "2"), (*start + TimeDelta::hours(12), "4")]
        {
            number += 1;
            let command = first(Who::Main, *card, message(FirstKind::Purchase, text)?, stamp_at(number, at))?;
            expect_new(handle.cards.first_message(command).await)?;
        }
    }
    let books = handle.books.books(&Who::Main.account()?).await?;
    for (card, window, start) in cards {
        let found = expect_some("the limit", books.limits.iter().find(|limit| limit.card == card))?;
        same("the window", (found.limit.window, found.limit.window_start), (window, start.date_naive()))?;
        same("what was used", (found.limit.spent, found.limit.uses), (Minor(600), 2))?;
        same("what messages account for", (found.max_spent, found.max_uses), (Total(600), 2))?;
    }
    Ok(())
}

async fn expire_at_the_end_of_their_day_in_utc(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    data.accounts[0].cards[0].card.expires_on = day(2026, 9, 1);
    handle.seeding.seed(data).await?;
    let end = day(2026, 9, 2).and_time(NaiveTime::MIN).and_utc();
    for (number, at, approved) in [(1, end - TimeDelta::microseconds(1), true), (2, end, false)] {
        let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1")?, stamp_at(number, at))?;
        let done = expect_new(handle.cards.first_message(command).await)?;
        same("approved", done.response == florin_domain::card::Response::Approved, approved)?;
    }
    Ok(())
}

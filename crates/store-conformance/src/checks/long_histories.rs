//! Checks of explanations of balances with many movements. A store may start them from checkpoints, but they must be
//! exact, whatever was explained before.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{credit_of, instruction, journal_id};
use crate::expect::{expect_new, same};
use crate::factory::Handle;
use crate::observe::books_are_right;
use crate::seed_data::{Who, gbp, jpy, noon, seed_data};
use crate::worlds::{command, restore, seed_all_but_my_account, snapshot};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::books::{Booking, KindSum, PoolSums};
use florin_domain::budget::{CreditSituation, decide_credit};
use florin_domain::ids::{BudgetId, JournalId};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::{Currency, Minor, Total};
use florin_domain::page::PageRequest;
use florin_domain::stamp::Stamp;
use florin_ports::{CreditCommand, ExplainResult, SeedAccount, WorldContents};
use std::sync::Arc;
use uuid::Uuid;

checks! {
    "books.explain.long_histories" => long_histories,
    "books.explain.continues_long_histories" => continues_long_histories,
    "books.explain.movements_that_are_booked_late" => movements_that_are_booked_late,
    "books.explain.few_movements_among_many" => few_movements_among_many,
    "books.explain.long_histories_in_one_moment" => moment_of_each,
    "worlds.restore.explains_what_was_put_back" (Sandbox) => explains_what_was_put_back,
}

/// The number of movements of the long history.
const MANY: u64 = 7_000;

/// Returns an id that begins with a time, like the ids that Florin assigns.
fn id_at(at: DateTime<Utc>, number: u64) -> JournalId {
    let millis = u128::from(at.timestamp_millis().unsigned_abs());
    JournalId(Uuid::from_u128((millis << 80) | (0x7 << 76) | (0b10 << 62) | u128::from(number)))
}

/// Returns the time of movement `number` of the long history.
fn time_of(number: u64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(i64::try_from(number * 2).unwrap_or(0))
}

/// Returns movement `number` of the history. The times are mostly in the order of the ids. Some are earlier, or equal
/// to the time of a neighbour.
fn movement(who: Who, budget: BudgetId, currency: Currency, number: u64) -> Result<JournalTransaction, Failure> {
    let id = id_at(time_of(number), number);
    let at = time_of(match number % 11 {
        3 => number - 3,
        5 => number.saturating_sub(700),
        7 => number - 1,
        _ => number,
    });
    let minor = i64::try_from(number % 97).unwrap_or(0) + 1;
    let (available, held) = (Pool::Available(budget), Pool::Held(budget));
    let (kind, from, to, minor) = match number % 5 {
        0 => (JournalKind::Credit, Pool::InboundPayments, available, minor),
        1 => (JournalKind::Card, available, Pool::CardNetwork, minor),
        2 => (JournalKind::PaymentReturn, Pool::OutboundPayments, available, minor),
        // The next movement releases what this one holds.
        3 => (JournalKind::Card, available, held, 1),
        _ => (JournalKind::Card, held, available, 1),
    };
    let leg = Leg::new(from, to, Minor(minor))?;
    Ok(JournalTransaction::new(id, who.account()?, (kind, id.0), currency, at, leg)?)
}

/// All movements of a balance.
struct Model {
    budget: BudgetId,
    currency: Currency,
    bookings: Vec<Booking>,
}

impl Model {
    /// Reads the movements of a balance from the data that is seeded.
    fn of(seed: &SeedAccount, budget: BudgetId, currency: Currency) -> Self {
        let journal = seed.budgets.iter().filter(|seed| seed.budget.id == budget).flat_map(|seed| &seed.journal);
        let bookings = journal.filter(|journal| journal.currency == currency);
        Self { budget, currency, bookings: bookings.filter_map(|journal| Booking::of(journal, budget)).collect() }
    }

    /// Expects that explanations show these movements, on pages at many places.
    async fn must_be_explained(&mut self, handle: &Handle, when: &str) -> CheckResult {
        self.bookings.sort_by_key(|booking| std::cmp::Reverse((booking.at, booking.journal)));
        let count = i64::try_from(self.bookings.len()).unwrap_or(i64::MAX);
        for offset in [0, 1, 99, 950, count / 3, count - 2_010, count - 1_000, count - 999, count - 3, count, i64::MAX]
        {
            let page = PageRequest { limit: 100, offset: offset.max(0) };
            let found = handle.books.explain(&Who::Main.account()?, self.budget, self.currency, page).await?;
            let ExplainResult::Parts(parts) = found else { return Err(Failure::new(format!("no explanation {when}"))) };
            same(&format!("the sums {when}"), &parts.sums, &KindSum::of_each(&self.bookings))?;
            let skip = usize::try_from(page.offset.min(count)).unwrap_or_default();
            let expected: Vec<_> = self.bookings.iter().skip(skip).take(100).cloned().collect();
            same(&format!("the page at {offset} {when}"), &parts.bookings, &expected)?;
            let skipped = Booking::total(&self.bookings[..skip]);
            same(&format!("what the page at {offset} skips {when}"), parts.skipped, skipped)?;
            let total = parts.sums.iter().fold(PoolSums::default(), |sum, kind| sum.plus(kind.moved));
            same(&format!("the balance {when}"), parts.stated, total)?;
        }
        Ok(())
    }

    /// Credits the budget, with this time and id.
    async fn credit(&mut self, handle: &Handle, at: DateTime<Utc>, id: JournalId) -> CheckResult {
        expect_new(handle.credits.credit(credit_at(self.budget, at, id)?).await)?;
        let moved = PoolSums { available: Total(125), ..PoolSums::default() };
        self.bookings.push(Booking { journal: id, kind: JournalKind::Credit, cause: id.0, at, moved });
        Ok(())
    }
}

fn credit_at(budget: BudgetId, at: DateTime<Utc>, id: JournalId) -> Result<CreditCommand, Failure> {
    let mut instruction = instruction(Who::Main, "1.25", gbp()?)?;
    instruction.budget = budget;
    let command = credit_of(Who::Main, 1, instruction.clone())?;
    let decide = Arc::new(move |situation: &CreditSituation| {
        let stamp = Stamp { now: at, ids: &|| id.0 };
        decide_credit(&situation.budget, situation.number, &instruction, &stamp)
    });
    Ok(CreditCommand { budget, decide, ..command })
}

/// Adds movements to prepared data. `place` is the index of their budget, and `currency` is their currency.
fn add(
    seed: &mut SeedAccount,
    (place, currency): (usize, Currency),
    movements: impl Iterator<Item = JournalTransaction>,
) -> CheckResult {
    let seed = &mut seed.budgets[place];
    let mut sum = PoolSums::default();
    for movement in movements {
        sum = Booking::of(&movement, seed.budget.id).map_or(sum, |booking| sum.plus(booking.moved));
        seed.journal.push(movement);
    }
    for (known, balances) in &mut seed.budget.balances {
        if *known == currency {
            let [available, held] = [sum.available, sum.held].map(|sum| i64::try_from(sum.0).unwrap_or(i64::MAX));
            *balances = Balances::new(Minor(balances.available().0 + available), Minor(held), Minor(0))?;
        }
    }
    Ok(())
}

/// Adds the long history to the first budget, and two other histories between its movements.
fn add_long_histories(seed: &mut SeedAccount, who: Who) -> CheckResult {
    let history = |budget, currency, numbers: Vec<u64>| {
        numbers.into_iter().map(|number| movement(who, budget, currency, number)).collect::<Result<Vec<_>, _>>()
    };
    // Numbers are assigned in fives, so that nothing stays held. No number is in more than one of the three histories.
    let is_of = |number: &u64, rest: u64| (number / 5) % 20 == rest;
    let all = 0..MANY / 18 * 20;
    let first = history(who.budget(), gbp()?, all.clone().filter(|n| !is_of(n, 7) && !is_of(n, 13)).collect())?;
    let yen = history(who.budget(), jpy()?, all.clone().filter(|n| is_of(n, 7)).collect())?;
    let second = history(who.second_budget(), gbp()?, all.filter(|n| is_of(n, 13)).collect())?;
    add(seed, (0, gbp()?), first.into_iter())?;
    add(seed, (0, jpy()?), yen.into_iter())?;
    add(seed, (1, gbp()?), second.into_iter())
}

/// Seeds both accounts with long histories, which have the same ids, and returns the movements of my first balance.
async fn seed_long_histories(handle: &Handle) -> Result<Model, Failure> {
    let mut data = seed_data(9_500)?;
    for (seed, who) in data.accounts.iter_mut().zip([Who::Main, Who::Other]) {
        add_long_histories(seed, who)?;
    }
    let model = Model::of(&data.accounts[0], Who::Main.budget(), gbp()?);
    handle.seeding.seed(data).await?;
    Ok(model)
}

async fn long_histories(handle: Handle) -> CheckResult {
    let mut model = seed_long_histories(&handle).await?;
    model.must_be_explained(&handle, "at first").await?;
    model.must_be_explained(&handle, "again").await?;
    books_are_right(&handle).await
}

/// Returns the time and the id of a further movement, after the last seeded movement.
fn next_movement(number: u64) -> (DateTime<Utc>, JournalId) {
    let at = time_of(2 * MANY + 100 * number);
    (at, id_at(at, number))
}

async fn continues_long_histories(handle: Handle) -> CheckResult {
    let mut model = seed_long_histories(&handle).await?;
    model.must_be_explained(&handle, "at first").await?;
    for round in 0..4 {
        for number in 0..3 {
            let (at, id) = next_movement(3 * round + number);
            model.credit(&handle, at, id).await?;
        }
        model.must_be_explained(&handle, &format!("in round {round}")).await?;
    }
    books_are_right(&handle).await
}

/// Movements are stored after others with later times and greater ids.
async fn movements_that_are_booked_late(handle: Handle) -> CheckResult {
    let mut model = seed_long_histories(&handle).await?;
    model.must_be_explained(&handle, "at first").await?;
    let (now, last) = next_movement(1);
    let long_ago = time_of(MANY / 2);
    let places = [
        (long_ago, id_at(long_ago, 1_000_001), "an earlier time and id"),
        (long_ago, id_at(now, 1_000_002), "an earlier time"),
        (now, id_at(long_ago, 1_000_003), "an earlier id"),
        (time_of(MANY - 40), id_at(time_of(MANY - 40), 1_000_004), "a time shortly before the last"),
        (time_of(0), journal_id(1), "the first place"),
        (now, last, "the last place"),
    ];
    for (at, id, what) in places {
        model.credit(&handle, at, id).await?;
        model.must_be_explained(&handle, &format!("after a movement with {what}")).await?;
    }
    books_are_right(&handle).await
}

/// Explains a balance with few movements. Other balances of the account have many movements in between.
async fn few_movements_among_many(handle: Handle) -> CheckResult {
    seed_long_histories(&handle).await?;
    let mut data = seed_data(9_500)?;
    add_long_histories(&mut data.accounts[0], Who::Main)?;
    for (budget, currency) in [(Who::Main.second_budget(), gbp()?), (Who::Main.budget(), jpy()?)] {
        let mut model = Model::of(&data.accounts[0], budget, currency);
        for round in 0..3 {
            model.must_be_explained(&handle, &format!("in round {round}")).await?;
            if currency == gbp()? {
                let (at, id) = next_movement(round);
                model.credit(&handle, at, id).await?;
            }
        }
    }
    books_are_right(&handle).await
}

/// Explains a balance while movements are stored. Each explanation must be consistent with one point in time.
async fn moment_of_each(handle: Handle) -> CheckResult {
    let mut model = seed_long_histories(&handle).await?;
    let before = model.bookings.len();
    let page = PageRequest { limit: 3, offset: 0 };
    let account = Who::Main.account()?;
    for number in 0..12 {
        let (at, id) = next_movement(number);
        let (budget, currency) = (model.budget, model.currency);
        let explain = || handle.books.explain(&account, budget, currency, page);
        let (credit, first, second) = tokio::join!(model.credit(&handle, at, id), explain(), explain());
        credit?;
        for found in [first, second] {
            let ExplainResult::Parts(parts) = found? else { return Err(Failure::new("no explanation")) };
            let total = parts.sums.iter().fold(PoolSums::default(), |sum, kind| sum.plus(kind.moved));
            same("the balance", parts.stated, total)?;
        }
    }
    same("movements", model.bookings.len(), before + 12)?;
    model.must_be_explained(&handle, "at the end").await
}

/// After a restore, as many movements are stored as the restore has undone, but with other times and ids.
async fn explains_what_was_put_back(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let mut world = command()?;
    let WorldContents::Seeded(seed) = &mut world.contents else { return Err(Failure::new("no contents")) };
    add_long_histories(seed, Who::Main)?;
    let model = || -> Result<Model, Failure> {
        let mut seed = crate::seed_data::seed_account(Who::Main, 9_500)?;
        add_long_histories(&mut seed, Who::Main)?;
        Ok(Model::of(&seed, Who::Main.budget(), gbp()?))
    };
    handle.worlds.create(world).await?;
    let mut before = model()?;
    before.must_be_explained(&handle, "of a new world").await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    for number in 0..3 {
        let (at, id) = next_movement(number * 40);
        before.credit(&handle, at, id).await?;
    }
    before.must_be_explained(&handle, "before the restore").await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let mut after = model()?;
    after.must_be_explained(&handle, "after the restore").await?;
    for number in 0..3 {
        let (at, id) = (time_of(MANY / 2 + number), id_at(time_of(MANY / 2 + number), 2_000_000 + number));
        after.credit(&handle, at, id).await?;
    }
    after.must_be_explained(&handle, "of what happened instead").await?;
    books_are_right(&handle).await
}

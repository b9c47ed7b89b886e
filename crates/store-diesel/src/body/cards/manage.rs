//! Reads and creates cards, and changes their states and limits.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, corrupt};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::list_counts;
use super::body::people;
use super::body::statements::insert;
use super::body::store::Store;
use super::body::tables::cards::{CardRecordRow, LimitRow, TransitionRow, card_limits, card_transitions, cards};
use super::body::types::Id;
use super::body::working_set::WorkingSet;
use super::physical_commands;
use super::records::{find, matching, profile, profiles, records, store_change};
use super::rows::insert_card;
use super::settings;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::card::{
    Card, CardChange, CardFilter, CardLimit, CardLimits, CardProfile, CardSettings, CardState, CardTransition,
    ChangeCardRefusal, ChangeCardSituation, CreateCardRefusal, CreateCardSituation, LimitRefusal, LimitSet,
    NoSuchLimit, PhysicalCardRefusal, ReplaceCardRefusal, ReplaceCardSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, LimitId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::Person;
use florin_ports::{
    CardManagement, CardSettingsCommand, ChangeCardCommand, CreateCardCommand, LimitCommand, OrderPhysicalCommand,
    RemoveLimitCommand, ReplaceCardCommand, StoreError, WriteError, Written,
};
use std::convert::Infallible;

/// Maximum offset of a page that is merged from the cards of several states. For each state, the merge reads
/// the first cards, at most the offset plus the limit of the page.
const MAX_MERGED_OFFSET: i64 = 1_000;

#[async_trait]
impl CardManagement for Store {
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardProfile>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            find(conn, &account, card)?.map(|record| profile(conn, record)).transpose()
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardProfile>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| list(conn, &account, &filter, page)).await
    }

    async fn limits(&self, account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| limits(conn, &account, card)).await
    }

    async fn transitions(
        &self,
        account: &AccountId,
        card: CardId,
        page: PageRequest,
    ) -> Result<Option<Page<CardTransition>>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| transitions(conn, &account, card, page)).await
    }

    async fn create(&self, command: CreateCardCommand) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            for budget in &command.budgets {
                footprint.budget(&command.account, *budget);
            }
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                if !working_set.credits.has_account(&command.account) {
                    return Err(WriteError::Absent.into());
                }
                let budget = |budget: &BudgetId| working_set.balance_set.record(&command.account, *budget);
                let budgets = command.budgets.iter().map(budget).collect::<Outcome<_>>()?;
                let person = named(conn, &command.account, command.person)?;
                let situation = CreateCardSituation { budgets, person, cards: count(conn, &command.account)? };
                let record = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                insert_card(conn, &record, &[])?;
                working_set.events.record_with(recording.clone());
                working_set.events.add(record.creation_event().as_slice());
                Ok(profile(conn, record)?)
            })
        })
        .await
    }

    async fn change(&self, command: ChangeCardCommand) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                locked(working_set, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let card = find(conn, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let person = named(conn, &command.account, command.person)?;
                let situation = ChangeCardSituation { card, person };
                let change = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                let after = change.card.clone();
                working_set.events.record_with(recording.clone());
                working_set.events.add(change.transition.as_ref().map(CardTransition::event).as_slice());
                store_change(conn, &situation.card, change)?;
                Ok(profile(conn, after)?)
            })
        })
        .await
    }

    async fn replace(
        &self,
        command: ReplaceCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                let CardLimits { limits, .. } =
                    locked(working_set, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let record = find(conn, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let situation = ReplaceCardSituation { record, limits, cards: count(conn, &command.account)? };
                let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                working_set.events.record_with(recording.clone());
                working_set.events.add(&[decision.transition.event()]);
                working_set.events.add(decision.new.creation_event().as_slice());
                let change = CardChange { card: decision.replaced, transition: Some(decision.transition) };
                store_change(conn, &situation.record, change)?;
                insert_card(conn, &decision.new, &decision.limits.limits)?;
                Ok(profile(conn, decision.new)?)
            })
        })
        .await
    }

    async fn order_physical(
        &self,
        command: OrderPhysicalCommand,
    ) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                let locked = locked(working_set, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                working_set.events.record_with(recording.clone());
                let cards = count(conn, &command.account)?;
                physical_commands::order(conn, working_set, &command, (locked, cards))
            })
        })
        .await
    }

    async fn set_limit(&self, command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                let situation = locked(working_set, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let set = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                let replaced = situation.limits.iter().filter(|limit| limit.window == set.limit.window);
                replaced.map(|limit| limit.id).try_for_each(|id| remove(conn, &set.card, id))?;
                insert(vec![LimitRow::of(&set.card, &set.limit)], conn)?;
                Ok(set)
            })
        })
        .await
    }

    async fn remove_limit(&self, command: RemoveLimitCommand) -> Result<Written<LimitId>, WriteError<NoSuchLimit>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                let situation = locked(working_set, &command.account, command.card)?.ok_or(WriteError::Absent)?;
                let id = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                remove(conn, &situation.card, id)?;
                Ok(id)
            })
        })
        .await
    }

    async fn settings(&self, account: &AccountId) -> Result<CardSettings, StoreError> {
        let account = account.clone();
        self.read(move |conn| settings::find(conn, &account)).await
    }

    async fn set_settings(
        &self,
        command: CardSettingsCommand,
    ) -> Result<Written<CardSettings>, WriteError<Infallible>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                if !working_set.credits.has_account(&command.account) {
                    return Err(WriteError::Absent.into());
                }
                let before = settings::find(conn, &command.account)?;
                let after = ask(|| (command.decide)(&before))?;
                settings::replace(conn, &command.account, &after)?;
                Ok(after)
            })
        })
        .await
    }
}

fn list(conn: &mut Conn, account: &AccountId, filter: &CardFilter, page: PageRequest) -> Outcome<Page<CardProfile>> {
    if filter.search.is_some() {
        driver::plan_by_values(conn)?;
    }
    let stored = list_counts::of_cards(conn, account, filter)?;
    // A filter with a stored count has only states and a kind of owner.
    let is_merged = stored.is_some() && filter.states.len() > 1 && page.offset <= MAX_MERGED_OFFSET;
    let rows =
        if is_merged { of_each_state(conn, account, filter, page)? } else { page_of(conn, account, filter, page)? };
    let count = match stored {
        Some(count) => count,
        None => matching(account, filter).count().get_result(conn)?,
    };
    let records = records(conn, rows)?;
    Ok(Page { count, rows: profiles(conn, account, records)? })
}

/// Returns the rows of a page, in the order of the list.
fn page_of(
    conn: &mut Conn,
    account: &AccountId,
    filter: &CardFilter,
    page: PageRequest,
) -> Outcome<Vec<CardRecordRow>> {
    let rows = matching(account, filter).limit(page.limit).offset(page.offset).select(CardRecordRow::as_select());
    let rows = if filter.descending {
        rows.order((cards::name.desc(), cards::id.desc())).load(conn)?
    } else {
        rows.order((cards::name, cards::id)).load(conn)?
    };
    Ok(rows)
}

/// Returns the rows of a page of cards in several states. Reads the first cards of each state and merges them, because
/// the index has the cards of one state in the order of the list. With one statement, SQLite would read and sort all
/// cards in these states.
fn of_each_state(
    conn: &mut Conn,
    account: &AccountId,
    filter: &CardFilter,
    page: PageRequest,
) -> Outcome<Vec<CardRecordRow>> {
    let first = PageRequest { limit: page.offset + page.limit, offset: 0 };
    let mut rows = Vec::new();
    for state in CardState::ALL.into_iter().filter(|state| filter.states.contains(state)) {
        let of_state = CardFilter { states: vec![state], ..filter.clone() };
        rows.extend(page_of(conn, account, &of_state, first)?);
    }
    // Both databases compare names by code point, as Rust does.
    rows.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    if filter.descending {
        rows.reverse();
    }
    let [offset, limit] = [page.offset, page.limit].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    Ok(rows.into_iter().skip(offset).take(limit).collect())
}

/// Returns the person of the account whom a command names.
fn named(conn: &mut Conn, account: &AccountId, person: Option<PersonId>) -> Outcome<Option<Person>> {
    person.map_or(Ok(None), |person| people::find(conn, account, person))
}

/// Counts the cards of the account. The caller holds the lock on the account's counter, so the count cannot
/// change.
fn count(conn: &mut Conn, account: &AccountId) -> Outcome<u64> {
    let cards = list_counts::of_cards(conn, account, &CardFilter::default())?.unwrap_or_default();
    u64::try_from(cards).map_err(corrupt)
}

/// Returns the card and its limits, under the lock that serializes its messages. Returns `None` for a card that was
/// created after the locks were acquired.
fn locked(working_set: &WorkingSet, account: &AccountId, card: CardId) -> Outcome<Option<CardLimits>> {
    let locked = working_set.locked_card(account, card)?;
    Ok(locked.map(|(known, _)| by_window(known.card.clone(), known.limits.clone())))
}

fn by_window(card: Card, mut limits: Vec<CardLimit>) -> CardLimits {
    limits.sort_by_key(|limit| limit.window);
    CardLimits { card, limits }
}

fn remove(conn: &mut Conn, card: &Card, limit: LimitId) -> Outcome<()> {
    let of_card = card_limits::table
        .filter(card_limits::account_id.eq(card.account.as_str()))
        .filter(card_limits::card_id.eq(Id(card.id.0)))
        .filter(card_limits::id.eq(Id(limit.0)));
    diesel::delete(of_card).execute(conn)?;
    Ok(())
}

fn limits(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Option<CardLimits>> {
    let Some(record) = find(conn, account, card)? else { return Ok(None) };
    let rows = card_limits::table
        .filter(card_limits::account_id.eq(account.as_str()))
        .filter(card_limits::card_id.eq(Id(card.0)))
        .select(LimitRow::as_select())
        .load(conn)?;
    let limits = rows.into_iter().map(LimitRow::read).collect::<Outcome<_>>()?;
    Ok(Some(by_window(record.card, limits)))
}

fn transitions(
    conn: &mut Conn,
    account: &AccountId,
    card: CardId,
    page: PageRequest,
) -> Outcome<Option<Page<CardTransition>>> {
    if find(conn, account, card)?.is_none() {
        return Ok(None);
    }
    let of_card = || {
        card_transitions::table
            .filter(card_transitions::account_id.eq(account.as_str()))
            .filter(card_transitions::card_id.eq(Id(card.0)))
    };
    let rows = of_card()
        .order(card_transitions::position.desc())
        .limit(page.limit)
        .offset(page.offset)
        .select(TransitionRow::as_select())
        .load(conn)?;
    let count = of_card().count().get_result(conn)?;
    Ok(Some(Page { count, rows: rows.into_iter().map(CardTransition::from).collect() }))
}

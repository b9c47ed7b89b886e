//! Looking at a store through its ports: everything that they show.
//!
//! What no port reads (messages, limits, sessions, the number of the next credit) is seen by orders whose rule looks at its
//! situation and refuses.

use crate::check::{Failure, Proof};
use crate::commands::{session_id, token};
use crate::expect::there;
use crate::factory::Handle;
use crate::world::{BOTH, Who, noon};
use chrono::TimeDelta;
use florin_domain::batch::{BatchFilter, ConfirmDecision, ConfirmRefusal, ConfirmSituation, PaymentFilter};
use florin_domain::budget::{BudgetFilter, CreditRefusal, CreditSituation};
use florin_domain::card::CardFilter;
use florin_domain::card::decide::{CardRefusal, ChainSituation, FirstSituation};
use florin_domain::ids::{AccountId, BudgetId, CardId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_domain::ledger::{AmountOverflow, Balances};
use florin_domain::merchant::CheckoutFilter;
use florin_domain::mfa::{MfaProviderName, OpenRefusal, OpenSituation};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{
    ConfirmCommand, CreditCommand, Decide, FirstMessageCommand, FollowUpCommand, Mode, OpenSessionCommand, WriteError,
    Written,
};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps what a rule was shown.
struct Observer<S>(Arc<Mutex<Option<S>>>);

impl<S: Clone + Send + 'static> Observer<S> {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }

    /// A rule that looks and refuses.
    fn refusing<D: 'static>(&self, refusal: impl Fn() -> D + Send + Sync + 'static) -> Decide<S, D> {
        let seen = Arc::clone(&self.0);
        Arc::new(move |situation: &S| {
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(situation.clone());
            refusal()
        })
    }

    /// What it saw: nothing where the order named something that is absent.
    fn saw<T: Debug, R: Debug>(self, answer: Result<Written<T>, WriteError<R>>) -> Result<Option<S>, Failure> {
        match answer {
            Err(WriteError::Absent) => Ok(None),
            Err(WriteError::Refused(_)) => {
                let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
                Ok(Some(there("a situation that was refused", seen)?))
            }
            other => Err(Failure::new(format!("a refusal was answered by {other:?}"))),
        }
    }
}

/// What a first message on the card would be shown, limits by window.
pub(crate) async fn card(
    handle: &Handle,
    account: &AccountId,
    card: CardId,
) -> Result<Option<FirstSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CardRefusal::Expired));
    let command = FirstMessageCommand { account: account.clone(), card, decide, mode: Mode::Commit, repeat: None };
    let seen: Option<FirstSituation> = observer.saw(handle.cards.first_message(command).await)?;
    Ok(seen.map(|mut seen| {
        seen.limits.sort_by_key(|limit| limit.window);
        seen
    }))
}

/// What a follow-up to the message would be shown, limits by window.
pub(crate) async fn chain(
    handle: &Handle,
    account: &AccountId,
    token: TransactionToken,
) -> Result<Option<ChainSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CardRefusal::Expired));
    let command = FollowUpCommand { account: account.clone(), token, decide, mode: Mode::Commit, repeat: None };
    let seen: Option<ChainSituation> = observer.saw(handle.cards.follow_up(command).await)?;
    Ok(seen.map(|mut seen| {
        seen.limits.sort_by_key(|limit| limit.window);
        seen
    }))
}

/// The budget as a credit would be shown it, and the number it would get.
pub(crate) async fn budget(
    handle: &Handle,
    account: &AccountId,
    budget: BudgetId,
) -> Result<Option<CreditSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CreditRefusal::AmountOverflow(AmountOverflow)));
    let command = CreditCommand { account: account.clone(), budget, decide, mode: Mode::Commit, repeat: None };
    observer.saw(handle.credits.credit(command).await)
}

/// What a confirmation under that session would be shown.
pub(crate) async fn batch(
    handle: &Handle,
    account: &AccountId,
    batch: PaymentBatchId,
    session: Option<MfaSessionId>,
) -> Result<Option<ConfirmSituation>, Failure> {
    let observer = Observer::new();
    let refused = || ConfirmDecision { answer: Err(ConfirmRefusal::MfaRequired), session: None, enrolment: None };
    let decide = observer.refusing(refused);
    let command = ConfirmCommand { account: account.clone(), batch, session, decide, mode: Mode::Commit, repeat: None };
    observer.saw(handle.batches.confirm(command).await)
}

/// What the opening of a session would be shown.
pub(crate) async fn opening(
    handle: &Handle,
    account: &AccountId,
    batch: PaymentBatchId,
) -> Result<Option<OpenSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(OpenRefusal::NotEnrolled(MfaProviderName::Sandbox)));
    let command = OpenSessionCommand { account: account.clone(), batch, decide, repeat: None };
    observer.saw(handle.mfa.open(command).await)
}

/// What the account's first budget holds in a currency, as the operator sees it.
pub(crate) async fn balances(handle: &Handle, who: Who, currency: Currency) -> Result<Balances, Failure> {
    let budgets = handle.seeding.budgets(&who.account()?).await?;
    let budget = there("the budget", budgets.into_iter().find(|budget| budget.id == who.budget()))?;
    there("the balance", budget.in_currency(currency))
}

/// Wants that the journal proves all balances.
pub(crate) async fn audited(handle: &Handle) -> Proof {
    crate::expect::same("the audit", handle.audit.audit().await?.discrepancies, Vec::new())
}

/// Everything the ports show of a store, as lines of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observation {
    lines: BTreeMap<String, String>,
    numbers: RangeInclusive<u128>,
}

impl Observation {
    /// Looks at everything: at messages and sessions of the numbers 0 to `numbers`, too.
    pub(crate) async fn take(handle: &Handle, numbers: u128) -> Result<Self, Failure> {
        Self::of(handle, 0..=numbers).await
    }

    /// Looks at everything, and at messages and sessions of these numbers.
    pub(crate) async fn of(handle: &Handle, numbers: RangeInclusive<u128>) -> Result<Self, Failure> {
        let mut lines = BTreeMap::new();
        let mut see = |what: String, value: &dyn Debug| {
            lines.insert(what, format!("{value:?}"));
        };
        see("clients".into(), &handle.registry.clients().await?);
        see("accounts".into(), &handle.registry.accounts().await?);
        see("keys".into(), &handle.registry.keys(None).await?);
        see("banks".into(), &handle.banks.list(PageRequest::default()).await?);
        see("audit".into(), &handle.audit.audit().await?);
        see("due holds".into(), &handle.cards.due_holds(noon() + TimeDelta::days(365), u32::MAX).await?);
        if let Some(log) = &handle.events {
            let mut events = log.events().await?;
            events.sort_by_key(|event| event.id);
            see("events".into(), &events);
        }
        for who in BOTH {
            let account = who.account()?;
            let of = |what: &str| format!("{what} of {account}");
            let page = PageRequest::default();
            see(of("checkouts"), &handle.checkouts.list(&account, CheckoutFilter::default(), page).await?);
            see(of("budgets"), &handle.seeding.budgets(&account).await?);
            see(of("cards"), &handle.seeding.cards(&account).await?);
            see(of("list of budgets"), &handle.budgets.list(&account, BudgetFilter::default(), page).await?);
            let cards = handle.card_management.list(&account, CardFilter::default(), page).await?;
            for id in cards.rows.iter().map(|row| row.card.id) {
                see(of(&format!("limits of {id}")), &handle.card_management.limits(&account, id).await?);
                see(of(&format!("life of {id}")), &handle.card_management.transitions(&account, id, page).await?);
            }
            see(of("list of cards"), &cards);
            see(of("batches"), &handle.seeding.batches(&account).await?);
            let every = BatchFilter { include_hidden: true, ..BatchFilter::default() };
            let listed = handle.reading.list(&account, every, page).await?;
            for batch in listed.rows.iter().map(|row| row.batch.id) {
                let content = handle.reading.content(&account, batch, PaymentFilter::default()).await?;
                see(of(&format!("batch {batch}")), &content);
            }
            see(of("list of batches"), &listed);
            see(of("enrolment"), &handle.mfa.enrolment(&account).await?);
            see(of("next credit"), &budget(handle, &account, who.budget()).await?.map(|(_, number)| number));
            for id in [who.card(), who.limited_card(), who.yen_card()] {
                see(of(&format!("card {id}")), &card(handle, &account, id).await?);
            }
            for number in numbers.clone() {
                let seen = chain(handle, &account, token(number)).await?;
                see(of(&format!("message {number}")), &seen.map(|seen| (seen.first, seen.named, seen.chain)));
                let story = handle.chains.story(&account, token(number)).await?;
                see(of(&format!("story of {number}")), &story);
                let seen = batch(handle, &account, who.batch(), Some(session_id(number))).await?;
                see(of(&format!("session {number}")), &seen.and_then(|seen| seen.session));
            }
        }
        Ok(Self { lines, numbers })
    }

    /// What differs in a later picture of the same things.
    pub(crate) fn changes(&self, later: &Self) -> Vec<String> {
        let changed = self.lines.iter().filter(|(what, value)| later.lines.get(*what) != Some(value));
        changed.map(|(what, value)| format!("{what}: {value} became {:?}", later.lines.get(what))).collect()
    }

    /// Wants that nothing has changed since.
    pub(crate) async fn still_holds(&self, what: &str, handle: &Handle) -> Proof {
        let changes = self.changes(&Self::of(handle, self.numbers.clone()).await?);
        match changes.first() {
            None => Ok(()),
            Some(change) => Err(Failure::new(format!("{what} changed {} things: {change}", changes.len()))),
        }
    }
}

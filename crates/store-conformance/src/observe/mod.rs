//! Reads everything that a store's ports show.
//!
//! Some data is not read by any port, such as messages, limits, sessions and the next credit number. To read it, a
//! command passes it to a rule that records the situation and refuses.

mod everything;

pub(crate) use everything::{Observation, differences, key_of, single_reads, without_account};

use crate::check::{CheckResult, Failure};
use crate::expect::expect_some;
use crate::factory::Handle;
use crate::seed_data::Who;
use chrono::{DateTime, Utc};
use florin_domain::batch::{ConfirmDecision, ConfirmRefusal, ConfirmSituation};
use florin_domain::budget::{CreditRefusal, CreditSituation};
use florin_domain::card::decide::{CardRefusal, ChainSituation, FirstSituation};
use florin_domain::ids::{AccountId, BudgetId, CardId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_domain::ledger::{AmountOutOfRange, Balances};
use florin_domain::mfa::{MfaProviderName, OpenRefusal, OpenSituation};
use florin_domain::money::Currency;
use florin_ports::{
    ConfirmCommand, CreditCommand, Decide, DueHold, FirstMessageCommand, FollowUpCommand, Mode, OpenMfaSessionCommand,
    WriteError, Written,
};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// Records the situation that a rule receives.
struct Observer<S>(Arc<Mutex<Option<S>>>);

impl<S: Clone + Send + 'static> Observer<S> {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }

    /// Returns a rule that records its situation and refuses.
    fn refusing<D: 'static>(&self, refusal: impl Fn() -> D + Send + Sync + 'static) -> Decide<S, D> {
        let seen = Arc::clone(&self.0);
        Arc::new(move |situation: &S| {
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(situation.clone());
            refusal()
        })
    }

    /// Returns the recorded situation, or `None` if a record that the command names is absent.
    fn recorded_situation<T: Debug, R: Debug>(
        self,
        answer: Result<Written<T>, WriteError<R>>,
    ) -> Result<Option<S>, Failure> {
        match answer {
            Err(WriteError::Absent) => Ok(None),
            Err(WriteError::Refused(_)) => {
                let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
                Ok(Some(expect_some("the situation of the refused command", seen)?))
            }
            other => Err(Failure::new(format!("a command that its rule refuses was answered with {other:?}"))),
        }
    }
}

/// Returns the situation of a first message on the card, with limits sorted by window.
pub(crate) async fn card(
    handle: &Handle,
    account: &AccountId,
    card: CardId,
) -> Result<Option<FirstSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CardRefusal::Expired));
    let command = FirstMessageCommand { account: account.clone(), card, decide, mode: Mode::Commit, claim: None };
    let seen: Option<FirstSituation> = observer.recorded_situation(handle.cards.first_message(command).await)?;
    Ok(seen.map(|mut seen| {
        seen.limits.sort_by_key(|limit| limit.window);
        seen
    }))
}

/// Returns the open holds that are due at a time, oldest first.
pub(crate) async fn due_holds(handle: &Handle, at: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, Failure> {
    Ok(handle.cards.due_holds(at, max).await?.into_iter().map(|due| due.item).collect())
}

/// Returns the situation of a follow-up to the message, with limits sorted by window.
pub(crate) async fn chain(
    handle: &Handle,
    account: &AccountId,
    token: TransactionToken,
) -> Result<Option<ChainSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CardRefusal::Expired));
    let command = FollowUpCommand { account: account.clone(), token, decide, mode: Mode::Commit, claim: None };
    let seen: Option<ChainSituation> = observer.recorded_situation(handle.cards.follow_up(command).await)?;
    Ok(seen.map(|mut seen| {
        seen.limits.sort_by_key(|limit| limit.window);
        seen
    }))
}

/// Returns the situation of a credit: the budget and the next credit number.
pub(crate) async fn credit_situation(
    handle: &Handle,
    account: &AccountId,
    budget: BudgetId,
) -> Result<Option<CreditSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(CreditRefusal::AmountOutOfRange(AmountOutOfRange::Overflow)));
    let command = CreditCommand { account: account.clone(), budget, decide, mode: Mode::Commit, claim: None };
    observer.recorded_situation(handle.credits.credit(command).await)
}

/// Returns the situation of a confirmation under this MFA session.
pub(crate) async fn batch(
    handle: &Handle,
    account: &AccountId,
    batch: PaymentBatchId,
    session: Option<MfaSessionId>,
) -> Result<Option<ConfirmSituation>, Failure> {
    let observer = Observer::new();
    let refused = || ConfirmDecision { result: Err(ConfirmRefusal::MfaRequired), session: None, enrolment: None };
    let decide = observer.refusing(refused);
    let command = ConfirmCommand { account: account.clone(), batch, session, decide, mode: Mode::Commit, claim: None };
    observer.recorded_situation(handle.batches.confirm(command).await)
}

/// Returns the situation of opening an MFA session.
pub(crate) async fn opening(
    handle: &Handle,
    account: &AccountId,
    batch: PaymentBatchId,
) -> Result<Option<OpenSituation>, Failure> {
    let observer = Observer::new();
    let decide = observer.refusing(|| Err(OpenRefusal::NotEnrolled(MfaProviderName::Sandbox)));
    let command = OpenMfaSessionCommand { account: account.clone(), batch, decide, claim: None };
    observer.recorded_situation(handle.mfa.open(command).await)
}

/// Returns the balance of the account's first budget in a currency, as the port for seeding returns it.
pub(crate) async fn balances(handle: &Handle, who: Who, currency: Currency) -> Result<Balances, Failure> {
    let budgets = handle.seeding.budgets(&who.account()?).await?;
    let budget = expect_some("the budget", budgets.into_iter().find(|budget| budget.id == who.budget()))?;
    expect_some("the balance", budget.in_currency(currency))
}

/// Expects the check of the books to find no discrepancy between journal and balances.
pub(crate) async fn books_are_right(handle: &Handle) -> CheckResult {
    crate::expect::same("the check of the books", handle.books_check.check_all().await?.discrepancies, Vec::new())
}

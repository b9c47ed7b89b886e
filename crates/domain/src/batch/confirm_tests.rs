//! Tests of the rule that confirms a batch.

use super::*;
use crate::batch::{PaymentBatchStatus, PaymentOrder};
use crate::ids::{AccountId, BudgetId, MfaSessionId, OrderId, PaymentBatchId};
use crate::ledger::Balances;
use crate::mfa::{MfaProviderName, MfaSessionState};
use crate::money::{Currency, Minor};
use crate::test_support::a_batch_state;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use uuid::Uuid;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
const BUDGET: BudgetId = BudgetId(Uuid::from_u128(5));

fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

fn check() -> MfaCheck {
    let (client, batch) = (ClientId(Uuid::from_u128(1)), PaymentBatchId(Uuid::from_u128(2)));
    MfaCheck { client, account: account(), batch, provider: MfaProviderName::Sandbox }
}

fn situation(status: PaymentBatchStatus, available: i64) -> ConfirmSituation {
    let MfaCheck { client, account, batch, provider } = check();
    let order = |id, total| PaymentOrder {
        id: OrderId(Uuid::from_u128(id)),
        budget: BUDGET,
        currency: gbp(),
        total: Minor(total),
        fees: Minor(0),
        payments: 1,
    };
    ConfirmSituation {
        batch: PaymentBatch {
            id: batch,
            account: account.clone(),
            name: "Salaries".into(),
            state: a_batch_state(status),
            orders: vec![order(1, 600), order(2, 400)],
            created_by: client,
            visible: true,
            locked: false,
            input: None,
            created_at: NOW,
            updated_at: NOW,
        },
        session: Some(MfaSession::open(MfaSessionId(Uuid::from_u128(3)), client, account, batch, provider, NOW)),
        enrolment: None,
        mfa_required: true,
        balances: BTreeMap::from([((BUDGET, gbp()), Balances::new(Minor(available), Minor(0), Minor(0)).unwrap())]),
    }
}

fn stamp() -> Stamp<'static> {
    Stamp { now: NOW, ids: &|| Uuid::from_u128(8) }
}

fn decide(situation: &ConfirmSituation, verdict: MfaVerdict) -> ConfirmDecision {
    let proof = MfaProof { check: check(), verdict };
    decide_confirm(situation, Some(&proof), check().client, &stamp())
}

const CORRECT: MfaVerdict = MfaVerdict::Correct { step: None };

#[test]
fn confirming_reserves_the_sum_and_uses_up_the_session() {
    let decision = decide(&situation(PaymentBatchStatus::Validated, 1000), CORRECT);
    let confirmation = decision.result.unwrap();
    assert_eq!(confirmation.batch.status(), PaymentBatchStatus::Confirmed);
    let expected = Confirmation { by: Some(check().client), at: NOW, passed_mfa_check_at: Some(NOW) };
    assert_eq!(confirmation.batch.state.confirmation(), Some(expected));
    let balances = confirmation.balances[&(BUDGET, gbp())];
    assert_eq!((balances.available(), balances.reserved(), balances.ledger()), (Minor(0), Minor(1000), Minor(1000)));
    assert_eq!(confirmation.journal.len(), 1);
    assert_eq!(decision.session.unwrap().state, MfaSessionState::Used);
}

#[test]
fn the_batch_is_checked_before_the_token() {
    for status in PaymentBatchStatus::ALL.into_iter().filter(|status| *status != PaymentBatchStatus::Validated) {
        let decision = decide(&situation(status, 1000), MfaVerdict::Wrong);
        assert_eq!(decision.result, Err(ConfirmRefusal::State(IllegalBatchTransition { current: status })));
        assert_eq!(decision.session, None);
    }
}

#[test]
fn the_token_is_checked_before_the_funds_and_insufficient_funds_use_up_nothing() {
    let poor = situation(PaymentBatchStatus::Validated, 999);
    let wrong = decide(&poor, MfaVerdict::Wrong);
    assert_eq!(wrong.result, Err(ConfirmRefusal::Mfa(MfaFailure::Failed)));
    assert_eq!(wrong.session.unwrap().wrong_tokens, 1);
    let short = decide(&poor, CORRECT);
    let Err(ConfirmRefusal::InsufficientFunds(shortages)) = short.result else { panic!("short of funds") };
    assert_eq!(shortages.len(), 1);
    assert_eq!((shortages[0].needed.to_string(), shortages[0].available.to_string()), ("10.00".into(), "9.99".into()));
    assert_eq!(short.session, None);
}

#[test]
fn no_token_is_needed_unless_the_account_requires_mfa() {
    let (client, stamp) = (check().client, stamp());
    let strict = situation(PaymentBatchStatus::Validated, 1000);
    assert_eq!(decide_confirm(&strict, None, client, &stamp).result, Err(ConfirmRefusal::MfaRequired));
    let draft = decide_confirm(&situation(PaymentBatchStatus::Draft, 1000), None, client, &stamp);
    assert!(matches!(draft.result, Err(ConfirmRefusal::State(_))), "the batch is checked before MFA");
    let lax = ConfirmSituation { mfa_required: false, ..strict };
    let confirmation = decide_confirm(&lax, None, client, &stamp).result.unwrap();
    assert_eq!(confirmation.batch.state.confirmation().unwrap().passed_mfa_check_at, None);
}

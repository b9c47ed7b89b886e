//! Tests of asking a decision endpoint: when it is asked, with which body, and the effect of its reply.

use crate::consult::{DecisionPass, MessageSender, ReleasableGuard, consult};
use crate::decision_services::DecisionServices;
use crate::expire_holds::tests::services;
use crate::{FirstMessageError, NewMessage, Services, send_first_message};
use async_trait::async_trait;
use florin_domain::access::Account;
use florin_domain::card::decide::CardRefusal;
use florin_domain::card::{
    CardTransaction, DecisionEndpoint, DecisionReply, DecisionTime, EndpointDecision, EndpointSettings, Fallback,
    NoDecision, Verdict,
};
use florin_domain::ids::AccountId;
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::test_support::{CLIENT, CardScenario, a_budget, a_card, a_purchase, an_account};
use florin_domain::webhook::{SendError, SigningSecret, WebhookSecrets, WebhookUrl};
use florin_ports::test_support::FakeCipher;
use florin_ports::{
    FirstMessageCommand, MockAccounts, MockCardLedger, MockDecisionAsker, MockDecisionEndpoints, Mode, SecretCipher,
    StoredResponse, WriteError, Written,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn endpoint(enabled: bool) -> DecisionEndpoint {
    let account = AccountId::parse("F1").unwrap();
    let secrets = WebhookSecrets::new(SigningSecret::new(vec![7; 32]), None, None);
    DecisionEndpoint {
        settings: EndpointSettings {
            url: WebhookUrl::stored("https://example.com/".into()),
            enabled,
            time_limit: DecisionTime::of_millis(300).unwrap(),
            fallback: Fallback::Approve,
        },
        secrets: FakeCipher.seal(&SecretOwner::Decisions(account.clone()), &secrets.encode()).unwrap(),
        account,
        created_at: chrono::DateTime::UNIX_EPOCH,
        updated_at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn account(endpoint: Option<DecisionEndpoint>) -> Account {
    Account { decision_endpoint: endpoint.map(Arc::new), ..an_account(AccountId::parse("F1").unwrap()) }
}

/// Returns services with a card on a budget of 100.00 GBP, and the stored transactions.
fn services_asking(asker: MockDecisionAsker) -> (Services, Arc<Mutex<Vec<CardTransaction>>>) {
    let (stored, mut cards) = (Arc::new(Mutex::new(Vec::new())), MockCardLedger::new());
    let situation = CardScenario::of(a_card(), a_budget().with("100.00 GBP")).first_situation();
    let keeping = Arc::clone(&stored);
    cards.expect_first_message().returning(move |command: FirstMessageCommand| {
        let decision = (command.decide)(&situation).map_err(WriteError::Refused)?;
        if command.mode == Mode::DryRun {
            return Ok(Written::DryRun(Box::new(decision.into())));
        }
        keeping.lock().unwrap().push(decision.transaction.clone());
        Ok(Written::New(decision.transaction))
    });
    let decisions = DecisionServices {
        endpoints: Arc::new(MockDecisionEndpoints::new()),
        asker: Arc::new(asker),
        render: Arc::new(|to_render| Ok(format!("{} {}", to_render.id, to_render.is_dry_run))),
        observe: Arc::new(|_| {}),
    };
    (Services { decisions, ..services(cards) }, stored)
}

fn purchase() -> NewMessage {
    NewMessage {
        card: CardScenario::of(a_card(), a_budget().with("1.00 GBP")).card.id,
        message: a_purchase("10"),
        merchant_currency: None,
        pin: None,
    }
}

#[tokio::test]
async fn the_question_has_the_token_of_the_record_and_its_reply_decides() {
    let mut asker = MockDecisionAsker::new();
    asker.expect_ask().times(1).returning(|request| {
        assert_eq!(request.body.as_ref(), format!("{} false", request.id));
        assert_eq!((request.url.as_str(), request.time_limit.as_millis()), ("https://example.com/", 300));
        assert_eq!(request.secrets.current.expose(), [7; 32]);
        assert_eq!(request.id.0, request.question.message.token.0);
        assert_eq!(request.client, CLIENT);
        Ok(DecisionReply::Approve)
    });
    let (services, stored) = services_asking(asker);
    let sent =
        send_first_message(&services, (&account(Some(endpoint(true)))).into(), purchase(), Mode::Commit, None).await;
    let Written::New(record) = sent.unwrap() else { panic!("not new") };
    assert_eq!(record.details.decision.unwrap().verdict, Verdict::Reply(DecisionReply::Approve));
    assert_eq!(*stored.lock().unwrap(), [record], "one decision is stored");
}

#[tokio::test]
async fn the_question_about_a_dry_run_is_marked() {
    let mut asker = MockDecisionAsker::new();
    asker.expect_ask().times(1).returning(|request| {
        assert!(request.body.ends_with(" true"), "{}", request.body);
        Err(NoDecision::Send(SendError::Timeout))
    });
    let (services, stored) = services_asking(asker);
    let sent =
        send_first_message(&services, (&account(Some(endpoint(true)))).into(), purchase(), Mode::DryRun, None).await;
    let Written::DryRun(run) = sent.unwrap() else { panic!("no dry run") };
    let reason = NoDecision::Send(SendError::Timeout);
    assert_eq!(run.done.details.decision.unwrap().verdict, Verdict::Fallback { fallback: Fallback::Approve, reason });
    assert!(stored.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_an_enabled_endpoint_nobody_is_asked() {
    for endpoint in [None, Some(endpoint(false))] {
        let (services, _) = services_asking(MockDecisionAsker::new());
        let sent = send_first_message(&services, (&account(endpoint)).into(), purchase(), Mode::Commit, None).await;
        let Written::New(record) = sent.unwrap() else { panic!("not new") };
        assert_eq!(record.details.decision, None);
    }
}

#[tokio::test]
async fn a_replay_and_a_refusal_ask_nobody() {
    let (services, _) = services_asking(MockDecisionAsker::new());
    let account = account(Some(endpoint(true)));
    for outcome in [
        Ok(Written::Replayed(StoredResponse { status: 201, body: "{}".into() })),
        Err(WriteError::Absent),
        Err(WriteError::Refused(CardRefusal::Expired)),
    ] {
        let run = async |pass: DecisionPass| {
            assert_eq!((pass.endpoint_decision, pass.token), (EndpointDecision::Due, None));
            outcome.clone()
        };
        assert_eq!(consult(&services, (&account).into(), Mode::Commit, run).await, outcome);
    }
}

#[tokio::test]
async fn damaged_secrets_fail_the_message() {
    let (services, stored) = services_asking(MockDecisionAsker::new());
    let damaged = DecisionEndpoint { secrets: SealedSecret::new(vec![1]), ..endpoint(true) };
    let sent = send_first_message(&services, (&account(Some(damaged))).into(), purchase(), Mode::Commit, None).await;
    assert!(sent.is_err(), "neither the endpoint nor the fallback decides");
    assert!(stored.lock().unwrap().is_empty());
}

/// Records whether the request holds its guard.
struct HeldGuard(AtomicBool);

#[async_trait]
impl ReleasableGuard for HeldGuard {
    fn release(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    async fn reacquire(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends a purchase on a world in epoch 1. When the endpoint replies, the world is in epoch `then`. `None`: it is
/// deleted.
async fn sent_while_restored(
    then: Option<i64>,
) -> (Result<Written<CardTransaction>, FirstMessageError>, Vec<CardTransaction>) {
    let guard = Arc::new(HeldGuard(AtomicBool::new(true)));
    let (mut asker, seen) = (MockDecisionAsker::new(), Arc::clone(&guard));
    asker.expect_ask().times(1).returning(move |_| {
        assert!(!seen.0.load(Ordering::Relaxed), "a restore would wait for the endpoint");
        Ok(DecisionReply::Approve)
    });
    let (services, stored) = services_asking(asker);
    let mut accounts = MockAccounts::new();
    accounts.expect_forget().return_const(());
    accounts.expect_find().returning(move |_| Ok(then.map(|epoch| Account { epoch, ..account(None) })));
    let services = Services { accounts: Arc::new(accounts), ..services };
    let account = Account { epoch: 1, ..account(Some(endpoint(true))) };
    let sender = MessageSender { account: &account, guard: Some(guard.as_ref()) };
    let sent = send_first_message(&services, sender, purchase(), Mode::Commit, None).await;
    assert!(guard.0.load(Ordering::Relaxed), "the request holds its guard when it stores the message");
    let stored = stored.lock().unwrap().clone();
    (sent, stored)
}

#[tokio::test]
async fn the_guard_is_released_during_the_question() {
    let (sent, stored) = sent_while_restored(Some(1)).await;
    assert!(matches!(sent, Ok(Written::New(_))), "{sent:?}");
    assert_eq!(stored.len(), 1);
}

#[tokio::test]
async fn a_message_is_refused_if_the_epoch_has_changed() {
    for then in [Some(2), None] {
        let (sent, stored) = sent_while_restored(then).await;
        let refused = matches!(sent, Err(FirstMessageError::Write(WriteError::Refused(CardRefusal::WorldRestored))));
        assert!(refused, "{sent:?}");
        assert!(stored.is_empty());
    }
}

//! Does every kind of work of the store, for other tests.

use crate::Store;
use crate::credits::credit;
use crate::groups::{Gate, queued};
use crate::instances::claim;
use crate::support::{
    MINE, MessageIds, amount, authorization, budget, card, client, first_message, follow_up, fresh, gbp, id, noon,
    seed_data, stamp, validated_batch,
};
use chrono::TimeDelta;
use florin_domain::batch::{
    BatchInput, ConfirmSituation, InputFormat, InputStatus, MfaProof, PaymentBatch, decide_confirm,
};
use florin_domain::budget::Credit;
use florin_domain::card::decide::{FirstKind, FirstSituation, FollowUp, decide_expiry, decide_first};
use florin_domain::card::{CardLimit, CardTransaction, LimitWindow};
use florin_domain::ids::{MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{MfaCheck, MfaProviderName, MfaSession, MfaVerdict, OpenRequest, OpenSituation, decide_open};
use florin_domain::stamp::Stamp;
use florin_domain::test_support::a_limit;
use florin_ports::{
    CardLedger, ConfirmCommand, CreditCommand, Credits, DueHold, ExpiryCommand, FirstMessageCommand, FollowUpCommand,
    MfaSessions, Mode, OpenMfaSessionCommand, PaymentBatches, SeedData, StoredResponse, Written,
};
use std::cell::Cell;
use std::sync::Arc;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// Number of rounds of work that the seed data is enough for.
pub(crate) const ROUNDS: u128 = 24;

fn batch_of(round: u128) -> PaymentBatchId {
    PaymentBatchId(Uuid::from_u128((44 << 64) + round))
}

fn answer<T>(_: &T) -> StoredResponse {
    StoredResponse { status: 201, body: "{}".into() }
}

/// Returns seed data with enough batches, and a card with a limit.
pub(crate) fn seed_data_for_work() -> SeedData {
    let mut data = seed_data(10_000_000);
    let account = &mut data.accounts[0];
    account.cards[0].limits =
        vec![CardLimit { max_uses: Some(1_000_000), ..a_limit(LimitWindow::Month, "100000.00 GBP") }];
    let (format, status) = (InputFormat::Json, InputStatus::Validated);
    let input = Some(BatchInput { format, status, default_budget: None, created_at: noon(), updated_at: noon() });
    let batch = |round| PaymentBatch { id: batch_of(round), input: input.clone(), ..validated_batch(MINE, 10) };
    account.batches = (0..ROUNDS).map(batch).collect();
    data
}

/// A round of work, with ids that no other round uses.
struct Round(u128);

impl Round {
    fn stamp(&self, number: u128) -> MessageIds {
        stamp(self.0 * 1_000 + number)
    }

    fn key(&self, name: &str) -> String {
        format!("{name}-{}", self.0)
    }

    fn first(&self, kind: FirstKind, number: u128) -> FirstMessageCommand {
        let (message, ids) = (first_message(kind, "10"), self.stamp(number));
        let decide =
            Arc::new(move |situation: &FirstSituation| ids.rule(|stamp| decide_first(situation, &message, stamp)));
        FirstMessageCommand { account: id(MINE), card: card(MINE), decide, mode: Mode::Commit, claim: None }
    }

    fn keyed(&self, name: &str) -> FirstMessageCommand {
        FirstMessageCommand {
            claim: Some(claim(&self.key(name), "{}", answer::<CardTransaction>)),
            ..authorization(MINE, self.stamp(2), "10")
        }
    }

    fn follow(&self, named: u128, number: u128, message: FollowUp) -> FollowUpCommand {
        follow_up(MINE, self.stamp(named).token, self.stamp(number), message)
    }

    fn credit(&self) -> CreditCommand {
        let claim = Some(claim(&self.key("credit"), "{}", answer::<Credit>));
        CreditCommand { claim, ..credit(MINE, budget(MINE), self.0 * 1_000, "1", gbp()) }
    }

    fn session(&self) -> MfaSessionId {
        MfaSessionId(batch_of(self.0).0)
    }

    fn open(&self) -> OpenMfaSessionCommand {
        let provider = MfaProviderName::Totp;
        let request = OpenRequest { id: self.session(), client: client(MINE), provider, now: noon() };
        let decide = Arc::new(move |situation: &OpenSituation| decide_open(situation, &request));
        let claim = Some(claim(&self.key("open"), "{}", answer::<MfaSession>));
        OpenMfaSessionCommand { account: id(MINE), batch: batch_of(self.0), decide, claim }
    }

    fn confirm(&self, verdict: MfaVerdict, key: Option<&str>) -> ConfirmCommand {
        let batch = batch_of(self.0);
        let check = MfaCheck { client: client(MINE), account: id(MINE), batch, provider: MfaProviderName::Totp };
        let proof = MfaProof { check, verdict };
        let round = self.0;
        let decide = Arc::new(move |situation: &ConfirmSituation| {
            let given = Cell::new(0);
            let ids = || {
                given.set(given.get() + 1);
                Uuid::from_u128((45 << 64) + (round << 16) + given.get())
            };
            decide_confirm(situation, Some(&proof), client(MINE), &Stamp { now: noon(), ids: &ids })
        });
        let claim = key.map(|key| claim(&self.key(key), "{}", answer::<PaymentBatch>));
        ConfirmCommand { account: id(MINE), batch, session: Some(self.session()), decide, mode: Mode::Commit, claim }
    }

    fn expiry(&self, chain: u128, number: u128) -> ExpiryCommand {
        let late = MessageIds { now: noon() + TimeDelta::days(8), ..self.stamp(number) };
        let decide = Arc::new(move |situation: &_| late.rule(|stamp| decide_expiry(situation, stamp)));
        ExpiryCommand { hold: DueHold { account: id(MINE), chain: self.stamp(chain).token }, decide }
    }

    fn right(&self) -> MfaVerdict {
        MfaVerdict::Correct { step: Some(i64::try_from(self.0).unwrap()) }
    }
}

/// Does every kind of work once, sequentially. Each round can run once.
pub(crate) async fn run_sequentially(store: &Store, round: u128) {
    let round = Round(round);
    let clearing = |is_final| FollowUp::Clearing { amount: amount("2"), is_final };
    fresh(store.first_message(round.first(FirstKind::Purchase, 1)).await);
    fresh(store.first_message(round.keyed("pay")).await);
    assert!(matches!(store.first_message(round.keyed("pay")).await, Ok(Written::Replayed(_))));
    fresh(store.first_message(round.first(FirstKind::Atm, 3)).await);
    fresh(store.first_message(round.first(FirstKind::Refund, 4)).await);
    fresh(store.first_message(round.first(FirstKind::Purchase, 5)).await);
    fresh(store.follow_up(round.follow(1, 11, FollowUp::Advice { amount: amount("20") })).await);
    // The follow-up names a message that is not the first of its chain.
    fresh(store.follow_up(round.follow(11, 12, clearing(false))).await);
    fresh(store.follow_up(round.follow(1, 13, clearing(true))).await);
    fresh(store.follow_up(round.follow(2, 14, FollowUp::Reversal { amount: Some(amount("1")) })).await);
    fresh(store.follow_up(round.follow(2, 15, FollowUp::Reversal { amount: None })).await);
    fresh(store.follow_up(round.follow(3, 16, FollowUp::AtmClearing { amount: amount("10"), fee: None })).await);
    fresh(store.follow_up(round.follow(4, 17, FollowUp::RefundClearing { amount: amount("10") })).await);
    assert_eq!(store.expire(round.expiry(5, 18)).await, Ok(true));
    fresh(store.credit(round.credit()).await);
    fresh(store.open(round.open()).await);
    store.confirm(round.confirm(MfaVerdict::Wrong, None)).await.unwrap_err();
    fresh(store.confirm(round.confirm(round.right(), Some("confirm"))).await);
}

/// Queues many commands together. They become one group.
pub(crate) async fn run_as_group(store: &Store, round: u128) {
    let round = Round(round);
    let gate = Gate::shut(store).await;
    let mut work: Vec<JoinHandle<()>> = Vec::new();
    macro_rules! queue {
        ($method:ident($command:expr)) => {{
            let (store, command) = (store.clone(), $command);
            work.push(queued(async move { drop(fresh(store.$method(command).await)) }).await);
        }};
    }
    for number in 100..120 {
        queue!(first_message(round.first(FirstKind::Purchase, number)));
    }
    queue!(first_message(round.keyed("pay")));
    queue!(follow_up(round.follow(100, 121, FollowUp::Advice { amount: amount("20") })));
    queue!(follow_up(round.follow(2, 122, FollowUp::Reversal { amount: None })));
    queue!(credit(round.credit()));
    queue!(open(round.open()));
    queue!(confirm(round.confirm(round.right(), Some("confirm"))));
    gate.open().await;
    for work in work {
        work.await.unwrap();
    }
}

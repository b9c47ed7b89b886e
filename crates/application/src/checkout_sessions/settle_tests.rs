//! Tests of the order in which a sweep applies due steps, and of how often it asks the store.

use super::settle_account_checkouts;
use crate::{AccountClocks, CheckoutServices, PageTokenMaker};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::checkout::{CheckoutSession, DueItem, SessionState};
use florin_domain::ids::CheckoutSessionId;
use florin_domain::secret::Secret;
use florin_domain::test_support::{a_session, account, noon};
use florin_domain::world::Timeline;
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{
    Due, FoundSession, MockBanks, MockCheckoutSessions, MockMerchantPayments, MockShippingRates, MockTimelines, Written,
};
use futures_util::FutureExt;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A store of sessions. Times are seconds after noon.
struct Stored {
    /// When the steps of each session are due, in order.
    due: BTreeMap<CheckoutSessionId, VecDeque<i64>>,
    /// The applied steps: the number of the session, and when the step was due.
    applied: Vec<(u128, i64)>,
    /// How often the sweep asked for due steps.
    reads: usize,
}

impl Stored {
    fn session(&self, id: CheckoutSessionId) -> CheckoutSession {
        let next = self.due[&id].front();
        let state = next.map_or(SessionState::Abandoned, |seconds| SessionState::Processing { due_at: at(*seconds) });
        CheckoutSession { id, state, ..a_session("12.50 GBP") }
    }
}

fn at(seconds: i64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(seconds)
}

/// Sweeps sessions with these numbers and steps. Returns the applied steps and the number of reads.
fn swept<const N: usize>(sessions: [(u128, &[i64]); N]) -> (Vec<(u128, i64)>, usize) {
    let steps = |steps: &[i64]| steps.iter().copied().collect::<VecDeque<_>>();
    let due = BTreeMap::from(sessions.map(|(number, due)| (CheckoutSessionId(Uuid::from_u128(number)), steps(due))));
    let stored = Arc::new(Mutex::new(Stored { due, applied: Vec::new(), reads: 0 }));
    let mut sessions = MockCheckoutSessions::new();
    let store = Arc::clone(&stored);
    sessions.expect_due().returning(move |_, now, _| {
        let mut store = store.lock().unwrap();
        store.reads += 1;
        let next = store
            .due
            .iter()
            .filter_map(|(id, steps)| Some(Due { at: at(*steps.front()?), item: DueItem::Session(account(), *id) }));
        let mut due: Vec<_> = next.filter(|due| due.at <= now).collect();
        due.sort();
        Ok(due)
    });
    let store = Arc::clone(&stored);
    sessions.expect_find().returning(move |_, id| {
        Ok(Some(FoundSession { session: store.lock().unwrap().session(id), last: None, attempts: 0 }))
    });
    let store = Arc::clone(&stored);
    sessions.expect_act().returning(move |command| {
        let mut store = store.lock().unwrap();
        let step = store.due.get_mut(&command.session).and_then(VecDeque::pop_front).unwrap();
        store.applied.push((command.session.0.as_u128(), step));
        Ok(Written::New(store.session(command.session)))
    });
    let services = CheckoutServices {
        time: AccountClocks::new(
            Arc::new(FakeClock::at(at(100))),
            Arc::new(CountingIds::default()),
            Arc::new(MockTimelines::new()),
        ),
        sessions: Arc::new(sessions),
        payments: Arc::new(MockMerchantPayments::new()),
        banks: Arc::new(MockBanks::new()),
        shipping_rates: Arc::new(MockShippingRates::new()),
        page_tokens: PageTokenMaker::new(Secret::new(vec![1])),
        initiation: None,
        simulated_bank: None,
        public_url: "https://pay.example".to_owned(),
    };
    let settled = settle_account_checkouts(&services, &account(), &Timeline::default()).now_or_never().unwrap();
    assert_eq!(settled, Ok(N));
    let stored = stored.lock().unwrap();
    (stored.applied.clone(), stored.reads)
}

#[test]
fn later_steps_within_a_portion_need_no_further_read() {
    let (applied, reads) = swept([(1, &[1, 2, 4]), (2, &[3, 5]), (3, &[6])]);
    assert_eq!(applied, [(1, 1), (1, 2), (2, 3), (1, 4), (2, 5), (3, 6)]);
    // The second read finds nothing.
    assert_eq!(reads, 2);
}

#[test]
fn later_steps_after_a_portion_are_read_again() {
    let (applied, reads) = swept([(1, &[1, 3, 9]), (2, &[2, 4])]);
    assert_eq!(applied, [(1, 1), (2, 2), (1, 3), (2, 4), (1, 9)]);
    assert_eq!(reads, 4);
}

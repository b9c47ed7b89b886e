//! Extraction, removal and insertion of all rows of one account. [`of`] names every member of [`Data`], so a forgotten
//! member does not compile.

use crate::data::{ChainEnd, Data, MerchantData, Record, RecordKey};
use florin_domain::batch::{Alert, BatchState, Payment, PaymentBatch};
use florin_domain::budget::{Budget, BudgetRecord, Credit, Transfer};
use florin_domain::card::{
    Card, CardLimit, CardRecord, CardSettings, CardTransaction, CardTransition, Chain, DeclineExplanation, Dispute,
};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};
use florin_domain::event::{EventPosition, StoredEvent};
use florin_domain::ids::{AccountId, ClientId, JournalId, PaymentId};
use florin_domain::ledger::{JournalTransaction, Link};
use florin_domain::merchant::{Checkout, Logo, MerchantProfile, Payee, SettlementAccount};
use florin_domain::mfa::{MfaSession, TotpEnrolment};
use florin_domain::people::Person;
use florin_domain::secret::SealedSecret;
use florin_ports::AcceptedPayment;
use std::collections::BTreeMap;

/// A key or value that can be moved to another account.
trait Owned {
    fn move_to(&mut self, account: &AccountId);
}

/// A key that begins with an account id.
trait Key: Owned {
    fn is_of(&self, account: &AccountId) -> bool;
}

impl Owned for AccountId {
    fn move_to(&mut self, account: &AccountId) {
        self.clone_from(account);
    }
}

impl Key for AccountId {
    fn is_of(&self, account: &AccountId) -> bool {
        self == account
    }
}

impl<T> Owned for (AccountId, T) {
    fn move_to(&mut self, account: &AccountId) {
        self.0.clone_from(account);
    }
}

impl<T> Key for (AccountId, T) {
    fn is_of(&self, account: &AccountId) -> bool {
        self.0 == *account
    }
}

impl<T, U> Owned for (AccountId, T, U) {
    fn move_to(&mut self, account: &AccountId) {
        self.0.clone_from(account);
    }
}

impl<T, U> Key for (AccountId, T, U) {
    fn is_of(&self, account: &AccountId) -> bool {
        self.0 == *account
    }
}

/// Implements [`Owned`] for values that have the member `account`.
macro_rules! owned {
    ($($value:ty,)*) => {$(
        impl Owned for $value {
            fn move_to(&mut self, account: &AccountId) {
                self.account.clone_from(account);
            }
        }
    )*};
}

owned! {
    MerchantProfile, SettlementAccount, Payee, Checkout, Budget, Transfer, JournalTransaction, CardTransition,
    CardTransaction, Chain, CheckoutSession, Dispute, MerchantPayment, PaymentBatch, Payment, MfaSession, Person,
    TotpEnrolment,
}

/// Implements [`Owned`] for values that contain no account id.
macro_rules! without_account {
    ($($value:ty,)*) => {$(
        impl Owned for $value {
            fn move_to(&mut self, _: &AccountId) {}
        }
    )*};
}

without_account! { CardSettings, Vec<Alert>, Vec<[Option<Link>; 2]>, ChainEnd, DeclineExplanation, Record, i64, u64, }

impl Owned for Logo {
    fn move_to(&mut self, account: &AccountId) {
        if self.account != *account {
            self.id = self.id.copied_to(account);
            self.account.clone_from(account);
        }
    }
}

impl Owned for BudgetRecord {
    fn move_to(&mut self, account: &AccountId) {
        self.budget.account.clone_from(account);
    }
}

impl Owned for CardRecord {
    fn move_to(&mut self, account: &AccountId) {
        self.card.account.clone_from(account);
    }
}

impl Owned for (JournalId, Credit) {
    fn move_to(&mut self, account: &AccountId) {
        self.1.account.clone_from(account);
    }
}

impl Owned for (Card, Vec<CardLimit>) {
    fn move_to(&mut self, account: &AccountId) {
        self.0.account.clone_from(account);
    }
}

fn rows_of<K: Key + Ord + Clone, V: Clone>(all: &BTreeMap<K, V>, account: &AccountId) -> BTreeMap<K, V> {
    let own = all.iter().filter(|(key, _)| key.is_of(account));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Copies the rows of a merchant, except its checkouts.
fn merchants_of(all: &MerchantData, account: &AccountId) -> MerchantData {
    MerchantData {
        profiles: rows_of(&all.profiles, account),
        logos: rows_of(&all.logos, account),
        settlement_accounts: rows_of(&all.settlement_accounts, account),
        payees: rows_of(&all.payees, account),
        sessions: rows_of(&all.sessions, account),
        payments: rows_of(&all.payments, account),
    }
}

/// Copies the simulated bank's records of these payments.
fn accepted<K>(
    all: &BTreeMap<PaymentId, AcceptedPayment>,
    payments: &BTreeMap<K, Payment>,
) -> BTreeMap<PaymentId, AcceptedPayment> {
    let sent = |id: &PaymentId| payments.values().any(|payment| payment.id == *id);
    all.iter().filter(|(id, _)| sent(id)).map(|(id, accepted)| (*id, accepted.clone())).collect()
}

/// Removes the secrets, because a snapshot contains none.
fn without_secrets(mut enrolments: BTreeMap<AccountId, TotpEnrolment>) -> BTreeMap<AccountId, TotpEnrolment> {
    for enrolment in enrolments.values_mut() {
        enrolment.secret = SealedSecret::new(Vec::new());
    }
    enrolments
}

fn events_of(all: &BTreeMap<EventPosition, StoredEvent>, account: &AccountId) -> BTreeMap<EventPosition, StoredEvent> {
    let own = all.iter().filter(|(_, event)| event.account == *account);
    own.map(|(position, event)| (*position, event.clone())).collect()
}

/// Copies all rows of a world, including its counter of ids, but not its account (with its timeline), keys and
/// snapshots. Leases are excluded too: their holders must lose the right to write.
#[expect(clippy::too_many_lines, reason = "every field is named, so that none is forgotten")]
pub(crate) fn of(data: &Data, account: &AccountId) -> Data {
    let Data {
        environment: _,
        secret_key: _,
        page_secret: _,
        audit_log: _,
        clients: _,
        networks: _,
        accounts: _,
        keys: _,
        banks: _,
        addresses: _,
        merchants,
        checkouts,
        budgets,
        budget_records,
        people,
        transfers,
        journal,
        links,
        ends,
        credits,
        cards,
        card_records,
        card_settings,
        transitions,
        messages,
        chains,
        declined,
        disputes,
        batches,
        payments,
        alerts,
        leases: _,
        sandbox_bank,
        events,
        last_position: _,
        redeliveries: _,
        positions,
        sequences,
        last_payment_numbers,
        recording: _,
        mfa_sessions,
        enrolments,
        records,
        id_counters,
        worlds: _,
        snapshots: _,
        exported: _,
        imported: _,
        webhooks: _,
        deleted_webhooks: _,
        deliveries: _,
        client_records: _,
        cells: _,
        last_cell_revision: _,
        listed_cells: _,
        bound_cell: _,
    } = data;
    let payments = rows_of(payments, account);
    Data {
        merchants: merchants_of(merchants, account),
        checkouts: rows_of(checkouts, account),
        budgets: rows_of(budgets, account),
        budget_records: rows_of(budget_records, account),
        people: rows_of(people, account),
        transfers: rows_of(transfers, account),
        journal: rows_of(journal, account),
        links: rows_of(links, account),
        ends: rows_of(ends, account),
        credits: rows_of(credits, account),
        cards: rows_of(cards, account),
        card_records: rows_of(card_records, account),
        card_settings: rows_of(card_settings, account),
        transitions: transitions.iter().filter(|transition| transition.account == *account).cloned().collect(),
        messages: rows_of(messages, account),
        chains: rows_of(chains, account),
        declined: rows_of(declined, account),
        disputes: rows_of(disputes, account),
        batches: rows_of(batches, account),
        alerts: rows_of(alerts, account),
        sandbox_bank: accepted(sandbox_bank, &payments),
        events: events_of(events, account),
        positions: rows_of(positions, account),
        sequences: rows_of(sequences, account),
        last_payment_numbers: rows_of(last_payment_numbers, account),
        mfa_sessions: rows_of(mfa_sessions, account),
        enrolments: without_secrets(rows_of(enrolments, account)),
        records: rows_of::<RecordKey, Record>(records, account),
        id_counters: rows_of(id_counters, account),
        payments,
        ..Data::default()
    }
}

/// Removes from the rows of a snapshot what a file must not contain: events, idempotency records, MFA sessions and
/// enrolments, and PINs.
pub(crate) fn strip_for_file(rows: &mut Data) {
    rows.events.clear();
    rows.records.clear();
    rows.mfa_sessions.clear();
    rows.enrolments.clear();
    rows.card_records.values_mut().for_each(|card| card.pin = None);
}

/// Removes the rows that [`of`] returns, and the leases.
pub(crate) fn clear(data: &mut Data, account: &AccountId) {
    fn remove_rows<K: Key + Ord, V>(all: &mut BTreeMap<K, V>, account: &AccountId) {
        all.retain(|key, _| !key.is_of(account));
    }
    let gone = of(data, account);
    data.sandbox_bank.retain(|id, _| !gone.sandbox_bank.contains_key(id));
    remove_rows(&mut data.merchants.profiles, account);
    remove_rows(&mut data.merchants.logos, account);
    remove_rows(&mut data.merchants.settlement_accounts, account);
    remove_rows(&mut data.merchants.payees, account);
    remove_rows(&mut data.merchants.sessions, account);
    remove_rows(&mut data.merchants.payments, account);
    remove_rows(&mut data.checkouts, account);
    remove_rows(&mut data.budgets, account);
    remove_rows(&mut data.budget_records, account);
    remove_rows(&mut data.people, account);
    remove_rows(&mut data.transfers, account);
    remove_rows(&mut data.journal, account);
    remove_rows(&mut data.links, account);
    remove_rows(&mut data.ends, account);
    remove_rows(&mut data.credits, account);
    remove_rows(&mut data.cards, account);
    remove_rows(&mut data.card_records, account);
    remove_rows(&mut data.card_settings, account);
    data.transitions.retain(|transition| transition.account != *account);
    remove_rows(&mut data.messages, account);
    remove_rows(&mut data.chains, account);
    remove_rows(&mut data.declined, account);
    remove_rows(&mut data.disputes, account);
    remove_rows(&mut data.batches, account);
    remove_rows(&mut data.payments, account);
    remove_rows(&mut data.alerts, account);
    remove_rows(&mut data.leases, account);
    data.events.retain(|_, event| event.account != *account);
    remove_rows(&mut data.positions, account);
    remove_rows(&mut data.sequences, account);
    remove_rows(&mut data.last_payment_numbers, account);
    remove_rows(&mut data.mfa_sessions, account);
    remove_rows(&mut data.enrolments, account);
    remove_rows(&mut data.records, account);
    remove_rows(&mut data.id_counters, account);
}

/// Replaces the client in all rows that name one.
fn set_client(rows: &mut Data, client: ClientId) {
    for batch in rows.batches.values_mut() {
        batch.created_by = client;
        let confirmation = match &mut batch.state {
            BatchState::Draft | BatchState::Validated => None,
            BatchState::Confirmed(confirmation) => Some(confirmation),
            BatchState::Started(processing) | BatchState::Completed(processing) | BatchState::Failed(processing) => {
                Some(&mut processing.confirmation)
            }
            BatchState::Cancelled(confirmation) => confirmation.as_mut(),
        };
        if let Some(by) = confirmation.and_then(|confirmation| confirmation.by.as_mut()) {
            *by = client;
        }
    }
    for transition in &mut rows.transitions {
        transition.client = client;
    }
    for session in rows.mfa_sessions.values_mut() {
        session.client = client;
    }
}

/// Inserts the rows that [`of`] returned into an empty account, which may be another one than that of the rows. Rows
/// that name a client then name the client of this account. An enrolment gets `secret`, and is left out if that is
/// `None`.
pub(crate) fn put(data: &mut Data, account: &AccountId, mut account_rows: Data, secret: Option<SealedSecret>) {
    fn insert_rows<K: Key + Ord, V: Owned>(all: &mut BTreeMap<K, V>, account: &AccountId, rows: BTreeMap<K, V>) {
        all.extend(rows.into_iter().map(|(mut key, mut value)| {
            key.move_to(account);
            value.move_to(account);
            (key, value)
        }));
    }
    if let Some(owner) = data.accounts.get(account) {
        set_client(&mut account_rows, owner.client);
    }
    match secret {
        Some(secret) => {
            for enrolment in account_rows.enrolments.values_mut() {
                enrolment.secret.clone_from(&secret);
            }
        }
        None => account_rows.enrolments.clear(),
    }
    insert_rows(&mut data.merchants.profiles, account, account_rows.merchants.profiles);
    insert_rows(&mut data.merchants.logos, account, account_rows.merchants.logos);
    insert_rows(&mut data.merchants.settlement_accounts, account, account_rows.merchants.settlement_accounts);
    insert_rows(&mut data.merchants.payees, account, account_rows.merchants.payees);
    insert_rows(&mut data.merchants.sessions, account, account_rows.merchants.sessions);
    insert_rows(&mut data.merchants.payments, account, account_rows.merchants.payments);
    insert_rows(&mut data.checkouts, account, account_rows.checkouts);
    insert_rows(&mut data.budgets, account, account_rows.budgets);
    insert_rows(&mut data.budget_records, account, account_rows.budget_records);
    insert_rows(&mut data.people, account, account_rows.people);
    insert_rows(&mut data.transfers, account, account_rows.transfers);
    insert_rows(&mut data.journal, account, account_rows.journal);
    insert_rows(&mut data.links, account, account_rows.links);
    insert_rows(&mut data.ends, account, account_rows.ends);
    insert_rows(&mut data.credits, account, account_rows.credits);
    insert_rows(&mut data.cards, account, account_rows.cards);
    insert_rows(&mut data.card_records, account, account_rows.card_records);
    insert_rows(&mut data.card_settings, account, account_rows.card_settings);
    data.transitions.extend(account_rows.transitions.into_iter().map(|mut transition| {
        transition.move_to(account);
        transition
    }));
    insert_rows(&mut data.messages, account, account_rows.messages);
    insert_rows(&mut data.chains, account, account_rows.chains);
    insert_rows(&mut data.declined, account, account_rows.declined);
    insert_rows(&mut data.disputes, account, account_rows.disputes);
    insert_rows(&mut data.batches, account, account_rows.batches);
    insert_rows(&mut data.payments, account, account_rows.payments);
    insert_rows(&mut data.alerts, account, account_rows.alerts);
    for (id, accepted) in account_rows.sandbox_bank {
        data.sandbox_bank.entry(id).or_insert(accepted);
    }
    // A copy of a world has none of the events of its original.
    data.events.extend(account_rows.events.into_iter().filter(|(_, event)| event.account == *account));
    insert_rows(&mut data.positions, account, account_rows.positions);
    insert_rows(&mut data.sequences, account, account_rows.sequences);
    insert_rows(&mut data.last_payment_numbers, account, account_rows.last_payment_numbers);
    insert_rows(&mut data.mfa_sessions, account, account_rows.mfa_sessions);
    insert_rows(&mut data.enrolments, account, account_rows.enrolments);
    insert_rows(&mut data.records, account, account_rows.records);
    insert_rows(&mut data.id_counters, account, account_rows.id_counters);
}

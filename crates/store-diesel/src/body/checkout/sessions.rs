//! Reads sessions, and runs commands on them.

use super::body::footprint::Footprint;
use super::body::group::{decide_in_mode, under_claim};
use super::body::store::Store;
use super::body::tables::checkout::{SessionRow, checkout_sessions};
use super::body::types::Id;
use super::find::{find, with_token};
use super::{act, create, due, lists};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::checkout::{
    CheckoutSession, CreateSessionRefusal, CreateTopUpRefusal, CreatedSession, DueItem, PageTokenHash, SessionFilter,
    SessionRefusal,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantOrderId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AccountTimeline, CheckoutSessions, CreateSessionCommand, CreateTopUpCommand, Due, FoundSession, SessionCommand,
    StoreError, WriteError, Written,
};

#[async_trait]
impl CheckoutSessions for Store {
    async fn find(&self, account: &AccountId, session: CheckoutSessionId) -> Result<Option<FoundSession>, StoreError> {
        let account = account.clone();
        self.read(move |conn| find(conn, &account, session)).await
    }

    async fn with_token(&self, token: PageTokenHash) -> Result<Option<FoundSession>, StoreError> {
        self.read(move |conn| with_token(conn, token)).await
    }

    async fn with_order(
        &self,
        account: &AccountId,
        order: MerchantOrderId,
    ) -> Result<Option<CheckoutSession>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            let row = checkout_sessions::table
                .filter(checkout_sessions::account_id.eq(account.as_str()))
                .filter(checkout_sessions::order_id.eq(Id(order.0)))
                .select(SessionRow::as_select())
                .get_result::<SessionRow>(conn)
                .optional()?;
            row.map(SessionRow::read).transpose()
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: SessionFilter,
        page: PageRequest,
    ) -> Result<Page<CheckoutSession>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| lists::sessions(conn, &account, &filter, page)).await
    }

    async fn create(
        &self,
        command: CreateSessionCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| create::session(conn, &command))
        })
        .await
    }

    async fn create_top_up(
        &self,
        command: CreateTopUpCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.budget_and_counters(&command.account, command.budget);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                create::top_up(conn, working_set, &command)
            })
        })
        .await
    }

    async fn act(&self, command: SessionCommand) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            // The budget of a top-up never changes, so it can be read before the locks.
            let budget = act::budget(conn, &command.account, command.session)?;
            let mut footprint = Footprint::default();
            match budget {
                Some(budget) => footprint.budget_and_counters(&command.account, budget),
                None => footprint.counters(&command.account),
            }
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, working_set| act::decide(conn, working_set, &command, budget),
                |conn, working_set, situation, decision| {
                    working_set.events.record_with(recording.clone());
                    act::store(conn, working_set, &situation, decision)
                },
            )
        })
        .await
    }

    async fn due(
        &self,
        account: Option<AccountId>,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<Vec<Due<DueItem>>, StoreError> {
        self.read_in_one_transaction(move |conn| due::due(conn, account.as_ref(), now, max)).await
    }

    async fn due_accounts(&self, real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError> {
        self.read_in_one_transaction(move |conn| due::accounts(conn, real_now)).await
    }
}

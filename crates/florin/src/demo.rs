//! Seeds the demo data once, and describes its current state.

use anyhow::Context;
use chrono::{DateTime, Utc};
use florin_application::PageTokenMaker;
use florin_application::demo::{self, DemoSecrets};
use florin_domain::access::Environment;
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::Budget;
use florin_domain::card::Card;
use florin_domain::checkout::{
    CheckoutSession, ListedPayment, MerchantPaymentFilter, PaymentSort, SessionFilter, SessionStatus,
};
use florin_domain::merchant::{Checkout, CheckoutFilter, Payee, PayeeFilter, SettlementAccount};
use florin_domain::page::PageRequest;
use florin_ports::{
    Accounts, Callers, CheckoutSessions, Checkouts, MerchantPayments, Payees, Seeding, SettlementAccounts, StoreError,
};
use serde::Serialize;

/// The ports for seeding and reading the demo data.
pub(crate) trait DemoStore:
    Accounts + Callers + Checkouts + CheckoutSessions + MerchantPayments + Payees + Seeding + SettlementAccounts
{
}

impl<T> DemoStore for T where
    T: Accounts
        + Callers
        + Checkouts
        + CheckoutSessions
        + MerchantPayments
        + Payees
        + Seeding
        + SettlementAccounts
        + ?Sized
{
}

/// Seeds the demo data if the store is empty. Returns whether the store contains the demo data afterwards.
pub(crate) async fn seed(
    store: &(impl DemoStore + ?Sized),
    now: DateTime<Utc>,
    secrets: DemoSecrets<'_>,
) -> anyhow::Result<bool> {
    if Seeding::is_fresh(store).await? {
        match store.seed(demo::seed_data(now, secrets)?).await {
            Ok(()) => tracing::info!("seeded the demo data"),
            // Another process seeded it first.
            Err(StoreError::Duplicate(_)) => {}
            Err(error) => return Err(error).context("cannot seed the demo data"),
        }
    }
    exists(store).await
}

/// Whether the store has the demo data.
pub(crate) async fn exists(store: &(impl DemoStore + ?Sized)) -> anyhow::Result<bool> {
    let caller = Callers::find(store, &florin_application::key_hash(demo::API_KEY)).await?;
    let account = Accounts::find(store, &demo::account()?).await?;
    Ok(caller.is_some() && account.is_some_and(|account| account.client == demo::client_id()))
}

/// Whether the demo key is valid: an operator may have revoked it.
pub(crate) async fn key_works(store: &(impl DemoStore + ?Sized), now: DateTime<Utc>) -> anyhow::Result<bool> {
    let caller = Callers::find(store, &florin_application::key_hash(demo::API_KEY)).await?;
    Ok(caller.is_some_and(|caller| caller.key.is_valid(Environment::Sandbox, now)))
}

/// JSON representation of the demo data.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoData {
    pub(crate) base_url: String,
    pub(crate) account_id: &'static str,
    pub(crate) api_key: &'static str,
    pub(crate) other: OtherClient,
    pub(crate) limited_api_key: &'static str,
    pub(crate) budgets: Vec<BudgetLine>,
    pub(crate) cards: Vec<CardLine>,
    pub(crate) payment_batches: Vec<BatchLine>,
    pub(crate) mfa: Mfa,
    pub(crate) checkouts: Vec<CheckoutLine>,
    pub(crate) settlement_accounts: Vec<ApprovalLine>,
    pub(crate) payees: Vec<ApprovalLine>,
    pub(crate) checkout_sessions: Vec<SessionLine>,
    pub(crate) payments: Vec<PaymentLine>,
    pub(crate) refunds: Vec<RefundLine>,
    pub(crate) orders: Vec<OrderLine>,
    pub(crate) postcodes: Vec<String>,
}

/// The account and the key of the other client.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherClient {
    pub(crate) account_id: &'static str,
    pub(crate) api_key: &'static str,
}

/// The balance of a budget in one currency.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetLine {
    pub(crate) id: String,
    pub(crate) currency_code: &'static str,
    pub(crate) ledger_balance: String,
    pub(crate) available_balance: String,
}

/// A card.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardLine {
    pub(crate) id: String,
    pub(crate) budget_id: String,
    pub(crate) currency_code: &'static str,
    pub(crate) state: &'static str,
    /// Whether its expiry date has passed, whatever its state.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) expired: bool,
    /// Whether it has spending limits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) limited: bool,
}

/// A payment batch.
#[derive(Debug, Serialize)]
pub(crate) struct BatchLine {
    pub(crate) id: String,
    pub(crate) status: &'static str,
}

/// The MFA enrolment of the demo account.
#[derive(Debug, Serialize)]
pub(crate) struct Mfa {
    pub(crate) provider: &'static str,
    pub(crate) secret: String,
}

/// A checkout.
#[derive(Debug, Serialize)]
pub(crate) struct CheckoutLine {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
}

/// A checkout session, or a top-up.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionLine {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
    /// The URL of its payment page, if the session is OPEN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checkout_url: Option<String>,
}

/// A payment of a checkout session, or a refund of such a payment.
#[derive(Debug, Serialize)]
pub(crate) struct PaymentLine {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
}

/// A refund.
#[derive(Debug, Serialize)]
pub(crate) struct RefundLine {
    pub(crate) id: String,
    pub(crate) status: &'static str,
}

/// An order.
#[derive(Debug, Serialize)]
pub(crate) struct OrderLine {
    pub(crate) id: String,
}

/// A settlement account or a payee.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalLine {
    pub(crate) id: String,
    pub(crate) currency_code: &'static str,
    pub(crate) approval_status: &'static str,
}

impl DemoData {
    /// Reads the current state of the demo account.
    pub(crate) async fn read(
        store: &(impl DemoStore + ?Sized),
        base_url: String,
        (now, page_tokens): (DateTime<Utc>, &PageTokenMaker),
    ) -> anyhow::Result<Self> {
        let account = demo::account()?;
        let page = PageRequest { limit: PageRequest::MAX_LIMIT, offset: 0 };
        let checkouts = Checkouts::list(store, &account, CheckoutFilter::default(), page).await?;
        let settlement_accounts = SettlementAccounts::list(store, &account, page).await?;
        let payees = Payees::list(store, &account, PayeeFilter::default(), page).await?;
        let mut sessions = CheckoutSessions::list(store, &account, SessionFilter::default(), page).await?.rows;
        sessions.extend(CheckoutSessions::find(store, &account, demo::top_up_id()).await?.map(|found| found.session));
        let (filter, order) = (MerchantPaymentFilter::default(), PaymentSort::OldestFirst);
        let payments = MerchantPayments::list(store, &account, filter, order, page).await?.rows;
        let root = base_url.strip_suffix("/v2").unwrap_or(&base_url).to_owned();
        Ok(Self {
            base_url,
            account_id: demo::ACCOUNT,
            api_key: demo::API_KEY,
            other: OtherClient { account_id: demo::OTHER_ACCOUNT, api_key: demo::OTHER_API_KEY },
            limited_api_key: demo::LIMITED_API_KEY,
            budgets: {
                let budgets = store.budgets(&account).await?;
                let funded = budgets.iter().filter(|budget| budget.id != demo::parent_budget_id());
                funded.flat_map(budget_lines).collect()
            },
            cards: store.cards(&account).await?.iter().map(|card| card_line(card, now)).collect(),
            payment_batches: store.batches(&account).await?.iter().map(batch_line).collect(),
            mfa: Mfa { provider: "totp", secret: florin_mfa::base32_secret(&demo::totp_secret()) },
            checkouts: checkouts.rows.iter().map(checkout_line).collect(),
            settlement_accounts: settlement_accounts.rows.iter().rev().map(|row| account_line(&row.account)).collect(),
            payees: payees.rows.iter().rev().map(payee_line).collect(),
            checkout_sessions: sessions.iter().map(|session| session_line(session, &root, page_tokens)).collect(),
            payments: payments.iter().map(payment_line).collect(),
            refunds: payments.iter().filter_map(refund_line).collect(),
            orders: sessions.iter().filter_map(order_line).collect(),
            postcodes: florin_postcode_embedded::builtin_postcodes().iter().map(ToString::to_string).collect(),
        })
    }

    /// A card for examples: usable, in pounds, without limits.
    pub(crate) fn sample_card(&self) -> Option<&CardLine> {
        self.cards
            .iter()
            .find(|card| card.state == "ACTIVE" && card.currency_code == "GBP" && !card.expired && !card.limited)
    }

    /// A request that works when pasted into a shell.
    pub(crate) fn sample_request(&self) -> Option<String> {
        let Self { base_url, account_id, api_key, .. } = self;
        let card = &self.sample_card()?.id;
        Some(format!(
            "curl -s -X POST '{base_url}/cards/simulations/transaction/authorization?accountId={account_id}' \
             -H 'Authorization: ApiKey {api_key}' -H 'Content-Type: application/json' \
             -d '{{\"cardId\": \"{card}\", \"amount\": 10.00, \"network\": \"VISA\", \
             \"cardAcceptor\": {{\"mid\": \"11111\"}}}}'"
        ))
    }
}

fn budget_lines(budget: &Budget) -> Vec<BudgetLine> {
    let line = |(currency, balances): &(florin_domain::money::Currency, florin_domain::ledger::Balances)| BudgetLine {
        id: budget.id.to_string(),
        currency_code: currency.code(),
        ledger_balance: balances.ledger().of(*currency).to_string(),
        available_balance: balances.available().of(*currency).to_string(),
    };
    budget.balances.iter().map(line).collect()
}

fn card_line(card: &Card, now: DateTime<Utc>) -> CardLine {
    CardLine {
        id: card.id.to_string(),
        budget_id: card.budget.to_string(),
        currency_code: card.currency.code(),
        state: card.state.as_str(),
        expired: card.is_expired(now),
        limited: demo::has_limits(card.id),
    }
}

fn batch_line(batch: &PaymentBatch) -> BatchLine {
    BatchLine { id: batch.id.to_string(), status: batch.status().as_str() }
}

fn checkout_line(checkout: &Checkout) -> CheckoutLine {
    CheckoutLine {
        id: checkout.id.to_string(),
        kind: checkout.kind.checkout_type().as_str(),
        status: checkout.status.as_str(),
    }
}

fn account_line(account: &SettlementAccount) -> ApprovalLine {
    ApprovalLine {
        id: account.id.to_string(),
        currency_code: account.details.currency().as_str(),
        approval_status: account.approval.as_str(),
    }
}

fn payee_line(payee: &Payee) -> ApprovalLine {
    ApprovalLine {
        id: payee.id.to_string(),
        currency_code: payee.details.currency().as_str(),
        approval_status: payee.approval.as_str(),
    }
}

fn session_line(session: &CheckoutSession, root: &str, page_tokens: &PageTokenMaker) -> SessionLine {
    let url = || page_tokens.checkout_url(root, &session.account, session.id.0);
    SessionLine {
        id: session.id.to_string(),
        kind: session.purpose.checkout_type().as_str(),
        status: session.status().as_str(),
        checkout_url: (session.status() == SessionStatus::Open).then(url),
    }
}

fn payment_line(payment: &ListedPayment) -> PaymentLine {
    PaymentLine { id: payment.id.to_string(), kind: payment.kind().as_str(), status: payment.status.as_str() }
}

fn refund_line(payment: &ListedPayment) -> Option<RefundLine> {
    let id = payment.refund.as_ref()?.id.to_string();
    Some(RefundLine { id, status: payment.refund_status().as_str() })
}

fn order_line(session: &CheckoutSession) -> Option<OrderLine> {
    Some(OrderLine { id: session.state.order()?.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::SystemClock;
    use florin_domain::access::ApiClient;
    use florin_domain::ids::ClientId;
    use florin_domain::secret::Secret;
    use florin_ports::Clock;
    use florin_ports::test_support::FakeCipher;
    use florin_store_contract::{AnyStore, StoreSettings};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use tempfile::TempDir;

    /// Runs a test on an unused store.
    fn on_fresh_store(test: impl AsyncFnOnce(&dyn AnyStore)) {
        let dir = TempDir::new().unwrap();
        let url = format!("sqlite://{}", dir.path().join("florin.db").display());
        let store = florin_store_contract::open(&crate::wiring::ADAPTERS, &StoreSettings::at(url)).unwrap();
        store.migrate(&|_, _| {}).unwrap();
        actix_web::rt::System::new().block_on(test(store.as_ref()));
        store.close();
    }

    async fn seed_it(store: &dyn AnyStore, now: DateTime<Utc>) -> anyhow::Result<bool> {
        let page_tokens = &PageTokenMaker::new(Secret::new(vec![1]));
        seed(store, now, DemoSecrets { cipher: &FakeCipher, page_tokens }).await
    }

    async fn described(store: &dyn AnyStore) -> DemoData {
        let page_tokens = PageTokenMaker::new(Secret::new(vec![1]));
        let now = (SystemClock.now(), &page_tokens);
        DemoData::read(store, "http://127.0.0.1:8080/v2".into(), now).await.unwrap()
    }

    #[test]
    fn the_demo_data_is_seeded_once_and_read_from_the_store() {
        on_fresh_store(async |store| {
            let now = SystemClock.now();
            assert!(!exists(store).await.unwrap());
            assert!(seed_it(store, now).await.unwrap() && key_works(store, now).await.unwrap());
            let first = serde_json::to_value(described(store).await).unwrap();
            assert!(seed_it(store, now).await.unwrap());
            assert_eq!(serde_json::to_value(described(store).await).unwrap(), first);

            assert_eq!((&first["accountId"], &first["other"]["accountId"]), (&json!("F50091"), &json!("F60017")));
            assert_eq!(first["mfa"]["provider"], "totp");
            let id = &first["budgets"][0]["id"];
            let budget =
                json!({"id": id, "currencyCode": "GBP", "ledgerBalance": "9800.00", "availableBalance": "9600.00"});
            assert_eq!(first["budgets"][0], budget);
            assert_eq!(first["checkouts"].as_array().map(Vec::len), Some(125));
            let statuses = |list: &Value| {
                let rows = list.as_array().unwrap().iter();
                rows.map(|row| row["approvalStatus"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>().len()
            };
            assert_eq!((statuses(&first["settlementAccounts"]), statuses(&first["payees"])), (3, 3));
            assert!(first["postcodes"].as_array().is_some_and(|postcodes| !postcodes.is_empty()));
            let marked = |mark: &str| {
                let cards = first["cards"].as_array().unwrap();
                cards.iter().filter(|card| card.get(mark) == Some(&Value::Bool(true))).count()
            };
            assert_eq!((marked("expired"), marked("limited")), (1, 1));
        });
    }

    #[test]
    fn the_sample_request_is_one_valid_shell_command() {
        on_fresh_store(async |store| {
            seed_it(store, SystemClock.now()).await.unwrap();
            let data = described(store).await;
            let request = data.sample_request().unwrap();
            assert!(request.starts_with("curl ") && !request.contains('\n'), "{request}");
            let quoted: Vec<_> = request.split('\'').skip(1).step_by(2).collect();
            assert_eq!(
                quoted[0],
                format!("{}/cards/simulations/transaction/authorization?accountId=F50091", data.base_url)
            );
            assert_eq!(quoted[1], format!("Authorization: ApiKey {}", data.api_key));
            let body: Value = serde_json::from_str(quoted[3]).unwrap();
            assert_eq!(body["cardId"], data.cards[0].id);
        });
    }

    #[test]
    fn a_store_in_use_gets_no_demo_data() {
        on_fresh_store(async |store| {
            let id = ClientId(uuid::Uuid::from_u128(1));
            let client = ApiClient {
                id,
                name: "Real".into(),
                allowed_networks: Vec::new(),
                features: BTreeSet::new(),
                disabled_at: None,
            };
            store.add_client(client).await.unwrap();
            assert!(!seed_it(store, SystemClock.now()).await.unwrap());
            assert_eq!(store.clients().await.unwrap().len(), 1);
        });
    }
}

//! Tests of the properties of the demo data that examples, tests and documents rely on.

use super::*;
use chrono::TimeZone;
use florin_domain::access::{Feature, Scope};
use florin_domain::batch::{ModulusTable, PaymentBatchStatus};
use florin_domain::card::{Card, CardState};
use florin_domain::checkout::{
    CheckoutSession, MerchantPaymentKind, MerchantPaymentStatus, SessionPurpose, SessionStatus,
};
use florin_domain::ledger::Balances;
use florin_domain::merchant::{
    ApprovalStatus, BankDetails, BankDetailsInput, CheckoutKind, CheckoutStatus, CheckoutTarget, CheckoutType,
};
use florin_domain::secret::Secret;
use florin_ports::SeedAccount;
use std::collections::{BTreeMap, BTreeSet, HashSet};

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 9, 16, 12, 30, 15).unwrap()
}

fn seeded() -> SeedData {
    let page_tokens = &PageTokenMaker::new(Secret::new(vec![1]));
    let secrets = DemoSecrets { cipher: &florin_ports::test_support::FakeCipher, page_tokens };
    seed_data(now() + TimeDelta::milliseconds(123), secrets).unwrap()
}

fn demo_account() -> SeedAccount {
    seeded().accounts.into_iter().find(|seed| seed.account.id.as_str() == ACCOUNT).unwrap()
}

#[test]
fn there_is_a_session_in_every_status_and_a_top_up() {
    let seed = demo_account();
    for status in SessionStatus::ALL {
        assert!(seed.sessions.iter().any(|session| session.status() == status), "{status:?}");
    }
    let top_up = seed.sessions.iter().find(|session| session.id == top_up_id()).unwrap();
    assert!(matches!(top_up.purpose, SessionPurpose::Budget(_)) && top_up.status() == SessionStatus::Open);
    let due = seed.sessions.iter().filter_map(CheckoutSession::due_at);
    assert!(due.clone().count() == 3 && due.min() > Some(now() + TimeDelta::days(365)));
    // Clocks of accounts show times up to the end of 2099.
    let beyond_clocks = Utc.with_ymd_and_hms(2100, 1, 1, 0, 0, 0).unwrap();
    for session in seed.sessions.iter().filter(|session| session.due_at().is_some()) {
        let is_open = session.status() == SessionStatus::Open;
        assert_eq!(session.due_at() < Some(beyond_clocks), is_open, "{session:?}");
    }
    let refund = seed.merchant_payments.iter().find(|payment| payment.kind() == MerchantPaymentKind::Refund).unwrap();
    assert_eq!(refund.status(), MerchantPaymentStatus::Completed);
    assert_eq!(seed.merchant_journal.len(), 3, "two payments and a refund");
    let ids: HashSet<_> = seed.merchant_payments.iter().map(|payment| payment.id).collect();
    assert_eq!(ids.len(), seed.merchant_payments.len());
}

#[test]
fn balances_are_the_sums_of_the_journal() {
    for seed in seeded().accounts {
        for seeded in &seed.budgets {
            let [(currency, balances)] = seeded.budget.balances[..] else { panic!("one currency a budget") };
            let mut sum = Balances::default();
            for entry in &seeded.journal {
                assert_eq!((entry.currency, &entry.account), (currency, &seed.account.id));
                sum = sum.after(seeded.budget.id, entry.legs()).unwrap();
            }
            assert_eq!(sum, balances, "{}", seeded.budget.name);
        }
    }
}

#[test]
fn the_budgets_of_the_demo_account_have_round_balances() {
    let seen: Vec<_> = demo_account()
        .budgets
        .iter()
        .map(|seed| {
            let (currency, balances) = seed.budget.balances[0];
            (balances.ledger().of(currency).to_string(), balances.available().of(currency).to_string(), currency.code())
        })
        .collect();
    let expected = [("9800.00", "9600.00", "GBP"), ("5000.00", "5000.00", "EUR"), ("1000000", "1000000", "JPY")];
    assert_eq!(seen, expected.map(|(ledger, available, code)| (ledger.into(), available.into(), code)));
}

#[test]
fn reserved_amounts_are_the_costs_of_open_batches() {
    let seed = demo_account();
    let mut reserved: BTreeMap<_, i64> = BTreeMap::new();
    for batch in &seed.batches {
        if matches!(batch.status(), PaymentBatchStatus::Confirmed | PaymentBatchStatus::Started) {
            for order in &batch.orders {
                *reserved.entry(order.budget).or_default() += order.total.0;
            }
        }
    }
    for seeded in &seed.budgets {
        let (_, balances) = seeded.budget.balances[0];
        assert_eq!(balances.reserved().0, reserved.get(&seeded.budget.id).copied().unwrap_or(0));
        assert_eq!(balances.held().0, 0);
    }
}

fn active(cards: &[florin_ports::SeedCard], currency: &str) -> Vec<Card> {
    let cards = cards.iter().map(|seed| seed.card.clone());
    cards.filter(|card| card.state == CardState::Active && card.currency.code() == currency).collect()
}

#[test]
fn cards_have_every_state_and_usable_ones_come_first() {
    let cards = demo_account().cards;
    for state in CardState::ALL {
        assert!(cards.iter().any(|seed| seed.card.state == state && !seed.card.is_expired(now())), "{state:?}");
    }
    let expired: Vec<_> = cards.iter().filter(|seed| seed.card.is_expired(now())).collect();
    assert!(matches!(expired[..], [seed] if seed.card.state == CardState::Active));
    let usable = |currency| {
        active(&cards, currency).iter().filter(|card| !card.is_expired(now()) && !has_limits(card.id)).count()
    };
    assert!(usable("GBP") >= 4 && usable("JPY") >= 3 && usable("EUR") >= 2);
    let limited: Vec<_> = cards.iter().filter(|seed| !seed.limits.is_empty()).map(|seed| seed.card.id).collect();
    assert!(matches!(limited[..], [id] if has_limits(id)));
    assert_eq!(active(&cards, "GBP").last().map(|card| card.id), limited.first().copied());
    assert!(!active(&cards, "GBP")[0].is_expired(now()));
}

#[test]
fn every_card_is_paid_from_a_budget_of_its_account_and_currency() {
    for seed in seeded().accounts {
        for card in seed.cards {
            let budget = seed.budgets.iter().find(|seeded| seeded.budget.id == card.card.budget).unwrap();
            assert!(budget.budget.in_currency(card.card.currency).is_some());
            assert_eq!(card.card.account, seed.account.id);
        }
    }
}

#[test]
fn batches_have_every_status_and_one_cannot_be_funded() {
    let seed = demo_account();
    for status in PaymentBatchStatus::ALL {
        assert!(seed.batches.iter().any(|batch| batch.status() == status), "{status}");
    }
    let available = seed.budgets[0].budget.balances[0].1.available().0;
    let validated: Vec<_> =
        seed.batches.iter().filter(|batch| batch.status() == PaymentBatchStatus::Validated).collect();
    let (large, small) = validated.split_last().unwrap();
    assert!(small.len() >= 8);
    let cost: i64 = small.iter().map(|batch| batch.orders[0].total.0).sum();
    assert!(cost < available && large.orders[0].total.0 > 10 * available);
    assert_eq!(small.iter().filter(|batch| batch.orders.len() > 1).count(), 1);
    for batch in &seed.batches {
        assert!(batch.created_at <= batch.updated_at && batch.updated_at < now());
        assert!(batch.state.confirmation().is_none_or(|confirmed| confirmed.passed_mfa_check_at.is_some()));
    }
}

#[test]
fn a_batch_has_payments_unless_it_is_a_draft_and_they_add_up_to_its_orders() {
    for seed in seeded().accounts {
        for batch in &seed.batches {
            let payments: Vec<_> = seed.payments.iter().filter(|payment| payment.batch == batch.id).collect();
            let status = batch.status();
            assert_eq!(payments.is_empty(), status == PaymentBatchStatus::Draft, "{}", batch.name);
            assert_eq!(batch.input.is_some(), !payments.is_empty(), "{}", batch.name);
            let mut sums: BTreeMap<_, i64> = BTreeMap::new();
            for (index, payment) in (0..).zip(&payments) {
                let terms = payment.terms().unwrap();
                let expected = match status {
                    PaymentBatchStatus::Confirmed => "validated",
                    other => other.as_str(),
                };
                assert_eq!((payment.index, payment.status().as_str()), (index, expected), "{}", batch.name);
                *sums.entry((terms.order, terms.budget, terms.currency)).or_default() += terms.amount.0;
            }
            let orders = batch.orders.iter().map(|order| ((order.id, order.budget, order.currency), order.total.0));
            assert_eq!(sums, orders.collect(), "{}", batch.name);
            assert!(batch.orders.iter().all(|order| order.fees.0 == 0), "{}", batch.name);
        }
    }
}

#[test]
fn checkouts_fill_more_than_a_page_and_vary() {
    let checkouts = demo_account().checkouts;
    assert_eq!(checkouts.len(), 125);
    for kind in CheckoutType::ALL {
        for status in CheckoutStatus::ALL {
            assert!(checkouts.iter().any(|one| one.kind.checkout_type() == kind && one.status == status));
        }
    }
    let seen = |test: &dyn Fn(&florin_domain::merchant::Checkout) -> bool| checkouts.iter().any(test);
    assert!(seen(&|one| one.name.is_none()) && seen(&|one| one.name.is_some()));
    assert!(seen(&|one| one.locale.is_none()) && seen(&|one| one.locale.is_some()));
    assert!(seen(&|one| one.currency.code() == "EUR") && seen(&|one| one.currency.code() == "GBP"));
    assert!(seen(&|one| matches!(&one.kind, CheckoutKind::Shopping { settlement_account: Some(_), .. })));
    assert!(seen(&|one| matches!(&one.kind, CheckoutKind::Shopping { settlement_account: None, shipping: None })));
    assert!(seen(&|one| matches!(&one.kind, CheckoutKind::Shopping { shipping: Some(options), .. }
        if options.dynamic_rates_url.is_some())));
    let times: BTreeSet<_> = checkouts.iter().map(|one| one.created_at).collect();
    assert!((100..125).contains(&times.len()), "{} different times", times.len());
    let seeded_at = now();
    assert!(checkouts.iter().all(|one| one.created_at <= one.updated_at && one.updated_at < seeded_at));
}

#[test]
fn ids_are_unique_and_of_version_7() {
    let mut seen = HashSet::new();
    let mut check_unique = |id: uuid::Uuid| {
        assert_eq!((id.get_version_num(), id.get_variant()), (7, uuid::Variant::RFC4122), "{id}");
        assert!(seen.insert(id), "duplicate id {id}");
    };
    let world = seeded();
    world.clients.iter().for_each(|client| check_unique(client.id.0));
    world.keys.iter().for_each(|seed| check_unique(seed.key.id.0));
    for seed in &world.accounts {
        seed.checkouts.iter().for_each(|one| check_unique(one.id.0));
        seed.cards.iter().for_each(|one| check_unique(one.card.id.0));
        for seeded in &seed.budgets {
            check_unique(seeded.budget.id.0);
            seeded.journal.iter().for_each(|entry| check_unique(entry.id.0));
        }
        for batch in &seed.batches {
            check_unique(batch.id.0);
            batch.orders.iter().for_each(|order| check_unique(order.id.0));
        }
        seed.payments.iter().for_each(|payment| check_unique(payment.id.0));
    }
    let banks: BTreeSet<_> = world.banks.iter().map(|bank| bank.id.clone()).collect();
    assert_eq!((banks.len(), world.banks.len()), (24, 24));
}

#[test]
fn keys_are_sandbox_keys_with_the_expected_access() {
    for text in [API_KEY, OTHER_API_KEY, LIMITED_API_KEY] {
        let hex = text.strip_prefix("florin_sandbox_").unwrap();
        assert!(hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
    }
    let world = seeded();
    let key = |text| {
        let hash = crate::key_hash(text);
        world.keys.iter().find(|seed| seed.hash == hash).map(|seed| seed.key.clone()).unwrap()
    };
    assert_eq!(key(API_KEY).scopes.len(), Scope::ALL.len());
    assert_eq!(key(OTHER_API_KEY).scopes.len(), Scope::ALL.len());
    assert!(key(LIMITED_API_KEY).scopes.is_empty());
    let client = |text| world.clients.iter().find(|client| client.id == key(text).client).unwrap();
    assert!(client(API_KEY).features.contains(&Feature::AddressesLookup));
    assert!(client(OTHER_API_KEY).features.is_empty());
    let account = |id: &str| world.accounts.iter().find(|seed| seed.account.id.as_str() == id).unwrap();
    assert!(key(API_KEY).reaches(&account(ACCOUNT).account) && key(API_KEY).reaches(&account(PLAIN_ACCOUNT).account));
    assert!(!key(API_KEY).reaches(&account(OTHER_ACCOUNT).account));
    assert!(!account(PLAIN_ACCOUNT).account.merchant && account(OTHER_ACCOUNT).account.merchant);
    assert_eq!(totp_secret().expose().len(), 20);
}

/// Every settlement account that a demo checkout names exists, is approved, and accepts the checkout's currency.
#[test]
fn checkouts_pay_into_settlement_accounts() {
    for seed in seeded().accounts {
        let targets: Vec<_> = seed.checkouts.iter().filter_map(CheckoutTarget::of).collect();
        for target in &targets {
            let paid = seed.settlement_accounts.iter().find(|account| target.pays_into(account));
            assert!(
                paid.is_some_and(|account| account.is_approved() && account.receives(target.currency)),
                "{target:?}"
            );
        }
        for account in &seed.settlement_accounts {
            let own = seed
                .settlement_accounts
                .iter()
                .filter(|other| other.is_default && other.details.currency() == account.details.currency());
            assert_eq!(own.count(), 1);
        }
    }
    let approvals: BTreeSet<_> =
        demo_account().settlement_accounts.iter().map(|account| account.approval.as_str()).collect();
    assert_eq!(approvals.len(), ApprovalStatus::ALL.len());
    let payees: BTreeSet<_> = demo_account().payees.iter().map(|payee| payee.approval.as_str()).collect();
    assert_eq!(payees.len(), ApprovalStatus::ALL.len());
}

#[test]
fn bank_details_are_valid() {
    let table = ModulusTable::built_in().unwrap();
    for seed in seeded().accounts {
        let details = seed.settlement_accounts.iter().map(|account| &account.details);
        for details in details.chain(seed.payees.iter().map(|payee| &payee.details)) {
            let input = match details.clone() {
                BankDetails::SortCode { sort_code, account_number } => {
                    BankDetailsInput { sort_code: Some(sort_code), account_number: Some(account_number), iban: None }
                }
                BankDetails::Iban(iban) => BankDetailsInput { iban: Some(iban), ..BankDetailsInput::default() },
            };
            let parsed = BankDetails::parse(details.details_type(), &input, &table);
            assert_eq!(parsed.as_ref(), Ok(details));
        }
    }
}

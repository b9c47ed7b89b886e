//! Credits.

use crate::support::{Fixture, MINE, OTHER, budget, fresh, gbp, id, noon};
use florin_domain::budget::{Credit, CreditInstruction, CreditRefusal, CreditScheme, CreditSituation, decide_credit};
use florin_domain::ids::BudgetId;
use florin_domain::money::{Currency, DecimalAmount, Minor};
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use florin_ports::{CreditCommand, Credits, Mode, WriteError, Written};
use std::sync::Arc;
use uuid::Uuid;

pub(crate) fn credit(account: &str, to: BudgetId, number: u128, amount: &str, currency: Currency) -> CreditCommand {
    let name = || Text::parse("Ænne 😀").unwrap();
    let instruction = CreditInstruction {
        budget: to,
        amount: DecimalAmount::from_decimal_string(amount).unwrap(),
        currency,
        remitters_name: name(),
        remitters_address: name(),
        beneficiary_name: name(),
        scheme: CreditScheme::FasterPayment,
        reference: Some(Text::parse("").unwrap()),
        bank_identifier: None,
        account_identifier: None,
        order_id: None,
        third_party_reference: None,
        institution_name: None,
        institution_address: None,
    };
    let decide = Arc::new(move |situation: &CreditSituation| {
        let stamp = Stamp { now: noon(), ids: &|| Uuid::from_u128((30 << 64) + number) };
        decide_credit(&situation.budget, situation.number, &instruction, &stamp)
    });
    CreditCommand { account: id(account), budget: to, decide, mode: Mode::Commit, claim: None }
}

async fn credited(fixture: &Fixture, command: CreditCommand) -> Result<Credit, WriteError<CreditRefusal>> {
    fixture.store.credit(command).await.map(|written| match written {
        Written::New(credit) => credit,
        other => panic!("expected an effect, got {other:?}"),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn credits_are_numbered_per_account_without_gaps() {
    let fixture = Fixture::seeded().await;
    let eur = Currency::parse("EUR").unwrap();
    let number = |credit: Credit| credit.box_transaction_id;
    assert_eq!(number(credited(&fixture, credit(MINE, budget(MINE), 1, "200", gbp())).await.unwrap()), 1);
    let refused = credited(&fixture, credit(MINE, budget(MINE), 2, "200", eur)).await;
    assert!(matches!(refused, Err(WriteError::Refused(CreditRefusal::Faults(_)))), "{refused:?}");
    // A failed credit does not use up a number either. This credit fails because its journal id is already in use.
    let failed = credited(&fixture, credit(MINE, budget(MINE), 1, "200", gbp())).await;
    assert!(matches!(failed, Err(WriteError::Store(florin_ports::StoreError::Duplicate(_)))), "{failed:?}");
    assert_eq!(number(credited(&fixture, credit(MINE, budget(MINE), 3, "0.01", gbp())).await.unwrap()), 2);
    assert_eq!(number(credited(&fixture, credit(OTHER, budget(OTHER), 4, "1", gbp())).await.unwrap()), 1);
    assert_eq!(fixture.balances(MINE).await.ledger(), Minor(29_501));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_stays_within_64_bits() {
    let fixture = Fixture::funded(i64::MAX - 100).await;
    let last = fresh(fixture.store.credit(credit(MINE, budget(MINE), 1, "1", gbp())).await);
    assert_eq!(last.balances.ledger(), Minor(i64::MAX));
    let refused = credited(&fixture, credit(MINE, budget(MINE), 2, "0.01", gbp())).await;
    assert!(matches!(refused, Err(WriteError::Refused(CreditRefusal::AmountOutOfRange(_)))), "{refused:?}");
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_another_account_is_absent() {
    let fixture = Fixture::seeded().await;
    assert_eq!(credited(&fixture, credit(MINE, budget(OTHER), 1, "1", gbp())).await, Err(WriteError::Absent));
}

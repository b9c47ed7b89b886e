//! Tests of the rule that transfers money between budgets.

use super::*;
use crate::budget::Budget;
use crate::fault::FlawCode;
use crate::test_support::CountingIds;
use proptest::prelude::*;
use uuid::Uuid;

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn record(number: u128, held: &[(&str, [i64; 3])]) -> BudgetRecord {
    let balances = held.iter().map(|(code, [available, held, reserved])| {
        (currency(code), Balances::new(Minor(*available), Minor(*held), Minor(*reserved)).unwrap())
    });
    let account = AccountId::parse("F1").unwrap();
    let parent =
        BudgetRecord::parent_of_account(BudgetId(Uuid::from_u128(9)), account.clone(), [], DateTime::UNIX_EPOCH);
    let id = BudgetId(Uuid::from_u128(number));
    BudgetRecord::seeded(Budget { id, account, name: "Main".into(), balances: balances.collect() }, &parent)
}

fn instruction(amount: &str, code: &str) -> TransferInstruction {
    TransferInstruction {
        from: BudgetId(Uuid::from_u128(1)),
        to: BudgetId(Uuid::from_u128(2)),
        amount: DecimalAmount::from_decimal_string(amount).unwrap(),
        currency: currency(code),
        reference: Some(TransferReference::parse("rent").unwrap()),
    }
}

fn decide(
    from: BudgetRecord,
    to: Option<BudgetRecord>,
    amount: &str,
    code: &str,
) -> Result<TransferDecision, TransferRefusal> {
    let ids = CountingIds::starting_at(8);
    let stamp = Stamp { now: DateTime::UNIX_EPOCH, ids: ids.source() };
    decide_transfer(&TransferSituation { from, to, number: 5 }, &instruction(amount, code), &stamp)
}

#[test]
fn a_transfer_debits_one_budget_and_credits_the_other() {
    let decision =
        decide(record(1, &[("GBP", [1_000, 70, 5])]), Some(record(2, &[("GBP", [-100, 0, 0])])), "10.00", "GBP")
            .unwrap();
    assert_eq!((decision.done.from.available(), decision.done.from.ledger()), (Minor(0), Minor(75)));
    assert_eq!((decision.done.to.available(), decision.done.to.ledger()), (Minor(900), Minor(900)));
    assert_eq!((decision.journal.cause, decision.journal.id.0), (Uuid::from_u128(8), Uuid::from_u128(9)));
    assert_eq!(decision.journal.kind, JournalKind::Transfer);
    let transfer = &decision.done.transfer;
    assert_eq!((transfer.reference.as_deref(), transfer.number, transfer.credit_number()), (Some("rent"), 5, 6));
}

#[test]
fn held_and_reserved_money_cannot_be_transferred() {
    let from = record(1, &[("GBP", [999, 5_000, 5_000])]);
    let refusal = decide(from, Some(record(2, &[("GBP", [0, 0, 0])])), "10.00", "GBP").unwrap_err();
    assert_eq!(refusal, TransferRefusal::InsufficientFunds { available: Minor(999).of(currency("GBP")) });
}

#[test]
fn every_refusal_names_its_cause() {
    let (from, to) = (record(1, &[("GBP", [1_000, 0, 0])]), record(2, &[("EUR", [0, 0, 0])]));
    for code in ["GBP", "EUR"] {
        let refusal = decide(from.clone(), Some(to.clone()), "1.001", code).unwrap_err();
        let TransferRefusal::Faults(faults) = refusal else { panic!("refused with faults") };
        let seen: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.flaw.code)).collect();
        assert_eq!(seen, [("body.amount", FlawCode::TooManyDecimals), ("body.currency", FlawCode::InvalidValue)]);
    }
    assert_eq!(decide(from, None, "1.001", "EUR"), Err(TransferRefusal::NoReceiver));
    let same = BudgetId(Uuid::from_u128(1));
    assert_eq!(TransferInstruction::check_ends(same, same).unwrap_err().code, FlawCode::InvalidValue);
}

#[test]
fn references_have_a_small_alphabet() {
    let parse = |text: &str| TransferReference::parse(text).map(|_| ()).map_err(|flaw| flaw.code);
    for good in ["a", " ", "Inv. 7/8 (a-b):?,", "123456789012345678"] {
        assert_eq!(parse(good), Ok(()), "{good}");
    }
    assert_eq!(parse("1234567890123456789"), Err(FlawCode::TooLong));
    for wrong in ["", "Zoë", "a_b", "a\tb", "a+b"] {
        assert_eq!(parse(wrong), Err(FlawCode::InvalidFormat), "{wrong}");
    }
}

#[test]
fn a_balance_stays_within_64_bits() {
    let (from, to) = (record(1, &[("GBP", [1_000, 0, 0])]), record(2, &[("GBP", [i64::MAX, 0, 0])]));
    assert_eq!(
        decide(from, Some(to), "0.01", "GBP"),
        Err(TransferRefusal::AmountOutOfRange(AmountOutOfRange::Overflow))
    );
}

proptest! {
    /// No decision creates or loses money, or spends more than is available.
    #[test]
    fn money_is_conserved(available in -500..5_000_i64, other in -500..5_000_i64, minor in 1..6_000_i64) {
        let amount = format!("{}.{:02}", minor / 100, minor % 100);
        let (from, to) = (record(1, &[("GBP", [available, 3, 4])]), record(2, &[("GBP", [other, 5, 6])]));
        match decide(from, Some(to), &amount, "GBP") {
            Ok(TransferDecision { done, journal, .. }) => {
                prop_assert!(available >= minor);
                prop_assert_eq!(done.from.ledger().0 + done.to.ledger().0, available + other + 18);
                prop_assert_eq!(done.to.available().0, other + minor);
                prop_assert!(done.from.available().0 >= 0);
                prop_assert_eq!(journal.postings().iter().map(|posting| posting.amount.0).sum::<i64>(), 0);
            }
            Err(refusal) => {
                let short = matches!(refusal, TransferRefusal::InsufficientFunds { .. });
                prop_assert!(short && available < minor);
            }
        }
    }
}

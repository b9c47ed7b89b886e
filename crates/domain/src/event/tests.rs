//! Tests of the types of events, and of the bank details in movements.

use super::*;
use crate::budget::{CreditInstruction, decide_credit};
use crate::test_support::{a_budget, a_credit, a_stamp};
use crate::text::Text;
use std::collections::BTreeSet;

#[test]
fn every_type_has_an_id_and_a_name_of_its_own() {
    let ids: BTreeSet<_> = EventType::ALL.iter().map(|known| known.id).collect();
    let names: BTreeSet<_> = EventType::ALL.iter().map(|known| known.name).collect();
    assert_eq!((ids.len(), names.len()), (EventType::ALL.len(), EventType::ALL.len()));
    for known in EventType::ALL {
        assert_eq!(EventType::named(known.name), Some(known));
        assert_eq!(EventType::with_id(known.id), Some(known));
    }
    for kind in EventKind::ALL {
        let own = EventType::named(kind.as_str()).unwrap();
        assert_eq!((own.kind, own.id), (*kind, kind.id()));
        let others = EventType::ALL.iter().filter(|known| known.kind == *kind && *known != own);
        // The original service has other names for the merchants' kinds.
        assert_eq!(others.count(), usize::from(kind.as_str().starts_with("Merchant")), "{kind:?}");
    }
}

fn movement(identification: Option<&str>, bank: Option<&str>) -> BudgetEvent {
    let decision = decide_credit(
        &a_budget().with("5.00 GBP").build().budget,
        1,
        &CreditInstruction {
            account_identifier: identification.map(|text| Text::parse(text).unwrap()),
            bank_identifier: bank.map(|text| Text::parse(text).unwrap()),
            ..a_credit("1.00 GBP")
        },
        &a_stamp(),
    );
    match decision.unwrap().events.pop().unwrap().body {
        EventBody::Budget(movement) => *movement,
        other => panic!("{other:?}"),
    }
}

#[test]
fn identifications_show_their_last_four_characters() {
    let masked = |text| movement(Some(text), None).masked_identification().unwrap();
    assert_eq!(masked("12344958"), "****4958");
    assert_eq!(masked("GB33 BUKB 2020 1555 5555 5-5"), "****5555");
    assert_eq!(masked("1234"), "****");
    assert_eq!(masked("ÄÖÜ49é8"), "****49é8");
    assert_eq!(movement(None, None).masked_identification(), None);
}

#[test]
fn identifications_and_banks_are_recognized() {
    let scheme = |text| movement(Some(text), None).identification_scheme();
    assert_eq!(scheme("GB33 BUKB 2020 1555 5555 55"), Some("UK.OBIE.IBAN"));
    assert_eq!(scheme("12345678"), Some("UK.OBIE.SortCodeAccountNumber"));
    assert_eq!(scheme("20-20-15 55555555"), Some("UK.OBIE.SortCodeAccountNumber"));
    assert_eq!((scheme("DE"), scheme("1234567"), scheme("")), (None, None, None));
    assert_eq!((scheme("gb33bukb20201555555555"), scheme("GB34BUKB20201555555555")), (Some("UK.OBIE.IBAN"), None));
    let bic = |text| movement(None, Some(text)).institution_bic().map(str::to_owned);
    assert_eq!(bic("BUKBGB22").as_deref(), Some("BUKBGB22"));
    assert_eq!(bic("DEUTDEFF500").as_deref(), Some("DEUTDEFF500"));
    assert_eq!((bic("20-20-15"), bic("bukbgb22"), bic("BUKBUK22")), (None, None, None));
}

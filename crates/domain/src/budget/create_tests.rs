//! Tests of the rule that creates budgets.

use super::*;
use crate::fault::FlawCode;
use uuid::Uuid;

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn request() -> BudgetRequest {
    BudgetRequest {
        id: BudgetId(Uuid::from_u128(1)),
        account: AccountId::parse("F1").unwrap(),
        name: Text::parse("Travel").unwrap(),
        currencies: vec![currency("GBP"), currency("EUR")],
        features: [BudgetFeature::Payments].into(),
        owner: BudgetOwner::Everyone,
        status: BudgetStatus::Hidden,
        box_id: Some(Text::parse("box 7").unwrap()),
        max_budgets: 10,
        now: DateTime::UNIX_EPOCH,
    }
}

fn situation(level: u32) -> CreateBudgetSituation {
    let currencies = ["EUR", "GBP", "JPY"].map(currency).into();
    let parent = ParentBudget { id: BudgetId(Uuid::from_u128(2)), level, currencies };
    CreateBudgetSituation { budgets: 9, parent: Some(parent), persona_has_budget: None, name_is_taken: false }
}

#[test]
fn a_new_budget_keeps_the_request_and_has_a_zero_balance_in_each_currency() {
    let record = decide_create_budget(&situation(2), &request()).unwrap();
    let balances: Vec<_> =
        record.budget.balances.iter().map(|(currency, balances)| (currency.code(), *balances)).collect();
    assert_eq!(balances, [("EUR", Balances::default()), ("GBP", Balances::default())]);
    assert_eq!((record.kind, record.persona, record.status), (BudgetKind::Shared, None, BudgetStatus::Hidden));
    assert_eq!((record.parent, record.box_id.as_deref()), (Some(BudgetId(Uuid::from_u128(2))), Some("box 7")));
    assert_eq!((record.created_at, record.updated_at), (Some(DateTime::UNIX_EPOCH), Some(DateTime::UNIX_EPOCH)));
}

#[test]
fn the_parent_limits_depth_and_currencies() {
    let decide = |situation, request| decide_create_budget(&situation, &request).map(|_| ());
    assert_eq!(decide(situation(3), request()), Err(CreateBudgetRefusal::TooDeep));
    let orphan = CreateBudgetSituation { parent: None, ..situation(1) };
    assert_eq!(decide(orphan, request()), Err(CreateBudgetRefusal::NoParent));
    let full = CreateBudgetSituation { budgets: 10, ..situation(1) };
    assert_eq!(decide(full, request()), Err(CreateBudgetRefusal::TooMany { max: 10 }));
    let dollars = BudgetRequest { currencies: ["GBP", "USD", "CHF"].map(currency).into(), ..request() };
    // Invalid currencies are reported before the depth.
    let Err(CreateBudgetRefusal::Faults(faults)) = decide(situation(3), dollars) else { panic!("refused with faults") };
    let seen: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.flaw.code)).collect();
    assert_eq!(seen, [("body.currencies[1]", FlawCode::InvalidValue), ("body.currencies[2]", FlawCode::InvalidValue)]);
}

#[test]
fn a_taken_name_is_refused_after_invalid_values_and_before_too_many_budgets() {
    let taken = |level| CreateBudgetSituation { name_is_taken: true, ..situation(level) };
    let decide = |situation: CreateBudgetSituation| decide_create_budget(&situation, &request()).map(|_| ());
    assert_eq!(decide(taken(1)), Err(CreateBudgetRefusal::NameTaken));
    assert_eq!(decide(taken(3)), Err(CreateBudgetRefusal::TooDeep));
    assert_eq!(decide(CreateBudgetSituation { budgets: 10, ..taken(1) }), Err(CreateBudgetRefusal::NameTaken));
}

#[test]
fn a_person_has_one_individual_budget() {
    let persona = PersonaId(Uuid::from_u128(3));
    let request = BudgetRequest { owner: BudgetOwner::Person(persona), ..request() };
    let decide = |persona_has_budget| {
        decide_create_budget(&CreateBudgetSituation { persona_has_budget, ..situation(1) }, &request)
    };
    assert_eq!(decide(None), Err(CreateBudgetRefusal::NoPersona));
    assert_eq!(decide(Some(true)), Err(CreateBudgetRefusal::SecondOfPerson));
    let record = decide(Some(false)).unwrap();
    assert_eq!((record.kind, record.persona), (BudgetKind::Individual, Some(persona)));
}

#[test]
fn only_individual_budgets_have_a_person() {
    let persona = PersonaId(Uuid::from_u128(3));
    assert_eq!(BudgetOwner::of(BudgetKind::Shared, None), Ok(BudgetOwner::Everyone));
    assert_eq!(BudgetOwner::of(BudgetKind::Individual, Some(persona)), Ok(BudgetOwner::Person(persona)));
    for (kind, persona, path, code) in [
        (BudgetKind::Shared, Some(persona), "body.personaId", FlawCode::InvalidValue),
        (BudgetKind::Individual, None, "body.personaId", FlawCode::Required),
        (BudgetKind::AccountBalance, None, "body.type", FlawCode::InvalidValue),
    ] {
        let fault = BudgetOwner::of(kind, persona).unwrap_err();
        assert_eq!((fault.path.as_str(), fault.flaw.code), (path, code));
    }
}

#[test]
fn lists_must_not_contain_duplicates() {
    let [gbp, eur] = ["GBP", "EUR"].map(currency);
    assert_eq!(check_currencies(vec![gbp, eur]).unwrap(), [gbp, eur]);
    assert_eq!(check_currencies(vec![gbp, gbp]).unwrap_err().code, FlawCode::InvalidValue);
    assert_eq!(check_currencies(vec![]).unwrap_err().code, FlawCode::OutOfRange);
    let twice = [BudgetFeature::Payments, BudgetFeature::Payments];
    assert_eq!(check_features(&twice).unwrap_err().code, FlawCode::InvalidValue);
    assert!(check_features(&[]).unwrap().is_empty());
}

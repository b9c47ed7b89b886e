use florin_domain::card::Response;
use florin_domain::test_support::{CardScenario, a_budget, a_card};

#[test]
fn an_authorization_holds_the_money_until_it_is_cleared() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("250.00 GBP"));
    let coffee = scenario.authorize("2.40");
    assert_eq!(coffee.response, Response::Approved);
    assert_eq!(scenario.available(), "247.60 GBP");
    assert_eq!(scenario.held(), "2.40 GBP");
    scenario.clear(coffee.token, "2.40").unwrap();
    assert_eq!(scenario.held(), "0.00 GBP");
    assert_eq!(scenario.ledger(), "247.60 GBP");
}

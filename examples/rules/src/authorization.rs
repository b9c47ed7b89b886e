use florin_domain::card::Response;
use florin_domain::test_support::{CardWorld, a_budget, a_card};

#[test]
fn an_authorization_holds_the_money_until_it_is_cleared() {
    let mut world = CardWorld::of(a_card(), a_budget().with("250.00 GBP"));
    let coffee = world.authorize("2.40");
    assert_eq!(coffee.response, Response::Approved);
    assert_eq!(world.available(), "247.60 GBP");
    assert_eq!(world.held(), "2.40 GBP");
    world.clear(coffee.token, "2.40").unwrap();
    assert_eq!(world.held(), "0.00 GBP");
    assert_eq!(world.ledger(), "247.60 GBP");
}

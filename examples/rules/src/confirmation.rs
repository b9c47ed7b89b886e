use florin_domain::batch::ConfirmRefusal;
use florin_domain::test_support::{BatchScenario, a_budget, a_payment};

#[test]
fn a_confirmation_reserves_the_money_of_every_payment() {
    let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
    scenario.upload([a_payment("60.00 GBP"), a_payment("40.01 GBP")]).unwrap();
    assert!(matches!(scenario.confirm(), Err(ConfirmRefusal::InsufficientFunds(_))));
    scenario.upload([a_payment("60.00 GBP"), a_payment("30.00 GBP")]).unwrap();
    scenario.confirm().unwrap();
    assert_eq!(scenario.available("GBP"), "10.00 GBP");
    assert_eq!(scenario.reserved("GBP"), "90.00 GBP");
}

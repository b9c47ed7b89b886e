use florin_domain::batch::ConfirmRefusal;
use florin_domain::test_support::{BatchWorld, a_budget, a_payment};

#[test]
fn a_confirmation_reserves_the_money_of_every_payment() {
    let mut world = BatchWorld::of(a_budget().with("100.00 GBP"));
    world.upload([a_payment("60.00 GBP"), a_payment("40.01 GBP")]).unwrap();
    assert!(matches!(world.confirm(), Err(ConfirmRefusal::InsufficientFunds(_))));
    world.upload([a_payment("60.00 GBP"), a_payment("30.00 GBP")]).unwrap();
    world.confirm().unwrap();
    assert_eq!(world.available("GBP"), "10.00 GBP");
    assert_eq!(world.reserved("GBP"), "90.00 GBP");
}

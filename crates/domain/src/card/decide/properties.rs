//! Properties of any sequence of messages.

use super::testing::World;
use super::{CardRefusal, FollowUp};
use crate::card::ChainKind;
use crate::ids::TransactionToken;
use crate::ledger::{Balances, JournalTransaction, LedgerAccount};
use crate::money::{DecimalAmount, Minor};
use chrono::TimeDelta;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Action {
    First(ChainKind, String),
    Follow(usize, FollowUp),
    Expire(usize),
    Wait(i64),
}

fn decimal() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0_u64..4000).prop_map(|pence| format!("{}.{:02}", pence / 100, pence % 100)),
        1 => Just("1000000000".to_owned()),
        1 => Just("0.001".to_owned()),
    ]
}

fn follow_up() -> impl Strategy<Value = FollowUp> {
    let amount = || decimal().prop_map(|text| DecimalAmount::from_json_number(&text).unwrap());
    prop_oneof![
        amount().prop_map(|amount| FollowUp::Advice { amount }),
        (amount(), any::<bool>()).prop_map(|(amount, is_final)| FollowUp::Clearing { amount, is_final }),
        amount().prop_map(|amount| FollowUp::AtmClearing { amount }),
        proptest::option::of(amount()).prop_map(|amount| FollowUp::Reversal { amount }),
        amount().prop_map(|amount| FollowUp::RefundClearing { amount }),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let kind = prop_oneof![Just(ChainKind::Purchase), Just(ChainKind::Atm), Just(ChainKind::Refund)];
    prop_oneof![
        3 => (kind, decimal()).prop_map(|(kind, amount)| Action::First(kind, amount)),
        6 => (any::<usize>(), follow_up()).prop_map(|(which, message)| Action::Follow(which, message)),
        1 => any::<usize>().prop_map(Action::Expire),
        1 => (0_i64..5).prop_map(Action::Wait),
    ]
}

fn pick(world: &World, which: usize) -> Option<TransactionToken> {
    let records = &world.records;
    (!records.is_empty()).then(|| records[which % records.len()].token)
}

/// The sum of all entries of one account of the journal.
fn entries(world: &World, account: LedgerAccount) -> i128 {
    let postings = world.journal.iter().flat_map(JournalTransaction::postings);
    postings.filter(|posting| posting.account == account).map(|posting| i128::from(posting.amount.0)).sum()
}

fn check(world: &World, opening: i64) -> Result<(), TestCaseError> {
    for journal in &world.journal {
        let sum: i128 = journal.postings().iter().map(|posting| i128::from(posting.amount.0)).sum();
        prop_assert_eq!(sum, 0, "a journal transaction balances");
    }
    let budget = world.card.budget;
    let open_holds: i64 = world.chains.iter().filter(|chain| chain.end.is_none()).map(|chain| chain.held.0).sum();
    let ended_holds: i64 = world.chains.iter().filter(|chain| chain.end.is_some()).map(|chain| chain.held.0).sum();
    prop_assert_eq!(ended_holds, 0);
    prop_assert_eq!(world.balances.held(), Minor(open_holds));
    prop_assert_eq!(world.balances.available().0, world.balances.ledger().0 - open_holds);
    let available = i128::from(opening) + entries(world, LedgerAccount::Available(budget));
    prop_assert_eq!(i128::from(world.balances.available().0), available);
    prop_assert_eq!(i128::from(open_holds), entries(world, LedgerAccount::Held(budget)));
    Ok(())
}

proptest! {
    #[test]
    fn money_is_conserved(
        opening in prop_oneof![4 => 0_i64..20_000, 1 => (i64::MAX - 10_000)..=i64::MAX],
        actions in proptest::collection::vec(action(), 1..60),
    ) {
        let mut world = World::with(opening);
        for action in actions {
            let before = (world.balances, world.records.len(), world.journal.len(), world.chains.clone());
            let result = match action {
                Action::First(kind, amount) => world.first(kind, &amount).map(|_| ()),
                Action::Follow(which, message) => match pick(&world, which) {
                    Some(token) => world.follow(token, &message).map(|_| ()),
                    None => Ok(()),
                },
                Action::Expire(which) => {
                    if let Some(token) = pick(&world, which) {
                        world.expire(token);
                    }
                    Ok(())
                }
                Action::Wait(days) => {
                    world.wait(TimeDelta::days(days));
                    Ok(())
                }
            };
            if let Err(refusal) = result {
                prop_assert!(!matches!(refusal, CardRefusal::Unbalanced(_)));
                let after = (world.balances, world.records.len(), world.journal.len(), world.chains.clone());
                prop_assert_eq!(after, before, "a refused message changes nothing");
            }
            check(&world, opening)?;
        }
    }

    #[test]
    fn balances_never_leave_their_range(available in any::<i64>(), held in 0_i64..=i64::MAX, reserved in 0_i64..=i64::MAX) {
        let sum = i128::from(available) + i128::from(held) + i128::from(reserved);
        let balances = Balances::new(Minor(available), Minor(held), Minor(reserved));
        prop_assert_eq!(balances.is_ok(), i64::try_from(sum).is_ok());
        if let Ok(balances) = balances {
            prop_assert_eq!(i128::from(balances.ledger().0), sum);
        }
    }
}

//! Tests of disputes.

use super::*;
use crate::card::CardState;
use crate::card::decide::testing::{row, scenario_with};
use crate::card::decide::{FirstKind, FollowUp};
use crate::money::Total;
use crate::test_support::{CardScenario, decimal, first_message, quotes};
use proptest::prelude::*;

const WON: DisputeAction = DisputeAction::Resolve(DisputeOutcome::Won);
const LOST: DisputeAction = DisputeAction::Resolve(DisputeOutcome::Lost);

fn settled() -> (CardScenario, TransactionToken) {
    let mut scenario = scenario_with(25_000);
    let first = scenario.authorize("10").token;
    let clearing = scenario.clear(first, "10").unwrap().transaction.token;
    (scenario, clearing)
}

/// Applies an action to a dispute. Returns the row of the message that the action causes.
fn act(scenario: &mut CardScenario, dispute: &Dispute, action: &DisputeAction) -> Option<[String; 5]> {
    scenario.act_on_dispute(dispute.id, action).unwrap().message.as_ref().map(row)
}

fn evidence(text: &str) -> DisputeAction {
    DisputeAction::Evidence(EvidenceText::parse(text).unwrap())
}

#[test]
fn messages_of_a_dispute_change_balances_as_in_the_contracts_table() {
    let shown = |cells: [&str; 5]| Some(cells.map(str::to_owned));
    let credit = "authorization.clearing.chargeback.provisional.credit";
    let credit = shown([credit, "COMPLETION", "250.00", "250.00", "10.00"]);
    for (with_credit, outcome, expected) in [
        (false, &WON, shown(["authorization.clearing.chargeback", "COMPLETION", "250.00", "250.00", "10.00"])),
        (true, &WON, shown(["authorization.clearing.chargeback.completed", "COMPLETION", "250.00", "250.00", "0.00"])),
        (false, &LOST, None),
        (
            true,
            &LOST,
            shown(["authorization.clearing.chargeback.provisional.debit", "COMPLETION", "240.00", "240.00", "-10.00"]),
        ),
    ] {
        let (mut scenario, token) = settled();
        let dispute = scenario.dispute(token, None).unwrap();
        assert_eq!((dispute.amount, dispute.state), (Minor(1000), DisputeState::Open));
        if with_credit {
            assert_eq!(act(&mut scenario, &dispute, &DisputeAction::Credit), credit);
        }
        assert_eq!(act(&mut scenario, &dispute, outcome), expected);
        let decided = scenario.disputes.last().unwrap();
        let won = *outcome == WON;
        let status = if won { DisputeStatus::Won } else { DisputeStatus::Lost };
        assert_eq!((decided.state.status(), decided.state.resolved_at()), (status, Some(scenario.now)));
        let credited = if won { Minor(1000) } else { Minor::ZERO };
        assert_eq!(
            (decided.credited(), scenario.available()),
            (credited, if won { "250.00 GBP" } else { "240.00 GBP" }.into())
        );
        let disputed = scenario.chains.iter().find(|chain| chain.id == dispute.chain).unwrap();
        assert_eq!(disputed.disputed, credited, "a lost dispute claims nothing");
    }
}

#[test]
fn messages_of_a_dispute_are_a_chain_of_their_own() {
    let (mut scenario, token) = settled();
    let dispute = scenario.dispute(token, Some("4")).unwrap();
    let credit = scenario.act_on_dispute(dispute.id, &DisputeAction::Credit).unwrap().message.unwrap().transaction;
    let link = DisputeLink { dispute: dispute.id, transaction: token };
    assert_eq!((credit.chain, credit.preceding, credit.details.dispute), (credit.token, None, Some(link)));
    assert_eq!(scenario.chains.last().unwrap().end(), None);
    assert_eq!(scenario.disputes[0].credit, Some(credit.token));
    let end = scenario.act_on_dispute(dispute.id, &LOST).unwrap().message.unwrap();
    assert_eq!((end.transaction.chain, end.transaction.preceding), (credit.token, Some(credit.token)));
    let chain = end.chain.unwrap();
    assert_eq!((chain.id, chain.end(), chain.cleared), (credit.token, Some(ChainEnd::Reversed), Minor::ZERO));
    assert_eq!(scenario.state_of(credit.token), TransactionState::NothingCleared);
    let lost = DisputeState::Lost { settlement: Some(end.transaction.token), at: scenario.now };
    assert_eq!(scenario.disputes[0].state, lost);
    for message in [FollowUp::Reversal { amount: None }, FollowUp::DebitReversal { amount: None }] {
        let refused = scenario.follow(credit.token, &message);
        assert!(matches!(refused, Err(CardRefusal::WrongKind { .. })), "{refused:?}");
    }
}

#[test]
fn only_settled_purchases_and_debits_can_be_disputed() {
    let mut scenario = scenario_with(25_000);
    let open = scenario.authorize("10").token;
    let check = scenario.authorize("0").token;
    let declined = scenario.authorize("9999").token;
    let cash = scenario.withdraw("10").token;
    let clearing = FollowUp::AtmClearing { amount: decimal("10"), fee: None };
    let withdrawn = scenario.follow(cash, &clearing).unwrap().transaction.token;
    let [refund, fee, inquiry] =
        [(FirstKind::UnlinkedRefund, "10"), (FirstKind::FeeCharge, "10"), (FirstKind::Inquiry, "0")]
            .map(|(kind, amount)| scenario.send(&first_message(kind, amount)).unwrap().transaction.token);
    let returned = scenario.send(&first_message(FirstKind::Debit, "10")).unwrap().transaction.token;
    let debit_reversal =
        scenario.follow(returned, &FollowUp::DebitReversal { amount: None }).unwrap().transaction.token;
    for token in [open, check, declined, cash, withdrawn, refund, fee, inquiry, returned, debit_reversal] {
        let refused = scenario.dispute(token, None);
        assert!(matches!(refused, Err(DisputeRefusal::WrongKind { .. })), "{refused:?}");
    }
    for kind in [FirstKind::Debit, FirstKind::ForcePost] {
        let token = scenario.send(&first_message(kind, "10")).unwrap().transaction.token;
        let dispute = scenario.dispute(token, Some("1")).unwrap();
        act(&mut scenario, &dispute, &DisputeAction::Credit);
        let credit = scenario.disputes.last().unwrap().credit.unwrap();
        assert!(
            matches!(scenario.dispute(credit, None), Err(DisputeRefusal::WrongKind { .. })),
            "no dispute of a dispute"
        );
    }
}

#[test]
fn an_amount_is_disputed_once() {
    let mut scenario = scenario_with(25_000);
    let first = scenario.authorize("10").token;
    let clearing = |amount, is_final| FollowUp::Clearing { amount: decimal(amount), is_final };
    let [one, two] = [clearing("6", false), clearing("4", true)]
        .map(|clearing| scenario.follow(first, &clearing).unwrap().transaction.token);
    let rest = |refused: Result<Dispute, DisputeRefusal>| match refused {
        Err(DisputeRefusal::ExceedsUndisputed { rest }) => rest.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(rest(scenario.dispute(one, Some("6.01"))), "6.00");
    assert_eq!(rest(scenario.dispute(first, Some("10.01"))), "10.00");
    let lost = scenario.dispute(one, Some("5")).unwrap();
    act(&mut scenario, &lost, &LOST);
    assert_eq!(rest(scenario.dispute(one, Some("1.01"))), "1.00", "a lost dispute counts, too");
    assert_eq!(scenario.dispute(first, Some("3")).unwrap().amount, Minor(300));
    assert_eq!(rest(scenario.dispute(two, Some("2.01"))), "2.00", "the undisputed amount of the whole chain");
    assert_eq!(scenario.dispute(two, None).unwrap().amount, Minor(200));
    assert_eq!(rest(scenario.dispute(one, None)), "0.00");
    assert!(matches!(scenario.dispute(one, Some("0.001")), Err(DisputeRefusal::Amount(_))));
}

#[test]
fn a_disputed_amount_cannot_also_be_returned() {
    let mut scenario = scenario_with(25_000);
    let debit = scenario.send(&first_message(FirstKind::Debit, "10")).unwrap().transaction.token;
    let debit_reversal = |amount: Option<&str>| FollowUp::DebitReversal { amount: amount.map(decimal) };
    let dispute = scenario.dispute(debit, Some("4")).unwrap();
    let too_much = scenario.follow(debit, &debit_reversal(Some("6.01")));
    assert!(
        matches!(too_much, Err(CardRefusal::ExceedsRemainder { rest }) if rest.minor == Minor(600)),
        "{too_much:?}"
    );
    assert_eq!(scenario.follow(debit, &debit_reversal(None)).unwrap().transaction.impacted, Minor(600));
    let nothing = scenario.follow(debit, &debit_reversal(None));
    assert!(matches!(nothing, Err(CardRefusal::ExceedsRemainder { rest }) if rest.minor.is_zero()), "{nothing:?}");
    act(&mut scenario, &dispute, &LOST);
    let last = scenario.follow(debit, &debit_reversal(None)).unwrap();
    assert_eq!((last.transaction.impacted, scenario.available()), (Minor(400), "250.00 GBP".into()));
    assert_eq!(scenario.state_of(debit), TransactionState::NothingCleared);
}

#[test]
fn a_return_in_another_currency_leaves_the_claimed_amount() {
    for claimed in ["0.01", "2.62", "2.63", "7.86", "7.87"] {
        let mut scenario = scenario_with(25_000);
        let mut debit = first_message(FirstKind::Debit, "10");
        debit.extras.quotes = Some(quotes("USD", "0.787037037"));
        let debit = scenario.send(&debit).unwrap().transaction.token;
        let dispute = scenario.dispute(debit, Some(claimed)).unwrap();
        act(&mut scenario, &dispute, &WON);
        let _ = scenario.follow(debit, &FollowUp::DebitReversal { amount: None });
        let chain = scenario.chains.iter().find(|chain| chain.id == debit).unwrap();
        assert!(chain.disputed <= chain.cleared, "{claimed}");
        assert!(scenario.balances.available() <= Minor(25_000), "{claimed}");
    }
}

#[test]
fn a_decided_dispute_accepts_nothing() {
    for outcome in [&WON, &LOST] {
        let (mut scenario, token) = settled();
        let dispute = scenario.dispute(token, None).unwrap();
        act(&mut scenario, &dispute, &DisputeAction::Credit);
        assert_eq!(scenario.act_on_dispute(dispute.id, &DisputeAction::Credit), Err(DisputeRefusal::AlreadyCredited));
        act(&mut scenario, &dispute, outcome);
        for action in [&WON, &LOST, &DisputeAction::Credit, &evidence("late")] {
            assert!(matches!(scenario.act_on_dispute(dispute.id, action), Err(DisputeRefusal::NotOpen(_))));
        }
    }
}

#[test]
fn the_number_and_length_of_evidence_are_limited() {
    let (mut scenario, token) = settled();
    let dispute = scenario.dispute(token, None).unwrap();
    for number in 0..Dispute::MAX_EVIDENCE {
        assert_eq!(act(&mut scenario, &dispute, &evidence(&number.to_string())), None);
    }
    assert_eq!(scenario.act_on_dispute(dispute.id, &evidence("one more")), Err(DisputeRefusal::TooMuchEvidence));
    let texts: Vec<_> = scenario.disputes[0].evidence.iter().map(|evidence| evidence.text.as_str()).collect();
    assert_eq!((texts[0], texts[19]), ("0", "19"));
    assert!(EvidenceText::parse("").is_err() && EvidenceText::parse("x".repeat(2001)).is_err());
}

#[test]
fn a_lost_dispute_may_overdraw_and_the_card_may_be_in_any_state() {
    for state in CardState::ALL {
        let (mut scenario, token) = settled();
        scenario.card.state = state;
        let dispute = scenario.dispute(token, None).unwrap();
        act(&mut scenario, &dispute, &DisputeAction::Credit);
        scenario.send(&first_message(FirstKind::ForcePost, "250")).unwrap();
        act(&mut scenario, &dispute, &LOST);
        assert_eq!(scenario.available(), "-10.00 GBP");
    }
}

/// A step of a random sequence about one debit and one purchase.
#[derive(Clone, Debug)]
enum Step {
    Dispute(bool, i64),
    Return(i64),
    Clear(i64),
    Act(usize, DisputeAction),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let action = prop_oneof![Just(DisputeAction::Credit), Just(WON), Just(LOST)];
    let step = prop_oneof![
        (any::<bool>(), 1..700_i64).prop_map(|(of_debit, amount)| Step::Dispute(of_debit, amount)),
        (1..700_i64).prop_map(Step::Return),
        (1..700_i64).prop_map(Step::Clear),
        (0..8_usize, action).prop_map(|(which, action)| Step::Act(which, action)),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    /// Returns and disputes never give back more than was cleared, and every chain stores the amount that disputes
    /// claim.
    #[test]
    fn money_goes_back_at_most_once(steps in steps()) {
        let mut scenario = scenario_with(100_000);
        let debit = scenario.send(&first_message(FirstKind::Debit, "10")).unwrap().transaction.token;
        let purchase = scenario.authorize("10").token;
        let pence = |amount: i64| Minor(amount).of(gbp()).to_string();
        let mut cleared = 1000;
        let mut returned = 0;
        for step in steps {
            match step {
                Step::Dispute(of_debit, amount) => {
                    let token = if of_debit { debit } else { purchase };
                    let _ = scenario.dispute(token, Some(&pence(amount)));
                }
                Step::Return(amount) => {
                    let message = FollowUp::DebitReversal { amount: Some(decimal(&pence(amount))) };
                    returned += scenario.follow(debit, &message).map_or(0, |done| done.transaction.impacted.0);
                }
                Step::Clear(amount) => {
                    let message = FollowUp::Clearing { amount: decimal(&pence(amount)), is_final: false };
                    cleared -= scenario.follow(purchase, &message).map_or(0, |done| done.transaction.impacted.0);
                }
                Step::Act(which, action) => {
                    let known = scenario.disputes.len().max(1);
                    if let Some(dispute) = scenario.disputes.get(which % known).map(|dispute| dispute.id) {
                        let _ = scenario.act_on_dispute(dispute, &action);
                    }
                }
            }
            let credited: i64 = scenario.disputes.iter().map(|dispute| dispute.credited().0).sum();
            prop_assert_eq!(scenario.balances.ledger().0, 100_000 - cleared + returned + credited);
            prop_assert!(returned + credited <= cleared);
            for chain in &scenario.chains {
                let disputes = scenario.disputes.iter();
                let claims = disputes.filter(|dispute| dispute.chain == chain.id && dispute.state.status().claims());
                let claimed: Total = claims.map(|dispute| Total::from(dispute.amount)).sum();
                prop_assert_eq!(claimed, chain.disputed.into());
                prop_assert!(chain.disputed <= chain.cleared);
            }
        }
    }
}

fn gbp() -> crate::money::Currency {
    crate::test_support::currency("GBP")
}

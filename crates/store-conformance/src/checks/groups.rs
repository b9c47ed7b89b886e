//! Checks of commands that a store may execute in one transaction (a group). Each command sees the effects of the
//! earlier ones. The results equal those of the same commands sent one at a time, on an account with the same ids.

use super::equal_ids::{create_untouched_twins, expect_equal_accounts};
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    RIGHT, SANDBOX, amount, claim, clearing, confirm, confirm_batch, credit, expiry, first, follow_up, message, open,
    purchase, stamp, token,
};
use crate::expect::{expect_new, same};
use crate::factory::Handle;
use crate::management::transfer;
use crate::observe::{books_are_right, without_account};
use crate::payments::{NewPayments, batch_id, create, empty, payment_id};
use crate::seed_data::{Who, gbp, jpy, noon};
use crate::together::{Work, in_one_group};
use chrono::TimeDelta;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::{Currency, Minor};
use florin_ports::{AcceptedPayment, CreditCommand, FirstMessageCommand, TransferCommand};

checks! {
    "groups.card_messages.see_what_earlier_commands_left" (Sandbox) => see_what_earlier_commands_left,
    "groups.money.sees_what_earlier_commands_left" (Sandbox) => sees_what_earlier_commands_left,
    "groups.confirmations.see_what_earlier_commands_left" (Sandbox) => confirmations_see_what_earlier_commands_left,
    "groups.accepted_payments.are_remembered_once" (Sandbox) => accepted_payments_are_remembered_once,
}

type Commands = Vec<Work<String>>;

/// Adds a command and formats its answer as text.
macro_rules! queue {
    ($commands:ident, $handle:ident.$port:ident.$method:ident($command:expr)) => {{
        let (port, command) = ($handle.$port.clone(), $command);
        $commands.push(Box::pin(async move { format!("{:?}", port.$method(command).await) }));
    }};
}

/// Sends commands to one account as a group and to its twin one at a time, and expects equal results.
async fn compare(handle: &Handle, commands: fn(&Handle, Who) -> Result<Commands, Failure>) -> CheckResult {
    let together = in_one_group(handle, Who::Main, commands(handle, Who::Main)?).await?;
    for (place, (work, found)) in (1..).zip(commands(handle, Who::Twin)?.into_iter().zip(together)) {
        let expected = without_account(&work.await, Who::Twin)?;
        same(&format!("the answer to command {place} of a group"), without_account(&found, Who::Main)?, expected)?;
    }
    expect_equal_accounts(handle, 1..=40).await?;
    books_are_right(handle).await
}

async fn see_what_earlier_commands_left(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    compare(&handle, |handle, who| {
        let mut commands = Commands::new();
        let keyed = |number, body| -> Result<_, Failure> {
            let claim = Some(claim(who, "k", body)?);
            Ok(FirstMessageCommand { claim, ..purchase(who, number, "10")? })
        };
        for (number, body) in [(1, "{}"), (2, "{}"), (2, "[]")] {
            queue!(commands, handle.cards.first_message(keyed(number, body)?));
        }
        for (named, number, message) in [
            (1, 3, FollowUp::Incremental { amount: amount("2")?, decline: None }),
            (3, 4, clearing("4", false)?),
            (4, 5, clearing("8", true)?),
            (1, 6, FollowUp::Reversal { amount: None }),
        ] {
            queue!(commands, handle.cards.follow_up(follow_up(who, token(named), number, message)?));
        }
        let on = |card, number, text| first(who, card, message(FirstKind::Purchase, text)?, stamp(number));
        for number in 10..14 {
            queue!(commands, handle.cards.first_message(on(who.limited_card(), number, "1")?));
        }
        let back = FollowUp::Reversal { amount: None };
        queue!(commands, handle.cards.follow_up(follow_up(who, token(10), 14, back)?));
        queue!(commands, handle.cards.first_message(on(who.limited_card(), 15, "19")?));
        queue!(commands, handle.cards.first_message(on(who.card(), 16, "5")?));
        for number in [17, 18] {
            let late = noon() + TimeDelta::days(40);
            queue!(commands, handle.cards.expire(expiry(who, token(16), number, late)?));
        }
        queue!(commands, handle.cards.first_message(on(who.card(), 19, "9999")?));
        queue!(commands, handle.cards.follow_up(follow_up(who, token(19), 20, clearing("1", true)?)?));
        for (number, text) in [(21, "80"), (22, "6"), (23, "5"), (24, "0.01")] {
            queue!(commands, handle.cards.first_message(on(who.card(), number, text)?));
        }
        Ok(commands)
    })
    .await
}

async fn sees_what_earlier_commands_left(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    compare(&handle, |handle, who| {
        let mut commands = Commands::new();
        let ends = (who.budget(), who.second_budget());
        for number in [1, 2] {
            let claim = Some(claim(who, "credit", "{}")?);
            queue!(commands, handle.credits.credit(CreditCommand { claim, ..credit(who, number, "3", gbp()?)? }));
        }
        queue!(commands, handle.credits.credit(credit(who, 3, "1", Currency::parse("EUR")?)?));
        queue!(commands, handle.credits.credit(credit(who, 4, "100", jpy()?)?));
        for (number, ends, text) in [(5, ends, "90"), (6, ends, "9"), (7, (ends.1, ends.0), "0.50"), (8, ends, "8.50")]
        {
            queue!(commands, handle.transfers.transfer(transfer(who, number, ends, text)?));
        }
        for number in [9, 10] {
            let claim = Some(claim(who, "transfer", "{}")?);
            let command = TransferCommand { claim, ..transfer(who, number, (ends.1, ends.0), "1")? };
            queue!(commands, handle.transfers.transfer(command));
        }
        queue!(commands, handle.credits.credit(credit(who, 11, "2", gbp()?)?));
        for (number, text) in [(12, "3"), (13, "0.01")] {
            queue!(commands, handle.cards.first_message(purchase(who, number, text)?));
        }
        Ok(commands)
    })
    .await
}

async fn confirmations_see_what_earlier_commands_left(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    for who in [Who::Main, Who::Twin] {
        expect_new(handle.management.create(create(who, empty(who, 1, noon())?, Some(NewPayments::of(10, 3)))?).await)?;
    }
    compare(&handle, |handle, who| {
        let (mut commands, totp) = (Commands::new(), MfaProviderName::Totp);
        let session = |number, provider, batch| -> Result<_, Failure> {
            let mut command = open(who, number, provider)?;
            command.batch = batch;
            Ok(command)
        };
        queue!(commands, handle.mfa.open(session(1, totp, who.batch())?));
        queue!(commands, handle.mfa.open(session(2, SANDBOX, who.batch())?));
        queue!(commands, handle.mfa.open(session(3, totp, batch_id(1))?));
        let step = MfaVerdict::Correct { step: Some(7) };
        for (session, proof) in [
            (2, (SANDBOX, MfaVerdict::Wrong)),
            (1, (totp, MfaVerdict::Wrong)),
            (1, (totp, step)),
            (2, (SANDBOX, RIGHT)),
        ] {
            queue!(commands, handle.batches.confirm(confirm(who, session, 1_000, proof)?));
        }
        queue!(commands, handle.mfa.open(session(4, SANDBOX, who.batch())?));
        // The step was already used for the first batch.
        for (verdict, ids) in [(step, 2_000), (MfaVerdict::Correct { step: Some(8) }, 2_100), (RIGHT, 2_200)] {
            queue!(commands, handle.batches.confirm(confirm_batch(who, batch_id(1), 3, ids, (totp, verdict))?));
        }
        queue!(commands, handle.cards.first_message(purchase(who, 5, "84")?));
        Ok(commands)
    })
    .await
}

async fn accepted_payments_are_remembered_once(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    let payment = |minor: i64| -> Result<_, Failure> {
        let (id, amount) = (payment_id(1), Minor(minor).of(gbp()?));
        Ok(AcceptedPayment { id, amount, reference: None, accepted_at: noon() })
    };
    let payer = Who::Main.account()?;
    let mut commands = Commands::new();
    for minor in 1..=3 {
        let (bank, payer, accepted) = (handle.bank.clone(), payer.clone(), payment(minor)?);
        commands.push(Box::pin(async move { format!("{:?}", bank.accept(&payer, accepted).await) }));
    }
    let expected = format!("{:?}", Ok::<_, ()>(payment(1)?));
    for answer in in_one_group(&handle, Who::Main, commands).await? {
        same("what the bank remembers", answer, expected.clone())?;
    }
    same("what the bank remembers", handle.bank.find(&payer, payment_id(1)).await?, Some(payment(1)?))
}

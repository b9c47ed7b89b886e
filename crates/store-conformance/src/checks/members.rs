//! Checks of optional members and texts of created records: missing and empty values and every text are kept exactly.

use super::unicode::TEXTS;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{credit_of, credit_with_everything, instruction, journal_id, purchase};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::{budget_id, card_id, change, change_state, create_budget, issue, transfer, user};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, content, create, empty, payment_id, rename, summary,
};
use crate::people::individual_holder;
use crate::seed_data::{BOTH, Who, enrolment, gbp, key, noon, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::access::{AccountGrant, ApiKey, Environment, KeyHash, Scope};
use florin_domain::activity::{Activity, ActivityDetail, ActivityKey, CreditDetail};
use florin_domain::batch::{FundingBudgets, InputFormat};
use florin_domain::budget::{Credit, CreditInstruction, CreditScheme, TransferSituation};
use florin_domain::card::{
    CardChangeRequest, CardFilter, CardOwnerKind, CardPhone, CardState, CreateCardSituation, FulfillmentStatus,
    PhoneNumber,
};
use florin_domain::ids::{ActivityId, ApiKeyId, PersonId};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_domain::secret::SealedSecret;
use florin_domain::text::Text;
use florin_ports::AcceptedPayment;
use std::sync::Arc;

checks! {
    "credits.credit.keeps_every_member" => keeps_every_member,
    "transfers.transfer.keeps_every_reference" => keeps_every_reference,
    "budgets.create.keeps_every_name" => keeps_every_name,
    "card_management.create.keeps_every_member" => create_keeps_every_member,
    "card_management.transition.keeps_every_reason" => keeps_every_reason,
    "batch_management.create.keeps_every_member" => batch_management_create_keeps_every_member,
    "registry.add_key.keeps_every_member" => add_key_keeps_every_member,
    "registry.enrol.keeps_every_member" => enrol_keeps_every_member,
    "sandbox_bank.accept.keeps_every_member" (Sandbox) => accept_keeps_every_member,
}

/// Returns a missing value, an empty value and every text.
fn optional_texts() -> impl Iterator<Item = Option<&'static str>> {
    [None, Some("")].into_iter().chain(TEXTS.into_iter().map(Some))
}

/// Expects the activity to show a credit with all members of its answer.
async fn expect_credit(handle: &Handle, number: u128, done: &Credit) -> CheckResult {
    let id = ActivityKey::BudgetMovement(ActivityId(journal_id(number).0));
    let found = expect_some("the credit", handle.activities.find(&Who::Main.account()?, id).await?)?;
    same("what was sent", found.detail, ActivityDetail::Credit(Some(Box::new(CreditDetail::from(done)))))
}

/// Returns instructions with one optional member each, empty or with a text.
fn instructions_with_one_member() -> Result<Vec<CreditInstruction>, Failure> {
    let members: [fn(&mut CreditInstruction) -> &mut Option<Text<0, 140>>; 7] = [
        |sent| &mut sent.reference,
        |sent| &mut sent.bank_identifier,
        |sent| &mut sent.account_identifier,
        |sent| &mut sent.order_id,
        |sent| &mut sent.third_party_reference,
        |sent| &mut sent.institution_name,
        |sent| &mut sent.institution_address,
    ];
    let mut instructions = Vec::new();
    for (member, text) in members.into_iter().flat_map(|member| ["", "alone"].map(|text| (member, text))) {
        let mut sent = instruction(Who::Main, "1", gbp()?)?;
        *member(&mut sent) = Some(Text::parse(text)?);
        instructions.push(sent);
    }
    Ok(instructions)
}

async fn keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Held and reserved amounts differ, so that a mix-up is detected.
    expect_new(handle.cards.first_message(purchase(Who::Main, 900, "3")?).await)?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    for (number, text) in (1..).zip(TEXTS) {
        let done = expect_new(handle.credits.credit(credit_with_everything(Who::Main, number, text)?).await)?;
        expect_credit(&handle, number, &done).await?;
    }
    for (number, sent) in (100..).zip(instructions_with_one_member()?) {
        let done = expect_new(handle.credits.credit(credit_of(Who::Main, number, sent)?).await)?;
        expect_credit(&handle, number, &done).await?;
    }
    for (number, scheme) in (200..).zip(CreditScheme::ALL) {
        let sent = CreditInstruction { scheme, ..instruction(Who::Main, "1", gbp()?)? };
        let done = expect_new(handle.credits.credit(credit_of(Who::Main, number, sent)?).await)?;
        expect_credit(&handle, number, &done).await?;
    }
    Ok(())
}

async fn keeps_every_reference(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let ends = (Who::Main.budget(), Who::Main.second_budget());
    for (number, reference) in (1..).zip(optional_texts()) {
        let mut command = transfer(Who::Main, number, ends, "0.01")?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &TransferSituation| {
            let mut decision = rule(situation)?;
            decision.done.transfer.reference = reference.map(str::to_owned);
            Ok(decision)
        });
        let done = expect_new(handle.transfers.transfer(command).await)?;
        same("the answer", done.transfer.reference.as_deref(), reference)?;
        for side in expect_some("both sides", Activity::of_transfer(&done.transfer))? {
            let found = handle.activities.find(&Who::Main.account()?, ActivityKey::BudgetMovement(side.id)).await?;
            same("a side of the transfer", found, Some(side))?;
        }
    }
    Ok(())
}

async fn keeps_every_name(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for (number, name) in (1_u128..).zip(TEXTS) {
        let parent = number.is_multiple_of(2).then(|| Who::Main.budget());
        let mut command = create_budget(Who::Main, number, parent, vec![gbp()?])?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &_| {
            let mut record = rule(situation)?;
            record.budget.name = name.into();
            Ok(record)
        });
        let done = expect_new(handle.budgets.create(command).await)?;
        same("the name", done.budget.name.as_str(), name)?;
        same("the budget", handle.budgets.find(&mine, budget_id(number)).await?, Some(done.clone()))?;
        let all = handle.seeding.budgets(&mine).await?;
        same("the listed budget", all.into_iter().find(|budget| budget.id == budget_id(number)), Some(done.budget))?;
    }
    Ok(())
}

async fn create_keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for (number, name) in (1..).zip(optional_texts()) {
        let owner = CardOwnerKind::ALL[usize::from(number % 2 == 0)];
        let mut command = issue(Who::Main, number, Who::Main.budget(), number % 2 == 0)?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &CreateCardSituation| {
            let mut record = rule(situation)?;
            record.card.user_token = user(number % 3);
            record.person = (owner == CardOwnerKind::People).then(|| individual_holder(number, &[record.card.budget]));
            name.unwrap_or_default().clone_into(&mut record.name);
            record.state_reason = name.map(str::to_owned);
            record.phone = CardPhone {
                number: name.and_then(|text| PhoneNumber::parse(text.chars().take(32).collect::<String>()).ok()),
                person: name.map(|_| PersonId(user(number).0)),
            };
            record.replaced_by = name.map(|_| card_id(number + 1));
            record.fulfillment = FulfillmentStatus::ALL[usize::try_from(number).unwrap_or_default() % 6];
            record.card.expires_on -= TimeDelta::days(i64::try_from(number).unwrap_or_default());
            record.created_at = record.created_at.map(|at| at + TimeDelta::microseconds(1));
            record.updated_at = record.created_at.map(|at| at + TimeDelta::microseconds(1));
            Ok(record)
        });
        let done = expect_new(handle.card_management.create(command).await)?;
        same("the name", done.record.name.as_str(), name.unwrap_or_default())?;
        same("the reason", done.record.state_reason.as_deref(), name)?;
        same("the card", handle.card_management.find(&mine, card_id(number)).await?, Some(done.clone()))?;
        let listed = CardFilter { ids: Some(vec![card_id(number)]), ..CardFilter::default() };
        let listed = handle.card_management.list(&mine, listed, PageRequest::default());
        same("the listed card", listed.await?.rows.first(), Some(&done))?;
        let name = name.unwrap_or("Ada");
        let request = CardChangeRequest::nothing(Who::Main.client(), noon());
        let mut command = change(Who::Main, card_id(number), request)?;
        let rule = command.decide;
        command.decide = Arc::new(move |card: &_| {
            let mut change = rule(card)?;
            let card = &mut change.card;
            (card.name, card.phone) = (format!("{name}!"), CardPhone::default());
            (card.fulfillment, card.replaced_by) = (FulfillmentStatus::Shipped, Some(card_id(number)));
            (card.state_reason, card.updated_at) = (Some(name.to_owned()), Some(noon()));
            Ok(change)
        });
        let changed = expect_new(handle.card_management.change(command).await)?;
        same("the new name", changed.record.name.clone(), format!("{name}!"))?;
        same("the changed card", handle.card_management.find(&mine, card_id(number)).await?, Some(changed))?;
    }
    Ok(())
}

async fn keeps_every_reason(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, card) = (Who::Main.account()?, Who::Main.card());
    for (number, reason) in (1..).zip(TEXTS) {
        let to = if number % 2 == 1 { CardState::Suspended } else { CardState::Active };
        expect_new(handle.card_management.change(change_state(Who::Main, card, to, reason)?).await)?;
        let page = PageRequest { limit: 1, offset: 0 };
        let transitions = expect_some("the card", handle.card_management.transitions(&mine, card, page).await?)?;
        same("the reason", transitions.rows.first().map(|moved| moved.reason.clone()), Some(Some(reason.to_owned())))?;
        same("the count", transitions.count, number)?;
    }
    Ok(())
}

async fn batch_management_create_keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let names = [""].into_iter().chain(TEXTS);
    for (number, name) in (1..).zip(names) {
        let mut batch = empty(Who::Main, number, after(i64::try_from(number).unwrap_or_default()))?;
        (batch.name, batch.visible, batch.locked) = (name.into(), number % 2 == 0, number % 3 == 0);
        let new_payments = (number % 3 != 0).then(|| NewPayments::of(number * 100, 1));
        let mut command = create(Who::Main, batch, new_payments)?;
        let rule = command.decide;
        command.decide = Arc::new(move |funding: &FundingBudgets| {
            let mut decision = rule(funding)?;
            if let Some(input) = &mut decision.batch.input {
                input.format = InputFormat::ALL[usize::from(number % 2 == 0)];
                input.default_budget = input.default_budget.filter(|_| number % 2 == 0);
                (input.created_at, input.updated_at) = (after(100), after(200));
            }
            Ok(decision)
        });
        let done = expect_new(handle.management.create(command).await)?;
        same("the name", done.batch.name.as_str(), name)?;
        same("the batch", summary(&handle, Who::Main, batch_id(number)).await?, done)?;
        let renamed = format!("{name} again ");
        expect_new(handle.management.edit(rename(Who::Main, batch_id(number), &renamed, after(300))?).await)?;
        same("the new name", content(&handle, Who::Main, batch_id(number)).await?.batch.name, renamed)?;
    }
    Ok(())
}

async fn add_key_keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let grants = [AccountGrant::AllOfClient, AccountGrant::Only([Who::Main.account()?].into())];
    let scopes = [vec![], vec![Scope::CardsSimulate], Scope::ALL.to_vec()];
    let mut number = 100;
    let mut expected = Vec::new();
    for who in BOTH {
        expected.push(key(who)?);
    }
    let both = |environment| {
        grants
            .iter()
            .flat_map(|grant| scopes.iter().map(move |some| (grant, some)))
            .map(move |(grant, some)| (environment, grant, some))
    };
    let all: Vec<_> = [Environment::Sandbox, Environment::Production].into_iter().flat_map(both).collect();
    for (environment, accounts, scopes) in all {
        number += 1;
        let new = ApiKey {
            id: ApiKeyId(uuid(4, number.into())),
            environment,
            accounts: accounts.clone(),
            scopes: scopes.iter().copied().collect(),
            expires_at: (number % 2 == 0).then(|| noon() + TimeDelta::days(1)),
            revoked_at: (number % 3 == 0).then(noon),
            made_by: (number % 5 == 0).then_some(ApiKeyId(uuid(4, 1))),
            last_used_at: (number % 7 == 0).then(noon),
            replaced_by: (number % 4 == 0).then_some(ApiKeyId(uuid(4, 2))),
            ..key(Who::Main)?
        };
        let hash = KeyHash([number; 32]);
        handle.registry.add_key(new.clone(), hash).await?;
        same("the key", expect_some("the key", handle.callers.find(&hash).await?)?.key, new.clone().into())?;
        expected.push(new);
    }
    same("all keys", handle.registry.keys(None).await?, expected)
}

async fn enrol_keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let at = |micros| noon() + TimeDelta::microseconds(micros);
    let expected = TotpEnrolment {
        secret: SealedSecret::new((0..=255).collect()),
        used_steps: vec![59_608_800, 3, 59_608_801],
        wrong_at: vec![at(1), at(999_999)],
        locked_until: Some(at(123_456)),
        unforgiven: 59,
        forgiven_at: Some(at(654_321)),
        ..enrolment(Who::Main)?
    };
    handle.registry.enrol(expected.clone()).await?;
    same("the enrolment", handle.mfa.enrolment(&Who::Main.account()?).await?, Some(expected))
}

async fn accept_keeps_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let payer = Who::Main.account()?;
    for (number, reference) in (1..).zip([Some("")].into_iter().chain(optional_texts())) {
        let payment = AcceptedPayment {
            id: payment_id(number),
            amount: Minor(i64::MAX).of(gbp()?),
            reference: reference.map(str::to_owned),
            accepted_at: noon() + TimeDelta::microseconds(1),
        };
        same("the answer", handle.bank.accept(&payer, payment.clone()).await?, payment.clone())?;
        same("what is remembered", handle.bank.find(&payer, payment.id).await?, Some(payment))?;
    }
    Ok(())
}

//! Cards, their messages and disputes.

use crate::Cells;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::card::decide::{CardRefusal, DisputeDone, DisputeRefusal};
use florin_domain::card::{
    CardFilter, CardLimits, CardProfile, CardSettings, CardTransaction, CardTransition, ChainHistory,
    ChangeCardRefusal, CreateCardRefusal, Dispute, DisputeFilter, LimitRefusal, LimitSet, NoSuchLimit,
    PhysicalCardRefusal, ReplaceCardRefusal,
};
use florin_domain::ids::{AccountId, CardId, DisputeId, LimitId, TransactionToken};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    CardLedger, CardSettingsCommand, ChangeCardCommand, CreateCardCommand, DisputeCommand, Due, DueHold, ExpiryCommand,
    FirstMessageCommand, FirstUseCommand, FollowUpCommand, LimitCommand, OpenDisputeCommand, OrderPhysicalCommand,
    RemoveLimitCommand, ReplaceCardCommand, StoreError, WriteError, Written,
};
use std::convert::Infallible;

routes! { CardLedger:
    first_message(command: FirstMessageCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>
        => [account(&command.account)];
    awaits_first_use(account: &AccountId, card: CardId) -> Result<bool, StoreError> => [account(account)];
    first_use(command: FirstUseCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>
        => [account(&command.account)];
    follow_up(command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>
        => [account(&command.account)];
    expire(command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> => [account(&command.hold.account)];
    due_holds(now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> => [with(due_holds)];
}

routes! { CardManagement:
    find(account: &AccountId, card: CardId) -> Result<Option<CardProfile>, StoreError> => [account(account)];
    list(account: &AccountId, filter: CardFilter, page: PageRequest) -> Result<Page<CardProfile>, StoreError>
        => [account(account)];
    limits(account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError> => [account(account)];
    transitions(
        account: &AccountId,
        card: CardId,
        page: PageRequest
    ) -> Result<Option<Page<CardTransition>>, StoreError>
        => [account(account)];
    create(command: CreateCardCommand) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>>
        => [account(&command.account)];
    change(command: ChangeCardCommand) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>>
        => [account(&command.account)];
    replace(command: ReplaceCardCommand) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>>
        => [account(&command.account)];
    order_physical(command: OrderPhysicalCommand) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>>
        => [account(&command.account)];
    set_limit(command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>>
        => [account(&command.account)];
    remove_limit(command: RemoveLimitCommand) -> Result<Written<LimitId>, WriteError<NoSuchLimit>>
        => [account(&command.account)];
    settings(account: &AccountId) -> Result<CardSettings, StoreError> => [account(account)];
    set_settings(command: CardSettingsCommand) -> Result<Written<CardSettings>, WriteError<Infallible>>
        => [account(&command.account)];
}

routes! { ChainHistories:
    history(account: &AccountId, token: TransactionToken) -> Result<Option<ChainHistory>, StoreError>
        => [account(account)];
}

routes! { Disputes:
    open(command: OpenDisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>>
        => [account(&command.account)];
    act(command: DisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>>
        => [account(&command.account)];
    find(account: &AccountId, dispute: DisputeId) -> Result<Option<Dispute>, StoreError> => [account(account)];
    list(account: &AccountId, filter: DisputeFilter, page: PageRequest) -> Result<Page<Dispute>, StoreError>
        => [account(account)];
}

async fn due_holds(cells: &Cells, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> {
    let mut due = cells.gather(|store| async move { CardLedger::due_holds(&*store, now, max).await }).await?;
    due.sort();
    due.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok(due)
}

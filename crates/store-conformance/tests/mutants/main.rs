//! Tests that the kit can fail: stores with one deliberate bug each, and the check that catches it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod audit_log;
mod batches;
mod bugs;
mod cell_directory;
mod checkout_sessions;
mod commands;
mod decision_endpoints;
mod disputes;
mod dry_runs;
mod events;
mod insight;
mod management;
mod merchants;
mod mutant;
mod networks;
mod people;
mod reads;
mod secrets;
mod snapshot_files;
mod webhooks;
mod worlds;

use async_trait::async_trait;
use bugs::Bug;
use florin_ports::Readiness;
use florin_store_conformance::{
    Cases, Factory, Faults, Handle, Outcome, Schemas, SetupError, checks, run, run_against,
};
use mutant::Mutant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Creates stores with one bug or none.
struct Mutants(Option<Bug>);

impl Factory for Mutants {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        Ok(handle(&Arc::new(Mutant::with(self.0))))
    }
}

/// Makes the storing of idempotency records fail, the only fault that the memory store can inject.
struct NoRecords(Arc<AtomicBool>);

#[async_trait]
impl Faults for NoRecords {
    fn places(&self) -> Vec<String> {
        vec!["INSERT ON idempotency_records".into()]
    }

    async fn arm(&self, _: &str) -> Result<(), SetupError> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn disarm(&self) -> Result<(), SetupError> {
        self.0.store(false, Ordering::Relaxed);
        Ok(())
    }
}

/// Opens stores that report another schema.
struct OtherSchemas(Option<Bug>);

#[async_trait]
impl Schemas for OtherSchemas {
    async fn behind(&self) -> Result<Handle, SetupError> {
        Ok(handle(&Arc::new(Mutant { readiness: Readiness::MigrationsPending, ..Mutant::with(self.0) })))
    }

    async fn ahead(&self) -> Result<Handle, SetupError> {
        Ok(handle(&Arc::new(Mutant { readiness: Readiness::SchemaTooNew, ..Mutant::with(self.0) })))
    }
}

fn handle(store: &Arc<Mutant>) -> Handle {
    let again = Arc::clone(store);
    let ready = Handle::of(store).with_queue_capacity(mutant::QUEUE_CAPACITY).with_schemas(OtherSchemas(store.bug));
    let ready = ready.with_directory(Arc::<Mutant>::clone(store));
    ready.with_faults(NoRecords(Arc::clone(&store.no_records))).reopened_by(move || {
        let again =
            Arc::new(if again.has(Bug::SecondHandleIsAnotherStore) { Mutant::with(None) } else { again.twin() });
        async move { Ok(handle(&again)) }
    })
}

/// Each bug and the check that must catch it. Other checks may catch it too. Bugs in webhooks are in
/// [`webhooks::CAUGHT`], and those in the directory of cells in [`cell_directory::CAUGHT`].
const CAUGHT: &[(Bug, &str)] = &[
    (Bug::AwaitedSettlementsForgotten, "settlement_accounts.change.knows_what_sessions_and_refunds_await"),
    (Bug::PayeesUncounted, "payees.create.counts_those_of_the_account"),
    (Bug::CheckoutsUncounted, "checkouts.create.counts_those_of_the_account"),
    (Bug::BanksOfSessionsNeverAskedAgain, "checkout_sessions.act.stores_when_the_bank_is_asked_again"),
    (Bug::BanksOfRefundsNeverAskedAgain, "merchant_payments.act.stores_when_the_bank_is_asked_again"),
    (Bug::StaleSessions, "checkout_sessions.act.of_expiry_and_approval_one_wins"),
    (Bug::StaleSessions, "checkout_sessions.act.one_of_concurrent_approvals_counts"),
    (Bug::StaleSessions, "two_handles.checkout_sessions.one_of_many_approvals_counts"),
    (Bug::StaleSessions, "two_handles.checkout_sessions.of_cancellations_and_payments_one_wins"),
    (Bug::RefundsUncounted, "two_handles.merchant_payments.of_100_refunds_on_10_pounds_exactly_10_pass"),
    (Bug::RefundsNeverReleased, "merchant_payments.create_refund.what_failed_or_was_cancelled_is_released"),
    (Bug::TokensOfAnySession, "tenancy.checkout_sessions.are_found_and_changed_on_one_account_only"),
    (Bug::RefundTokensOfAnyAccount, "merchant_payments.create_refund.stores_every_member"),
    (Bug::DueCheckoutsUnordered, "checkout_sessions.due.again_in_the_place_of_its_new_time"),
    (Bug::DueAccountsByRealTime, "checkout_sessions.due_accounts.by_their_own_clocks"),
    (Bug::FeaturesOfClientsForgotten, "registry.set_feature.switches_and_is_idempotent"),
    (Bug::FallbackNotStored, "decision_endpoints.change.stores_every_member"),
    (Bug::EndpointSecretsReplaced, "decision_endpoints.change.stores_every_member"),
    (Bug::AccountsWithoutEndpoints, "decision_endpoints.change.stores_every_member"),
    (Bug::AccountsWithoutEpochs, "worlds.restore.begins_another_epoch"),
    (Bug::EndpointsOfAnyAccount, "decision_endpoints.change.of_one_account"),
    (Bug::EndpointRecordsMissing, "decision_endpoints.repeats.are_replayed_unless_the_answer_was_a_secret"),
    (Bug::EndpointSecretsForgotten, "decision_endpoints.secrets.are_found_and_replaced"),
    (Bug::RestoresRemoveEndpoints, "decision_endpoints.worlds.snapshots_do_not_contain_them"),
    (Bug::DecisionsNotStored, "decision_endpoints.cards.decisions_are_stored_with_their_messages"),
    (Bug::NoTenantFilterOnCards, "tenancy.first_message.foreign_card_is_absent"),
    (Bug::NoTenantFilterOnMessages, "tenancy.follow_up.foreign_token_is_absent"),
    (Bug::NoTenantFilterOnCheckouts, "checkouts.list.shows_one_account_only"),
    (Bug::NoLock, "contention.one_budget.of_100_authorizations_on_95_exactly_9_pass"),
    (Bug::NoRollback, "atomic.first_message.journal_id_that_is_taken"),
    (Bug::NoRollbackOfFollowUps, "atomic.follow_up.journal_id_that_is_taken"),
    (Bug::FailedSeedsLeaveClients, "seeding.seed.duplicate_leaves_nothing"),
    (Bug::NoRecords, "repeats.first_message.replay_gives_the_stored_answer"),
    (Bug::RecordsOfAnyClient, "repeats.keys_are_per_client_and_per_account"),
    (Bug::RecordsFoldCase, "repeats.keys_are_compared_exactly"),
    (Bug::MismatchShowsTheSecond, "repeats.another_request_is_a_mismatch_and_gets_the_first"),
    (Bug::DoubleEffect, "credits.credit.stores_the_whole_decision"),
    (Bug::LimitsNotStored, "cards.limits.are_stored_with_the_message"),
    (Bug::FirstStateNotStored, "cards.follow_up.first_message_takes_the_end_of_its_chain"),
    (Bug::ChainNotStored, "cards.first_message.stores_the_whole_decision"),
    (Bug::AttemptsNotStored, "batches.confirm.attempts_are_stored_though_refused"),
    (Bug::EnrolmentNotStored, "batches.confirm.wrong_totp_tokens_are_stored_though_refused"),
    (Bug::CheckoutsOldestFirst, "checkouts.list.newest_first_then_by_id"),
    (Bug::CountFollowsThePage, "checkouts.list.count_ignores_the_page"),
    (Bug::BanksFoldCase, "banks.list.by_code_points_of_the_name_then_by_id"),
    (Bug::DueHoldsUnordered, "cards.due_holds.oldest_first_and_bounded"),
    (Bug::DueHoldsUnbounded, "cards.due_holds.oldest_first_and_bounded"),
    (Bug::DueHoldsMissTheMicrosecond, "cards.due_holds.exact_to_the_microsecond"),
    (Bug::MillisecondsOnly, "times.of_messages"),
    (Bug::TextsTrimmed, "texts.acceptors_round_trip"),
    (Bug::AccountsFoldCase, "accounts.find.compares_ids_exactly"),
    (Bug::NegativeClipped, "money.negative_available_is_kept"),
    (Bug::DeadAfterPanic, "panics.rule_that_panics_answers_and_changes_nothing"),
    (Bug::DeletesTooManyRecords, "upkeep.delete_idempotency_records.up_to_the_maximum"),
    (Bug::DeletesTooYoungRecords, "upkeep.delete_idempotency_records.only_older_ones"),
    (Bug::DuplicateIsCorrupt, "registry.add_client.twice_is_a_duplicate"),
    (Bug::UnknownKeyRevoked, "registry.revoke_key.first_time_counts"),
    (Bug::RemovedEnrolmentsStay, "registry.enrol.replaces_and_removes"),
    (Bug::MfaPolicyOfAllAccountsChanged, "registry.set_mfa_required.of_one_account"),
    (Bug::RevokedKeysHidden, "callers.find.shows_revoked_and_expired_keys"),
    (Bug::PageSecretOverwritten, "secrets.page_secret.the_first_counts_and_is_replaced_like_others"),
    (Bug::SessionsOfAnyAccount, "tenancy.checkout_sessions.are_found_and_changed_on_one_account_only"),
    (Bug::PendingPaymentsHidden, "checkout_sessions.act.stores_the_whole_decision"),
    (Bug::LastPaymentById, "checkout_sessions.find.has_the_payment_that_is_not_final"),
    (Bug::OrdersOfAnyAccount, "checkout_sessions.with_order.finds_the_completed_session"),
    (Bug::SessionDaysExclusive, "checkout_sessions.list.days_include_both_ends"),
    (Bug::SessionStatusIgnored, "checkout_sessions.list.by_each_filter"),
    (Bug::SessionReferencesIgnored, "checkout_sessions.list.by_each_filter"),
    (Bug::SessionsOldestFirst, "checkout_sessions.list.newest_first_in_pages_without_top_ups"),
    (Bug::SessionsTwice, "checkout_sessions.create.a_known_key_returns_the_same_session"),
    (Bug::PaymentReferencesTwice, "checkout_sessions.create.taken_references_are_shown"),
    (Bug::TopUpsShareKeys, "checkout_sessions.create.a_known_key_returns_the_same_session"),
    (Bug::StaleSessions, "checkout_sessions.act.of_cancellations_and_payments_one_wins"),
    (Bug::PaymentsOfSessionsNotStored, "checkout_sessions.act.stores_the_whole_decision"),
    (Bug::TopUpsNotCredited, "checkout_sessions.act.of_a_top_up_credits_the_budget"),
    (Bug::TopUpsWithoutJournal, "checkout_sessions.act.of_a_top_up_credits_the_budget"),
    (Bug::EventsOfSessionsLost, "checkout_sessions.act.stores_the_whole_decision"),
    (Bug::OrdersLost, "checkout_sessions.act.stores_the_whole_decision"),
    (Bug::BegunSessionsForgotten, "checkout_sessions.act.stores_every_state"),
    (Bug::DueCheckoutsUnordered, "checkout_sessions.due.earliest_first_up_to_the_maximum"),
    (Bug::DueRefundsForgotten, "checkout_sessions.due.earliest_first_up_to_the_maximum"),
    (Bug::OwnDueCheckoutsForAll, "checkout_sessions.due.accounts_with_their_own_timeline_separately"),
    (Bug::AlwaysRefundable, "merchant_payments.find.refundable_by_refunds_bank_and_settlement_account"),
    (Bug::PaymentKindsIgnored, "merchant_payments.list.by_each_filter"),
    (Bug::TopUpsAreNoTopUps, "merchant_payments.list.by_each_filter"),
    (Bug::RefundedPaymentsIgnored, "merchant_payments.list.by_each_filter"),
    (Bug::PaymentSortIgnored, "merchant_payments.list.in_both_orders_in_pages"),
    (Bug::OrdersOfFailedPaymentsLost, "merchant_payments.list.shows_the_order_of_a_session_that_was_paid_later"),
    (Bug::ListsIgnoreRefunds, "merchant_payments.list.refundable_like_each_payment"),
    (Bug::RefundsAreSummedUp, "merchant_payments.summary.sums_completed_ones"),
    (Bug::RefundsOfAnyAccount, "tenancy.merchant_payments.of_one_account_only"),
    (Bug::RefundsUncounted, "merchant_payments.create_refund.of_100_on_10_pounds_exactly_10_pass"),
    (Bug::RefundsStay, "merchant_payments.act.stores_the_whole_decision"),
    (Bug::EventsOfRefundsLost, "merchant_payments.act.stores_the_whole_decision"),
    (Bug::CopiesShareTokens, "equal_ids.copy.reads_as_its_original"),
    (Bug::AnyBankIsFound, "banks.find.by_its_exact_id"),
    (Bug::ImportsNotRenewed, "snapshot_files.import.same_file_is_kept_longer"),
    (Bug::ImportsOfAnyClientDeleted, "tenancy.snapshot_files.imports_are_of_their_client"),
    (Bug::BankServesAbsentAccounts, "sandbox_bank.accept.needs_its_account"),
    (Bug::BatchesOfAnotherClient, "tenancy.snapshot_files.a_world_names_only_its_own_client"),
    (Bug::ImportsUnbounded, "snapshot_files.import.refusal_keeps_nothing"),
    (Bug::ImportRecordsMissing, "snapshot_files.import.replay_gives_the_stored_answer"),
    (Bug::ImportedNamesLost, "snapshot_files.import.a_world_of_the_file_is_like_the_original"),
    (Bug::ExpiredImportsUnbounded, "snapshot_files.imports.by_id_until_they_expire"),
    (Bug::FilesOfAnyWorld, "snapshot_files.file.is_of_the_world_of_the_snapshot"),
    (Bug::BooksCheckSeesNothing, "books_check.counts_and_finds_nothing_on_good_data"),
    (Bug::SecondHandleIsAnotherStore, "durable.second_handle_sees_everything"),
    (Bug::NoTenantFilterOnBatches, "tenancy.batch_reading.foreign_batches_are_absent"),
    (Bug::PaymentsOneWay, "batch_reading.payments.filters_orders_and_counts"),
    (Bug::PaymentCountFollowsThePage, "batch_reading.payments.filters_orders_and_counts"),
    (Bug::AllAlertsShown, "batch_reading.find.shows_the_first_100_alerts"),
    (Bug::LostLeaseWrites, "batch_processing.lease.that_is_lost_writes_nothing"),
    (Bug::LeasesNotExclusive, "batch_processing.claim.leased_batches_are_passed_over"),
    (Bug::StartedPaymentsNotStored, "batch_processing.start_payments.starts_each_once_by_index"),
    (Bug::RefusedUploadRenames, "batch_management.upload.refusal_changes_nothing"),
    (Bug::ConfirmCancelsPayments, "batches.confirm.marks_every_payment_and_reserves_fees"),
    (Bug::CancelLeavesPayments, "batch_management.cancel.releases_amounts_and_fees"),
    (Bug::CancelKeepsTheMoney, "batch_management.cancel.releases_amounts_and_fees"),
    (Bug::BankForgetsTheFirst, "sandbox_bank.accept.remembers_the_first"),
    (Bug::CreationEventsLost, "events.are_stored_with_their_cause_and_only_then"),
    (Bug::RecordOfAnyPayment, "batch_processing.record.is_shown_the_payments_of_the_batch_only"),
    (Bug::NoTenantFilterOnActivities, "tenancy.activities.foreign_movements_are_absent"),
    (Bug::ActivityOldestFirst, "activities.list.newest_first_then_by_id"),
    (Bug::ActivityStatusIgnored, "activities.list.filters_by_every_member"),
    (Bug::ActivityCountFollowsThePage, "activities.list.count_ignores_the_page"),
    (Bug::ActivityOwnersIgnored, "activities.list.shows_the_owners_of_cards"),
    (Bug::TransfersOfTheSenderOnly, "activities.list.has_both_sides_of_transfers"),
    (Bug::ChainsByTheFirstTokenOnly, "activities.find.finds_numbers_and_any_message_of_a_chain"),
    (Bug::PaymentsWithoutNumbers, "activities.find.finds_numbers_and_any_message_of_a_chain"),
    (Bug::NumbersNotSearched, "activities.list.searches_counterparties_references_and_numbers"),
    (Bug::CursorsSurviveARestore, "activities.changes.a_restore_ends_earlier_cursors"),
    (Bug::FeedPassesUncommitted, "activities.changes.has_everything_once_oldest_first"),
    (Bug::FollowUpsKeepThePosition, "activities.changes.a_change_renews_the_place"),
    (Bug::ExplanationForgetsTheSkipped, "books.explain.pages_run_on"),
    (Bug::StartsOnTheWrongSideOfACheckpoint, "books.explain.long_histories"),
    (Bug::LateMovementsAreMissed, "books.explain.movements_that_are_booked_late"),
    (Bug::CheckpointsNeverContinue, "books.explain.continues_long_histories"),
    (Bug::CheckpointsOfEveryBudget, "books.explain.few_movements_among_many"),
    (Bug::CheckpointsSurviveARestore, "worlds.restore.explains_what_was_put_back"),
    (Bug::ExplanationHidesHolds, "books.explain.shows_open_holds_those_due_first"),
    (Bug::BooksOfAll, "tenancy.books.foreign_budgets_are_absent"),
    (Bug::BooksWithoutReservations, "books.books.hold_after_everything"),
    (Bug::RefundsSettleNothing, "books.books.add_up_the_payments_of_merchants"),
    (Bug::LegsAreNotLinked, "books.chains.continue_with_every_leg"),
    (Bug::SettlementsAreNotLinked, "books.chains.include_settlements"),
    (Bug::NoTenantFilterOnBudgets, "tenancy.budgets.show_one_account_only"),
    (Bug::BudgetsNewestFirst, "budgets.list.by_name_then_by_id_with_filters_and_counts"),
    (Bug::NameChangeLost, "budgets.edit.is_visible_at_once_and_changes_nothing_else"),
    (Bug::EditsOfAnyAccount, "budgets.edit.refusal_changes_nothing"),
    (Bug::ParentIsAnyBudget, "budgets.parent.every_account_has_one"),
    (Bug::FundsBelowBudgetsHidden, "budgets.funds.sum_up_all_levels_below"),
    (Bug::LastNumbersLost, "budgets.funds.name_the_last_number_of_each_balance"),
    (Bug::TransfersHaveOwnNumbers, "transfers.transfer.shares_the_numbers_of_credits"),
    (Bug::GrantsOfKeysIgnored, "account_profiles.profiles.are_those_that_the_key_reaches"),
    (Bug::DescriptionsLost, "networks.change_networks.stores_every_member_and_decides_who_may_call"),
    (Bug::NetworksPerHandle, "two_handles.networks.changes_add_up"),
    (Bug::CheckoutsOfAnyAccount, "tenancy.checkouts.find_and_edit_on_one_account_only"),
    (Bug::CheckoutsSeeNoSettlementAccounts, "checkouts.create.is_shown_the_merchant_and_stores_every_member"),
    (Bug::LocalesStay, "checkouts.edit.stores_every_member_and_moves_the_counts"),
    (Bug::MerchantsCreateProfiles, "merchants.change.creates_a_profile_for_the_operator_only"),
    (Bug::PermissionsStay, "merchants.change.stores_every_member"),
    (Bug::LogosHidden, "logos.set.stores_every_byte_and_shows_the_id_with_the_profile"),
    (Bug::LogosCut, "logos.set.stores_every_byte_and_shows_the_id_with_the_profile"),
    (Bug::LogoRecordsLost, "logos.set.replay_gives_the_stored_answer"),
    (Bug::SettlementAccountsOfAnyAccount, "tenancy.settlement_accounts.show_one_account_only"),
    (Bug::CheckoutsOfSettlementAccountsHidden, "settlement_accounts.list.newest_first_with_checkouts"),
    (Bug::CheckoutsOfListedSettlementAccountsHidden, "settlement_accounts.list.newest_first_with_checkouts"),
    (Bug::BanksOfRefundsLost, "settlement_accounts.change.stores_every_member"),
    (Bug::UnlistedBanksErased, "settlement_accounts.change.keeps_a_bank_off_the_list"),
    (Bug::TwoDefaults, "settlement_accounts.change.moves_the_default"),
    (Bug::SettlementAccountsStay, "settlement_accounts.change.deletes"),
    (Bug::PayeesOfAnyAccount, "tenancy.payees.show_one_account_only"),
    (Bug::PayeesUnfiltered, "payees.list.newest_first_with_filters_and_counts"),
    (Bug::PayeesTwice, "payees.create.the_same_bank_details_are_the_same_payee"),
    (Bug::ApprovalsNotStored, "payees.approve.is_stored_once"),
    (Bug::PeopleOfAnyAccount, "tenancy.people.show_one_account_only"),
    (Bug::PeopleById, "people.list.in_order_of_creation_with_filters_and_counts"),
    (Bug::KnownPeopleHidden, "people.create.knows_people_of_the_clients_other_accounts"),
    (Bug::EmailAddressesTwice, "people.create.is_shown_how_many_there_are_and_who_has_the_address"),
    (Bug::RolesStay, "people.edit.changes_what_is_given"),
    (Bug::ErasedPeopleUncounted, "people.list.counts_follow_creations_changes_and_erasures"),
    (Bug::ErasedOnOneAccount, "people.erase.on_every_account_with_the_records_of_the_person"),
    (Bug::SnapshotsOutliveErasure, "people.erase.deletes_snapshots_with_the_person"),
    (Bug::ErasedOwnersKeepTheirCards, "people.erase.terminates_the_cards_of_the_person"),
    (Bug::OwnersOfCardsIgnored, "card_management.list.of_people_and_of_every_named_budget"),
    (Bug::OnlyTheFirstBudgetKept, "card_management.create.individual_cards_name_a_person_and_budgets"),
    (Bug::CardControlsIgnored, "card_guards.controls.of_the_card_are_kept_and_decide_messages"),
    (Bug::BudgetControlsIgnored, "card_guards.controls.of_the_budget_are_kept_and_decide_messages"),
    (Bug::BudgetControlsIgnored, "card_guards.controls.of_a_budget_come_before_or_after_authorizations"),
    (Bug::ControlsOfIncrementsIgnored, "card_guards.controls.decide_increments"),
    (Bug::PinIgnored, "card_guards.pin.is_kept_and_decides_messages"),
    (Bug::OwnerIgnored, "card_guards.owner.must_be_active"),
    (Bug::DetailsNotStored, "card_guards.messages.keep_what_they_present"),
    (Bug::ReasonsNotStored, "card_guards.declines.are_explained_as_they_were_decided"),
    (Bug::ReplacedCardForgetsItsControls, "card_guards.controls.go_to_the_new_card"),
    (Bug::AddedRecordsHidden, "idempotency_records.add.is_found_and_replayed"),
    (Bug::MismatchShowsTheSecond, "idempotency_records.add.another_request_is_a_mismatch"),
    (Bug::NoRecords, "idempotency_records.share_their_keys_with_commands"),
    (Bug::AddedRecordsOfAnyAccount, "tenancy.idempotency_records.are_of_their_own_client_and_account"),
    (Bug::SettingsReplaceEachOther, "card_settings.set.is_kept_and_replayed"),
    (Bug::NoRecords, "card_settings.set.is_kept_and_replayed"),
    (Bug::SettingsStale, "card_settings.set.concurrent_changes_add_up"),
    (Bug::SettingsIgnored, "card_settings.hold_life.decides_when_holds_are_due"),
    (Bug::SettingsIgnored, "card_settings.hold_life.decides_by_the_accounts_own_clock"),
    (Bug::HoldsExpireEarly, "card_settings.hold_life.leaves_existing_holds"),
    (Bug::MarginIgnored, "card_settings.over_clearing.decides_clearings"),
    (Bug::ForcedNotStored, "card_settings.over_clearing.remembers_forced_clearings"),
    (Bug::SettingsOfAnyAccount, "tenancy.card_settings.are_of_their_own_account"),
    (Bug::SnapshotsWithoutSettings, "worlds.restore.puts_back_what_every_command_changed"),
    (Bug::EditsOfAnyAccount, "tenancy.card_guards.are_of_their_own_account"),
    (Bug::FeaturesNotStored, "budgets.create.stores_the_whole_decision"),
    (Bug::SendersBalanceNotStored, "transfers.transfer.stores_the_whole_decision"),
    (Bug::CardStateNotStored, "card_management.transition.is_kept_and_decides_messages"),
    (Bug::LimitChangeForgets, "card_management.set_limit.decides_messages_and_keeps_what_was_used"),
    (Bug::ReasonsNotStored, "chains.history.declines_are_explained_as_they_were_decided"),
    (Bug::NoTenantFilterOnHistories, "tenancy.history.foreign_token_is_absent"),
    (Bug::HistoriesWithoutJournal, "chains.history.shows_messages_hold_and_journal"),
    (Bug::ClockRecordsLost, "timelines.set_clock.replay_gives_the_stored_answer"),
    (Bug::NumbersTwice, "timelines.next_number.each_once"),
    (Bug::OwnDueHoldsUnbounded, "timelines.due_holds.oldest_first_and_bounded"),
    (Bug::CreationKeysForgotten, "worlds.create.creates_one_world_under_a_key"),
    (Bug::KeysOutliveTheirWorld, "worlds.create.deletes_the_keys_of_the_replaced_world"),
    (Bug::EveryWorldListed, "worlds.list.of_the_client_newest_first"),
    (Bug::WorldsNotRenewed, "worlds.renew.moves_the_expiry_of_one_world"),
    (Bug::WorldsStay, "worlds.delete.deletes_the_whole_world_and_nothing_else"),
    (Bug::SnapshotsUnbounded, "worlds.take_snapshot.refusal_keeps_nothing"),
    (Bug::RestoresChangeNothing, "worlds.restore.puts_everything_back"),
    (Bug::ClocksNotRestored, "worlds.restore.puts_everything_back"),
    (Bug::DryRunsWrite, "cards.dry_run.changes_nothing"),
    (Bug::DryRunsHidePostings, "cards.dry_run.answers_as_the_real_one_would"),
    (Bug::DryRunsAreRecorded, "dry_runs.read_no_record_and_store_none"),
    (Bug::DryRunsCountAttempts, "batches.dry_run.counts_no_attempt"),
    (Bug::DryRefundsWrite, "merchants.dry_run.changes_nothing"),
    (Bug::EvidenceOutlivesItsOwner, "people.erase.deletes_the_evidence_of_disputes"),
    (Bug::VirtualCardsStay, "physical_cards.first_use.changes_both_cards_with_the_message"),
    (Bug::RecipientsNotCompared, "physical_cards.messages.are_compared_with_the_address"),
    (Bug::RecipientsLost, "physical_cards.order.stores_every_member"),
    (Bug::PhysicalOrdersHidden, "physical_cards.order.of_20_at_once_one_passes"),
    (Bug::AwaitingOfAnyAccount, "tenancy.physical_cards.of_one_account_only"),
    (Bug::DryFirstUsesWrite, "physical_cards.first_use.dry_run_changes_nothing"),
    (Bug::DisputesUncounted, "disputes.open.of_100_on_10_pounds_exactly_10_pass"),
    (Bug::ClaimsNotStored, "disputes.open.stores_every_member"),
    (Bug::DryDisputesWrite, "disputes.dry_run.changes_nothing"),
    (Bug::DisputesStay, "disputes.act.stores_the_whole_decision"),
    (Bug::EvidenceReplaced, "disputes.act.keeps_every_text_of_evidence_in_order"),
    (Bug::DisputesOfAnyAccount, "tenancy.disputes.of_one_account_only"),
    (Bug::DisputesOfChainsHidden, "disputes.list.by_each_filter_newest_first_in_pages"),
    (Bug::DisputesOldestFirst, "disputes.list.by_each_filter_newest_first_in_pages"),
    (Bug::DryPaymentsHideBalances, "merchants.dry_run.answers_as_the_real_one_would"),
    (Bug::RecordsAfterTheCommit, "injected.failure_of_any_write_leaves_nothing"),
    (Bug::PaymentsOfTheFirstAccount, "equal_ids.copy.reads_as_its_original"),
    (Bug::ExpiredWorldsLeaveTheirAccounts, "worlds.delete_expired.leaves_nothing_of_them"),
    (Bug::SnapshotsWithoutLimits, "worlds.restore.puts_back_what_every_command_changed"),
    (Bug::SnapshotsWithoutControlsOfCards, "worlds.restore.puts_back_what_every_command_changed"),
    (Bug::SnapshotsWithoutControlsOfBudgets, "worlds.restore.puts_back_what_every_command_changed"),
    (Bug::SnapshotsMixUpPins, "worlds.restore.puts_back_what_every_command_changed"),
    (Bug::SnapshotNamesLost, "worlds.take_snapshot.keeps_every_member"),
    (Bug::CreditTextsTrimmed, "credits.credit.keeps_every_member"),
    (Bug::EmptyNamesAreMissing, "card_management.create.keeps_every_member"),
    (Bug::CardSearchIgnored, "card_management.list.every_page_behind_every_filter"),
    (Bug::ReplacedCardForgetsItsLimits, "card_management.replace.copies_limits_and_keeps_holds"),
    (Bug::CountedNotStored, "cards.limits.give_back_only_what_they_counted"),
    (Bug::ReasonsTrimmed, "card_management.transition.keeps_every_reason"),
    (Bug::EventsLate, "events.keep_every_member"),
    (Bug::EventsLate, "events.times_are_in_whole_seconds"),
    (Bug::EventsChange, "events.list.newest_first_in_pages"),
    (Bug::EventsOfMessagesLost, "events.of_cards_and_money_are_numbered_per_object"),
    (Bug::SequencesWithGaps, "events.of_cards_and_money_are_numbered_per_object"),
    (Bug::EventsOfAnyAccount, "events.list.of_the_reach_only"),
    (Bug::SecondPageOfEventsIsTheFirst, "events.list.newest_first_in_pages"),
    (Bug::UndoneEventsStay, "events.restore.reverts_events_and_sequences"),
    (Bug::EventsWithoutCause, "events.are_stored_with_their_cause_and_only_then"),
    (Bug::TailTooFar, "events.tail.nothing_appears_behind_it"),
    (Bug::BetweenIncludesItsStart, "events.between.in_order_from_a_position"),
    (Bug::RedeliveriesOfAnyAccount, "events.redeliveries.of_the_reach_and_the_filter_only"),
    (Bug::RedeliveriesUnfiltered, "events.redeliveries.of_the_reach_and_the_filter_only"),
    (Bug::RedeliveriesSkipped, "events.redeliveries.in_the_order_of_the_requests"),
    (Bug::RedeliveriesLost, "events.redeliveries.include_those_of_a_recovery"),
    (Bug::RedeliveriesOfRepeats, "events.redeliveries.once_for_each_effect"),
    (Bug::EventsOfSubscribersLost, "events.are_written_for_a_subscription_alone"),
    (Bug::EventsDeletedUnbounded, "events.delete_events.the_oldest_expired_ones"),
    (Bug::YoungEventsDeleted, "events.delete_events.the_oldest_expired_ones"),
    (Bug::EventsOfCancellingLost, "events.keep_every_member"),
    (Bug::TransitionsOnOnePage, "card_management.transitions.every_page"),
    (Bug::GroupsForgetMessages, "groups.card_messages.see_what_earlier_commands_left"),
    (Bug::KeysPerHandle, "two_handles.credits.one_key_has_one_effect"),
    (Bug::CountersPerHandle, "two_handles.budgets.create_sees_the_true_count"),
    (Bug::AuditChainsStartAnew, "audit_log.append.follows_the_last_record"),
    (Bug::SecondAuditChain, "two_handles.audit_log.is_one_chain"),
    (Bug::AuditRecordsUnbounded, "audit_log.records.in_order_after_a_number"),
    (Bug::AuditRecordsNewestFirst, "audit_log.records.in_order_after_a_number"),
    (Bug::ClientsLoseTheirNetworks, "registry.change_client.changes_what_is_given"),
    (Bug::DisabledTimeReplaced, "registry.set_disabled.the_first_time_counts"),
    (Bug::NeverEnabled, "registry.set_disabled.the_first_time_counts"),
    (Bug::BudgetNamesNotUnique, "budgets.names.are_unique_where_the_account_says_so"),
    (Bug::RenamesNotCompared, "budgets.names.are_unique_where_the_account_says_so"),
    (Bug::NamesPerHandle, "two_handles.budgets.a_name_is_taken_once"),
    (Bug::AllAccountsRenamed, "registry.rename_account.of_one_account"),
    (Bug::RotatedKeysStay, "registry.rotate_key.stores_a_successor_and_an_end"),
    (Bug::RotationLeavesWorlds, "registry.rotate_key.hands_worlds_over"),
    (Bug::WorldKeysOutliveTheirMaker, "registry.revoke_key.ends_the_keys_of_its_worlds"),
    (Bug::FirstUseOnly, "key_upkeep.record_uses.the_latest_counts"),
    (Bug::ExpiredKeysListed, "key_upkeep.expiring.in_order_of_their_end"),
    (Bug::ExpiringKeysReversed, "key_upkeep.expiring.in_order_of_their_end"),
    (Bug::SecretKeyOverwritten, "secrets.bind_secret_key.the_first_counts"),
    (Bug::SecretKeyChangedBlindly, "secrets.change_secret_key.from_the_bound_one_only"),
    (Bug::SecretsUnfiltered, "secrets.secrets.of_the_filter_up_to_the_maximum"),
    (Bug::SecretsUnbounded, "secrets.secrets.of_the_filter_up_to_the_maximum"),
    (Bug::SecretReplacedBlindly, "secrets.replace_secret.if_it_is_unchanged"),
    (Bug::SecretsInSnapshots, "worlds.restore.keeps_the_present_secret"),
    (Bug::RemovedSecretsComeBack, "worlds.restore.of_a_removed_secret_has_no_enrolment"),
    (Bug::CopiesNotSealedAgain, "worlds.create.secrets_of_a_snapshot_are_sealed_again"),
    (Bug::UnlockIgnored, "registry.unlock_enrolment.forgets_wrong_tokens"),
    (Bug::EnvironmentBindingIgnored, "upkeep.environment.is_bound_once"),
    (Bug::NeverOverloaded, "upkeep.is_overloaded.while_writes_are_refused"),
    (Bug::ReadyWhilePending, "upkeep.readiness.shows_pending_migrations"),
    (Bug::NewerSchemaUnnoticed, "upkeep.readiness.shows_a_newer_schema"),
    (Bug::DaysOfAnotherZone, "days.limits.count_from_midnight_utc"),
    (Bug::SeededPaymentsLost, "seeding.seed.stores_payments_and_their_work"),
    (Bug::StaleLimits, "two_handles.cards.a_message_sees_what_another_used_of_a_limit"),
    (Bug::LongWaitsAreCorrupt, "two_handles.cards.a_long_wait_is_no_corruption"),
    (Bug::CardCountersPerHandle, "two_handles.card_management.creations_on_two_budgets_take_turns"),
    (Bug::StaleEnrolments, "two_handles.batches.wrong_tokens_of_two_batches_add_up"),
    (Bug::GroupsMixAccounts, "groups.two_accounts.are_kept_apart"),
    (Bug::GroupsHideFirstStates, "groups.follow_ups.are_shown_the_state_of_the_first_message"),
    (Bug::GroupsPanicTogether, "panics.rule_in_a_group_fails_its_own_command_only"),
    (Bug::CurrenciesOfAnyAccount, "equal_ids.budgets.have_their_own_parents_and_currencies"),
    (Bug::DeletesRecordsOfEqualKeys, "equal_ids.records.are_forgotten_by_their_own_age"),
    (Bug::RestoresForgetEqualKeys, "equal_ids.restore.leaves_the_other_accounts_record"),
    (Bug::ActivityOfAnyBudget, "equal_ids.activities.are_of_the_budgets_own_account"),
    (Bug::AddressesTrimmed, "addresses.find.keeps_every_member"),
    (Bug::TransfersInMilliseconds, "times.of_transfers"),
    (Bug::LeasesRestored, "worlds.restore.ends_the_leases_of_the_snapshot"),
    (Bug::RestoresNotRecorded, "worlds.restore.replaces_the_record_of_its_key"),
    (Bug::CopiedClocksStartAnew, "worlds.create.a_copy_goes_on_from_the_time_of_the_snapshot"),
    (Bug::SnapshotsByTime, "worlds.snapshots.by_id_whatever_their_times"),
    (Bug::SumsWrapAround, "books.explain.sums_beyond_64_bits"),
    (Bug::PaidOrdersCount, "books.explain.paid_orders_reserve_nothing"),
    (Bug::ReservationsById, "books.explain.reservations_of_the_oldest_batch_first"),
    (Bug::RefundsAreHolds, "books.books.chains_that_hold_nothing_do_not_count"),
    (Bug::HistoriesByToken, "chains.history.by_time_whatever_the_tokens"),
    (Bug::UsedStepsLost, "registry.enrol.keeps_every_member"),
    (Bug::EmptyReferencesAreMissing, "sandbox_bank.accept.keeps_every_member"),
    (Bug::AlertsOutOfOrder, "batch_reading.alerts.are_ordered_by_row_however_found"),
    (Bug::FundsOfAll, "batch_reading.funds.of_the_budgets_that_pay"),
    (Bug::FundingOfAll, "batch_reading.funding.of_budgets_for_payments"),
    (Bug::ActiveCardsCount, "card_management.create.counts_cards_of_every_state"),
    (Bug::ClaimsLate, "batch_processing.claim.the_first_payment_that_is_due_counts"),
    (Bug::RecordsOfAnyClient, "groups.keys.are_per_client"),
    (Bug::BooksCheckSeesNothing, "books_check.finds_reservations_without_money"),
];

fn caught() -> impl Iterator<Item = &'static (Bug, &'static str)> {
    CAUGHT.iter().chain(webhooks::CAUGHT).chain(cell_directory::CAUGHT)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_bug_is_caught_by_its_check() {
    for (bug, name) in caught() {
        let check = checks().into_iter().find(|check| check.name() == *name);
        let check = check.unwrap_or_else(|| panic!("there is no check `{name}`"));
        let outcome = check.run(&Mutants(Some(*bug))).await;
        assert!(matches!(outcome, Outcome::Failed(_)), "{bug:?} is not caught by {name}: {outcome:?}");
    }
}

#[test]
fn every_bug_is_on_the_list() {
    for bug in Bug::ALL {
        assert!(caught().any(|(caught, _)| caught == bug), "no check is named for {bug:?}");
    }
}

#[test]
fn names_of_checks_are_unique() {
    let mut names: Vec<_> = checks().into_iter().map(florin_store_conformance::Check::name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// The wrapper itself breaks no promise, so a failing check is due to the bug.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_without_a_bug_passes() {
    let report = run(&Mutants(None)).await;
    report.assert_passed();
    assert!(report.to_string().ends_with("0 failed, 3 skipped"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_sequences_find_bugs_and_shorten_them() {
    let cases = Cases { sequences: 16, ..Cases::default() };
    run_against(&Mutants(None), &Mutants(None), cases).await.assert_passed();
    for bug in [Bug::LimitsNotStored, Bug::NoTenantFilterOnMessages, Bug::NoRollback, Bug::DoubleEffect, Bug::NoRecords]
    {
        let report = run_against(&Mutants(Some(bug)), &Mutants(None), Cases::default()).await;
        assert!(!report.passed(), "{bug:?} is not found");
        let steps = report.to_string().lines().filter(|line| line.starts_with("  ") && line.contains(". ")).count();
        assert!(steps <= 12, "{bug:?} takes {steps} steps: {report}");
    }
}

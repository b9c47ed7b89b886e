//! `florin merchants set|approve|reject`

use super::{Context, lookup};
use crate::machine::SystemClock;
use crate::output;
use crate::usage::UsageError;
use anyhow::anyhow;
use clap::builder::PossibleValuesParser;
use florin_application::{administer_merchant, approve_payee, approve_settlement_account};
use florin_domain::ids::{AccountId, PayeeId, SettlementAccountId, parse_uuid};
use florin_domain::merchant::{
    Approval, MerchantPermission, MerchantProfile, MerchantStatus, OperatorEdit, PayeeRefusal, SettlementRefusal,
};
use florin_ports::{Clock, CompleteStorage, WriteError, Written};
use serde::Serialize;
use std::fmt::Display;
use uuid::Uuid;

/// Actions on merchants.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Change the status and the permissions of a merchant. Creates a missing merchant profile
    Set(Changes),
    /// Approve a settlement account or a payee permanently
    Approve(ApprovalTarget),
    /// Reject a settlement account or a payee permanently
    Reject(ApprovalTarget),
}

/// Changes of a merchant.
#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// The account: id or name
    #[arg(value_name = "ACCOUNT")]
    account: String,
    /// ACTIVE, or DEACTIVATED: the API answers as if there were no profile
    #[arg(long, value_parser = PossibleValuesParser::new(MerchantStatus::ALL.map(MerchantStatus::as_str)))]
    status: Option<String>,
    /// Permissions to grant
    #[arg(long, value_name = "PERMISSION", value_parser = permissions())]
    grant: Vec<String>,
    /// Permissions to withdraw
    #[arg(long, value_name = "PERMISSION", value_parser = permissions())]
    withdraw: Vec<String>,
}

/// A settlement account or a payee of an account.
#[derive(Debug, clap::Args)]
pub(crate) struct ApprovalTarget {
    /// The account: id or name
    #[arg(value_name = "ACCOUNT")]
    account: String,
    /// The id of the settlement account or the payee
    #[arg(value_name = "ID", value_parser = id)]
    id: Uuid,
}

fn permissions() -> PossibleValuesParser {
    PossibleValuesParser::new(MerchantPermission::ALL.map(MerchantPermission::as_str))
}

fn id(text: &str) -> Result<Uuid, String> {
    parse_uuid(text).map_err(|flaw| flaw.message.into_owned())
}

/// JSON representation of a merchant.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    account_id: String,
    name: String,
    status: &'static str,
    permissions: Vec<&'static str>,
}

/// JSON representation of a decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision {
    id: String,
    approval_status: &'static str,
}

pub(super) async fn run(context: &Context, store: &dyn CompleteStorage, action: &Action) -> anyhow::Result<()> {
    match action {
        Action::Set(changes) => set(context, store, changes).await,
        Action::Approve(target) => decide(context, store, target, Approval::Approve).await,
        Action::Reject(target) => decide(context, store, target, Approval::Reject).await,
    }
}

async fn set(context: &Context, store: &dyn CompleteStorage, changes: &Changes) -> anyhow::Result<()> {
    if let Some(permission) = changes.grant.iter().find(|granted| changes.withdraw.contains(granted)) {
        return Err(UsageError::new(format!("cannot both grant and withdraw {permission}")).into());
    }
    let account = lookup::account(store, "ACCOUNT", &changes.account).await?;
    let known = |name: &String| MerchantPermission::ALL.into_iter().find(|permission| permission.as_str() == name);
    let granted = changes.grant.iter().filter_map(known).map(|permission| (permission, true));
    let withdrawn = changes.withdraw.iter().filter_map(known).map(|permission| (permission, false));
    let status = MerchantStatus::ALL.into_iter().find(|status| Some(status.as_str()) == changes.status.as_deref());
    let edit = OperatorEdit { status, permissions: granted.chain(withdrawn).collect() };
    let profile = match administer_merchant(store, account.clone(), edit, None).await {
        Ok(written) => expect_new(written)?,
        Err(error) => return Err(anyhow!("account {account}: {}", reason(&error))),
    };
    let row = row(&profile);
    context.record_result(format!("merchant {account}: {}, permissions: {}", row.status, listed(&row)));
    output::print_json_or_text(context.json, &row, || {
        format!("Merchant {} ({}) is {}; permissions: {}.", row.account_id, row.name, row.status, listed(&row))
    })
}

fn row(profile: &MerchantProfile) -> Row {
    Row {
        account_id: profile.account.to_string(),
        name: profile.name.clone(),
        status: profile.status.as_str(),
        permissions: profile.permissions.iter().map(|permission| permission.as_str()).collect(),
    }
}

fn listed(row: &Row) -> String {
    if row.permissions.is_empty() { "none".to_owned() } else { row.permissions.join(", ") }
}

async fn decide(
    context: &Context,
    store: &dyn CompleteStorage,
    target: &ApprovalTarget,
    approval: Approval,
) -> anyhow::Result<()> {
    let account = lookup::account(store, "ACCOUNT", &target.account).await?;
    let kind = approve(store, &account, target.id, approval).await?;
    let decision = Decision { id: target.id.to_string(), approval_status: approval.status().as_str() };
    let text = format!("{kind} {} of account {account}: {}", decision.id, decision.approval_status);
    context.record_result(text.clone());
    output::print_json_or_text(context.json, &decision, || format!("{text}."))
}

/// Approves or rejects the settlement account or payee with this id. Returns its kind.
async fn approve(
    store: &dyn CompleteStorage,
    account: &AccountId,
    id: Uuid,
    approval: Approval,
) -> anyhow::Result<&'static str> {
    let decision = (approval, SystemClock.now());
    let decided = approve_settlement_account(store, account.clone(), SettlementAccountId(id), decision, None).await;
    match decided {
        Ok(_) => return Ok("settlement account"),
        Err(WriteError::Absent | WriteError::Refused(SettlementRefusal::Absent)) => {}
        Err(WriteError::Refused(SettlementRefusal::Decided(status))) => return Err(is_final(id, status.as_str())),
        Err(error) => return Err(anyhow!("settlement account {id}: {}", reason(&error))),
    }
    match approve_payee(store, account.clone(), PayeeId(id), decision, None).await {
        Ok(_) => Ok("payee"),
        Err(WriteError::Refused(PayeeRefusal::Decided(status))) => Err(is_final(id, status.as_str())),
        Err(WriteError::Absent) => Err(anyhow!("account {account} has no settlement account or payee {id}")),
        Err(error) => Err(anyhow!("payee {id}: {}", reason(&error))),
    }
}

fn is_final(id: Uuid, status: &str) -> anyhow::Error {
    anyhow!("cannot change {id}: {status} is final")
}

fn expect_new<T>(written: Written<T>) -> anyhow::Result<T> {
    match written {
        Written::New(done) => Ok(done),
        Written::Replayed(_) | Written::DryRun(_) => Err(anyhow!("the store answered a repeated request")),
    }
}

fn reason<R: Display>(error: &WriteError<R>) -> String {
    match error {
        WriteError::Refused(refusal) => refusal.to_string(),
        WriteError::Absent => "does not exist".to_owned(),
        WriteError::Mismatch(_) => "was repeated".to_owned(),
        WriteError::Store(error) => error.to_string(),
    }
}

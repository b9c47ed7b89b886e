//! Records the acts of operators in the audit log.

use crate::cli::{Command, CommandLine};
use crate::commands::{
    accounts, addresses, banks, cells, clients, features, keys, merchants, mfa, people, secret_key, webhooks,
};
use crate::machine::SystemClock;
use florin_application::append_audit;
use florin_domain::audit_log::{AuditEvent, AuditOutcome, safe_details};
use florin_ports::{AuditLog, Clock, StoreError};
use std::fs;

/// An act of an operator.
pub(crate) struct Act {
    command_line: CommandLine,
    /// The number of the record of its beginning; `None` if the beginning is not recorded.
    begun: Option<i64>,
}

impl Act {
    /// The act of a command; `None` for a command that neither changes anything nor exports all data.
    pub(crate) fn of(command: &Command, command_line: &CommandLine) -> Option<Self> {
        is_act(command).then(|| Self { command_line: command_line.clone(), begun: None })
    }

    /// An act that a command performs in addition to its task, such as the migrations of a server that starts.
    pub(crate) fn additional(command_line: &CommandLine) -> Self {
        Self { command_line: command_line.clone(), begun: None }
    }

    /// Records that the act begins.
    pub(crate) async fn begin(&mut self, log: &(impl AuditLog + ?Sized)) -> Result<(), StoreError> {
        self.begun = Some(self.append(log, AuditOutcome::Begun, &self.command_line.arguments).await?);
        Ok(())
    }

    /// Whether its beginning is recorded.
    pub(crate) const fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Records the outcome of the act, with its result or its error.
    pub(crate) async fn end(
        &self,
        log: &(impl AuditLog + ?Sized),
        outcome: AuditOutcome,
        result: &str,
    ) -> Result<(), StoreError> {
        self.append(log, outcome, result).await.map(drop)
    }

    async fn append(
        &self,
        log: &(impl AuditLog + ?Sized),
        outcome: AuditOutcome,
        details: &str,
    ) -> Result<i64, StoreError> {
        let event = AuditEvent {
            at: SystemClock.now(),
            actor: user(),
            source: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            action: self.command_line.action.clone(),
            outcome,
            begun: self.begun,
            details: safe_details(details),
        };
        Ok(append_audit(log, event).await?.number)
    }
}

/// Whether a command is recorded, because it changes something or exports all data. The match has no default arm, so
/// that nobody forgets to decide for a new command.
const fn is_act(command: &Command) -> bool {
    match command {
        Command::Init
        | Command::Demo
        | Command::Import(_)
        | Command::Export(_)
        | Command::People(people::Action::Erase { .. })
        | Command::Merchants(
            merchants::Action::Set(_) | merchants::Action::Approve(_) | merchants::Action::Reject(_),
        )
        | Command::Features(features::Action::Enable(_) | features::Action::Disable(_))
        | Command::Banks(banks::Action::Import { .. })
        | Command::Addresses(addresses::Action::Import { .. }) => true,
        Command::Migrate(arguments) => !arguments.check,
        Command::Cells(action) => match action {
            cells::Action::Add { .. }
            | cells::Action::Close { .. }
            | cells::Action::Move { .. }
            | cells::Action::Drain { .. } => true,
            cells::Action::List => false,
        },
        Command::Clients(action) => match action {
            clients::Action::Create { .. }
            | clients::Action::Change { .. }
            | clients::Action::Disable { .. }
            | clients::Action::Enable { .. } => true,
            clients::Action::List => false,
        },
        Command::Accounts(action) => match action {
            accounts::Action::Create(_) | accounts::Action::Change { .. } => true,
            accounts::Action::List => false,
        },
        Command::Mfa(action) => match action {
            mfa::Action::Enrol(_)
            | mfa::Action::Remove(_)
            | mfa::Action::Unlock(_)
            | mfa::Action::Require(_)
            | mfa::Action::Waive(_) => true,
            mfa::Action::Show(_) => false,
        },
        Command::Secrets(action) => match action {
            secret_key::Action::Rotate => true,
            secret_key::Action::Show => false,
        },
        Command::Keys(action) => match action {
            keys::Action::Issue(_) | keys::Action::Rotate(_) | keys::Action::Revoke { .. } => true,
            keys::Action::List { .. } => false,
        },
        Command::Webhooks(action) => match action {
            webhooks::Action::Disable(_) | webhooks::Action::Enable(_) => true,
            webhooks::Action::List(_) | webhooks::Action::Show(_) => false,
        },
        Command::Serve | Command::Check(_) | Command::Audit(_) | Command::Listen(_) | Command::Openapi => false,
    }
}

/// The user of the operating system who runs this process.
fn user() -> String {
    let id = rustix::process::getuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut parts = line.split(':');
        let (name, number) = (parts.next()?, parts.nth(1)?);
        (number.parse() == Ok(id)).then_some(name)
    });
    name.map_or_else(|| format!("uid {id}"), |name| format!("{name} (uid {id})"))
}

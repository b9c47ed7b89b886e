//! Disputes and their evidence as rows.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::disputes::{DisputeRow, EvidenceRow, dispute_evidence};
use super::body::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::card::{Dispute, DisputeEvidence, DisputeState};
use florin_domain::ids::{AccountId, CardId, DisputeId, TransactionToken};
use florin_domain::money::Minor;
use std::collections::BTreeMap;

impl From<&Dispute> for DisputeRow {
    fn from(dispute: &Dispute) -> Self {
        Self {
            account_id: Account(dispute.account.clone()),
            id: Id(dispute.id.0),
            card_id: Id(dispute.card.0),
            transaction_id: Id(dispute.transaction.0),
            chain_id: Id(dispute.chain.0),
            currency: Currency(dispute.currency),
            amount_minor: dispute.amount.0,
            reason: Named(dispute.reason),
            status: Named(dispute.state.status()),
            credit_id: dispute.credit.map(|token| Id(token.0)),
            settlement_id: dispute.state.settlement().map(|token| Id(token.0)),
            created_at: Time(dispute.created_at),
            updated_at: Time(dispute.updated_at),
            resolved_at: dispute.state.resolved_at().map(Time),
        }
    }
}

impl DisputeRow {
    /// Builds the dispute from its row and its evidence.
    pub(crate) fn read(self, evidence: Vec<DisputeEvidence>) -> Outcome<Dispute> {
        let (id, status) = (DisputeId(self.id.0), self.status.0);
        let settlement = self.settlement_id.map(|token| TransactionToken(token.0));
        let state = DisputeState::from_parts(status, settlement, self.resolved_at.map(|at| at.0)).ok_or_else(|| {
            corrupt(format!("dispute {id} is {}, which its settlement or its times contradict", status.as_str()))
        })?;
        Ok(Dispute {
            id,
            account: self.account_id.0,
            card: CardId(self.card_id.0),
            transaction: TransactionToken(self.transaction_id.0),
            chain: TransactionToken(self.chain_id.0),
            currency: self.currency.0,
            amount: Minor(self.amount_minor),
            reason: self.reason.0,
            state,
            credit: self.credit_id.map(|token| TransactionToken(token.0)),
            evidence,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

/// Returns the rows of a dispute's evidence, without the `first` oldest entries, which are already stored.
pub(super) fn evidence_from(dispute: &Dispute, first: usize) -> Vec<EvidenceRow> {
    let row = |(place, evidence): (i64, &DisputeEvidence)| EvidenceRow {
        account_id: Account(dispute.account.clone()),
        dispute_id: Id(dispute.id.0),
        position: place,
        text: evidence.text.clone(),
        created_at: Time(evidence.created_at),
    };
    (0..).zip(&dispute.evidence).skip(first).map(row).collect()
}

/// Reads disputes of an account with their evidence, in the order of the rows.
pub(super) fn with_evidence(conn: &mut Conn, account: &AccountId, rows: Vec<DisputeRow>) -> Outcome<Vec<Dispute>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let found = dispute_evidence::table
        .filter(dispute_evidence::account_id.eq(account.as_str()))
        .filter(dispute_evidence::dispute_id.eq_any(rows.iter().map(|row| row.id).collect::<Vec<_>>()))
        .order((dispute_evidence::dispute_id, dispute_evidence::position))
        .select(EvidenceRow::as_select())
        .load(conn)?;
    let mut evidence: BTreeMap<Id, Vec<DisputeEvidence>> = BTreeMap::new();
    for EvidenceRow { dispute_id, text, created_at, .. } in found {
        evidence.entry(dispute_id).or_default().push(DisputeEvidence { text, created_at: created_at.0 });
    }
    let read = |row: DisputeRow| {
        let evidence = evidence.remove(&row.id).unwrap_or_default();
        row.read(evidence)
    };
    rows.into_iter().map(read).collect()
}

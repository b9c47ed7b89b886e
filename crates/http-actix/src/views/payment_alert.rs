//! Alerts: what is wrong with payments.

use super::Time;
use florin_domain::batch::Alert;
use serde::Serialize;
use utoipa::ToSchema;

/// Something that is wrong, or doubtful, with an uploaded payment.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentAlert)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AlertView {
    /// When it was found.
    #[schema(value_type = String, format = DateTime)]
    timestamp: Time,
    /// With an Error the batch can't be confirmed.
    #[serde(rename = "type")]
    #[schema(pattern = "^(Error|Warning)$")]
    kind: &'static str,
    /// A stable code.
    code: &'static str,
    /// The row, from 0; null where it is about the upload as a whole.
    #[schema(required, minimum = 0)]
    input_index: Option<u32>,
    /// What a person does to mend it.
    message: String,
}

impl From<&Alert> for AlertView {
    fn from(alert: &Alert) -> Self {
        Self {
            timestamp: Time(alert.at),
            kind: alert.kind.as_str(),
            code: alert.code.as_str(),
            input_index: alert.index,
            message: alert.message.clone(),
        }
    }
}

//! Alerts in responses: errors and warnings about uploaded payments.

use super::Time;
use florin_domain::batch::Alert;
use serde::Serialize;
use utoipa::ToSchema;

/// An error or warning about an uploaded payment.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentAlert)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AlertView {
    /// When the alert was raised.
    #[schema(value_type = String, format = DateTime)]
    timestamp: Time,
    /// `Error` or `Warning`. A batch with an Error alert cannot be confirmed.
    #[serde(rename = "type")]
    #[schema(pattern = "^(Error|Warning)$")]
    kind: &'static str,
    /// A stable code that programs can use.
    code: &'static str,
    /// The number of the row, from 0; null if the alert concerns the whole upload.
    #[schema(required, minimum = 0)]
    input_index: Option<u32>,
    /// A human-readable message that says how to fix the value.
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

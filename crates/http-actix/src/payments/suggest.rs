//! Suggests a column for an unknown name in the header of a CSV.

use super::columns::COLUMNS;
use crate::suggest::{MAX_NAME, nearest, plain};

/// Words that people use for columns, in lower case and without separators, each with the name of the column.
const WORDS: [(&str, &str); 15] = [
    ("account", "recipient.accountIdentifier"),
    ("accountnumber", "recipient.accountIdentifier"),
    ("iban", "recipient.accountIdentifier"),
    ("bank", "recipient.bankIdentifier"),
    ("bic", "recipient.bankIdentifier"),
    ("sortcode", "recipient.bankIdentifier"),
    ("swift", "recipient.bankIdentifier"),
    ("beneficiary", "recipient.name"),
    ("payee", "recipient.name"),
    ("recipient", "recipient.name"),
    ("budget", "fundingBudgetId"),
    ("country", "recipient.address.countryCode"),
    ("currency", "currencyCode"),
    ("network", "recipient.paymentNetwork"),
    ("street", "recipient.address.streetName"),
];

/// Returns the column that a name most likely means. The name may differ in case or separators, be a common word for
/// the column, be the last part of its name, or contain typing errors.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let plain_name = plain(name);
    let columns = || COLUMNS.iter().map(|column| column.name);
    let last_name = |column: &'static str| column.rsplit('.').next().unwrap_or(column);
    columns()
        .find(|column| plain(column) == plain_name)
        .or_else(|| WORDS.iter().find(|(word, _)| *word == plain_name).map(|(_, column)| *column))
        .or_else(|| columns().find(|column| plain(last_name(column)) == plain_name))
        .or_else(|| nearest(name, columns().flat_map(|column| [(column, column), (last_name(column), column)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_that_is_meant_is_found() {
        for (name, column) in [
            ("Amount", "amount"),
            (" amount ", "amount"),
            ("currency", "currencyCode"),
            ("Currency Code", "currencyCode"),
            ("curencyCode", "currencyCode"),
            ("recipient_name", "recipient.name"),
            ("Name", "recipient.name"),
            ("IBAN", "recipient.accountIdentifier"),
            ("accountIdentifer", "recipient.accountIdentifier"),
            ("Sort code", "recipient.bankIdentifier"),
            ("recipient.adress.city", "recipient.address.city"),
            ("postcode", "recipient.address.postcode"),
        ] {
            assert_eq!(meant(name), Some(column), "{name}");
        }
        for name in ["", "x", "colour", "notes"] {
            assert_eq!(meant(name), None, "{name}");
        }
        assert!(WORDS.iter().all(|(word, column)| plain(word) == *word && COLUMNS.iter().any(|c| c.name == *column)));
    }
}

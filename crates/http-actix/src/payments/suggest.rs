//! Suggests a column for an unknown name in the header of a CSV.

use super::columns::COLUMNS;

/// Words that people use for columns, in lower case and without separators.
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
    // A name of this length is not a misspelt column name.
    if name.len() > 64 {
        return None;
    }
    let plain = plain(name);
    let columns = || COLUMNS.iter().map(|column| column.name);
    let last = |column: &'static str| column.rsplit('.').next().unwrap_or(column);
    columns()
        .find(|column| self::plain(column) == plain)
        .or_else(|| WORDS.iter().find(|(word, _)| *word == plain).map(|(_, column)| *column))
        .or_else(|| columns().find(|column| self::plain(last(column)) == plain))
        .or_else(|| nearest(&plain, columns().flat_map(|column| [(column, column), (last(column), column)])))
}

/// Returns the column whose name, or last part of its name, is nearest. One typing error per three characters is
/// allowed.
fn nearest(plain: &str, names: impl Iterator<Item = (&'static str, &'static str)>) -> Option<&'static str> {
    let max = plain.chars().count() / 3;
    let distance = |(name, column): (&str, _)| (strsim::damerau_levenshtein(plain, &self::plain(name)), column);
    let near = names.map(distance).filter(|(distance, _)| *distance <= max);
    near.min_by_key(|(distance, _)| *distance).map(|(_, column)| column)
}

/// Returns letters and digits only, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_that_is_meant() {
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

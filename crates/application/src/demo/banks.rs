//! The bank list of the sandbox. The banks are fictitious.

use super::DemoFault;
use florin_domain::merchant::{Bank, BankId};

/// The names of the banks, and whether each bank can pay refunds.
const BANKS: [(&str, bool); 24] = [
    ("Albion Mutual", true),
    ("Ashdown & Vale", true),
    ("Aurora Nordbank", true),
    ("Banca Serena", true),
    ("Banco del Faro", false),
    ("Bank of Penmarrow", true),
    ("Banque des Deux Rives", true),
    ("Caisse Lumière", false),
    ("Castlegate Building Society", false),
    ("Cobalt", true),
    ("Deltabank Oost", true),
    ("Dunmore Trust", true),
    ("Erste Lindenbank", true),
    ("Fjord Sparebank", false),
    ("Glenlarig Bank", true),
    ("Harbour Direct", true),
    ("Kestrel", true),
    ("Marlow Savings", false),
    ("Northmoor Bank", true),
    ("Piaggia Credito", true),
    ("Quayside Co-operative", false),
    ("Sable Private Bank", true),
    ("Tidewater", true),
    ("Weaver & Sons", false),
];

/// All banks of the list.
pub(super) fn banks() -> Result<Vec<Bank>, DemoFault> {
    (1_u64..).zip(&BANKS).map(|(number, &(name, supports_refunds))| bank(number, name, supports_refunds)).collect()
}

/// The first bank of the list.
pub(super) fn first() -> Result<Bank, DemoFault> {
    let (name, supports_refunds) = BANKS[0];
    bank(1, name, supports_refunds)
}

fn bank(number: u64, name: &str, supports_refunds: bool) -> Result<Bank, DemoFault> {
    // A fixed multiplier spreads the ids over all digits.
    let half = |salt: u64| (number + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Ok(Bank {
        id: BankId::parse(&format!("{:016x}{:016x}", half(0), half(1000)))?,
        name: name.into(),
        icon_url: format!("https://icons.example/banks/{}.svg", slug(name)),
        supports_refunds,
    })
}

/// Converts a name to lower-case ASCII letters, digits and hyphens.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

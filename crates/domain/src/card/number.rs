//! Test numbers of cards.

use crate::ids::CardId;

/// The test number of a card, and its security code. Both are derived from the card's id and stored nowhere.
///
/// A number begins with 9999. By ISO/IEC 7812, numbers that begin with 9 belong to national bodies, and the next three
/// digits are the ISO 3166 number of their country; no country has the number 999. So no scheme issues a number with
/// this prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardNumber {
    /// The sixteen digits of the number. They pass the Luhn check.
    pub number: String,
    /// The three digits of the security code.
    pub security_code: String,
}

/// The first digits of every number.
const PREFIX: &str = "9999";

impl CardNumber {
    /// Derives the number and the security code of a card.
    ///
    /// ```
    /// use florin_domain::card::CardNumber;
    /// use florin_domain::test_support::a_card;
    ///
    /// let card = a_card().build();
    /// assert!(CardNumber::of(card.id).number.ends_with(&CardNumber::last_four(card.id)));
    /// ```
    pub fn of(card: CardId) -> Self {
        let mixed = mix(card.0.as_u128());
        let rest = format!("{:07}0{}", mixed % 10_000_000, Self::last_four(card));
        let number = format!("{PREFIX}{rest}");
        // The digit in the middle makes the Luhn sum divisible by ten. The sum does not double the digit at this place.
        let check_digit = (10 - luhn_sum(&number) % 10) % 10;
        let (start, end) = number.split_at(11);
        let number = format!("{start}{check_digit}{}", &end[1..]);
        Self { number, security_code: format!("{:03}", (mixed >> 64) % 1000) }
    }

    /// The last four digits of the number of a card.
    pub fn last_four(card: CardId) -> String {
        format!("{:04}", card.0.as_u128() % 10_000)
    }
}

/// Mixes the bits of an id, because consecutive ids differ in only a few bits.
const fn mix(id: u128) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let mixed = (id ^ (id >> 61)).wrapping_mul(ODD);
    (mixed ^ (mixed >> 59)).wrapping_mul(ODD) >> 20
}

/// The Luhn sum: every second digit from the right is doubled, beginning with the second.
fn luhn_sum(number: &str) -> u32 {
    let digits = number.bytes().rev().map(|digit| u32::from(digit.wrapping_sub(b'0')));
    let doubled = |(place, digit): (usize, u32)| match digit * (1 + u32::from(place % 2 == 1)) {
        two_digits @ 10.. => two_digits - 9,
        one_digit => one_digit,
    };
    digits.enumerate().map(doubled).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    /// Leading digits of the numbers that schemes issue, from their public tables.
    const SCHEMES: [(&str, &[&str]); 24] = [
        ("UATP", &["1"]),
        ("Mir", &["2200", "2204"]),
        ("BORICA", &["2205"]),
        ("Mastercard", &["51", "52", "53", "54", "55", "2221", "2720"]),
        ("Diners Club", &["300", "305", "309", "36", "38", "39"]),
        ("American Express", &["34", "37"]),
        ("JCB", &["3528", "3589"]),
        ("RuPay", &["353", "356", "508", "60", "65", "81", "82"]),
        ("LankaPay", &["357111"]),
        ("Visa", &["4"]),
        ("Maestro", &["50", "56", "57", "58", "6"]),
        ("Dankort", &["5019"]),
        ("Verve", &["506099", "507865", "650002"]),
        ("Discover", &["6011", "644", "649", "65", "622126"]),
        ("UnionPay", &["62", "81"]),
        ("InterPayment", &["636"]),
        ("InstaPayment", &["637", "639"]),
        ("Uzcard", &["8600", "5614"]),
        ("ArCa", &["9051"]),
        ("Belkart", &["9112"]),
        ("Elcart", &["9417"]),
        ("Napas", &["9704"]),
        ("Troy", &["9792"]),
        ("Humo", &["9860"]),
    ];

    #[test]
    fn no_scheme_issues_numbers_with_this_prefix() {
        assert!(PREFIX.starts_with('9'));
        for (scheme, ranges) in SCHEMES {
            for range in ranges {
                assert!(!PREFIX.starts_with(range) && !range.starts_with(PREFIX), "{scheme} {range}");
            }
        }
    }

    #[test]
    fn known_numbers_pass_the_luhn_check() {
        assert_eq!(luhn_sum("4242424242424242") % 10, 0);
        assert_eq!(luhn_sum("79927398713") % 10, 0);
        assert_ne!(luhn_sum("79927398710") % 10, 0);
    }

    proptest! {
        #[test]
        fn every_number_is_well_formed(id in any::<u128>()) {
            let card = CardId(Uuid::from_u128(id));
            let CardNumber { number, security_code } = CardNumber::of(card);
            prop_assert_eq!((number.len(), security_code.len()), (16, 3));
            prop_assert!(number.bytes().chain(security_code.bytes()).all(|digit| digit.is_ascii_digit()));
            prop_assert!(number.starts_with(PREFIX) && number.ends_with(&CardNumber::last_four(card)));
            prop_assert_eq!(luhn_sum(&number) % 10, 0, "{}", number);
        }
    }

    #[test]
    fn similar_ids_have_different_numbers() {
        let numbers: std::collections::BTreeSet<_> =
            (0..1000).map(|id| CardNumber::of(CardId(Uuid::from_u128(id * 10_000))).number).collect();
        assert_eq!(numbers.len(), 1000);
        let last = CardNumber::last_four(CardId(Uuid::from_u128(7)));
        assert_eq!(last, "0007", "leading zeros are kept");
    }
}

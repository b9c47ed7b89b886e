//! Tests of IBANs, with the examples of all countries.

use super::*;

/// The example of each country in release 103 of the IBAN registry (September 2026), in the order of the countries.
const EXAMPLES: [&str; 89] = [
    "AD1200012030200359100100",
    "AE070331234567890123456",
    "AL47212110090000000235698741",
    "AT611904300234573201",
    "AZ21NABZ00000000137010001944",
    "BA391290079401028494",
    "BE68539007547034",
    "BG80BNBG96611020345678",
    "BH67BMAG00001299123456",
    "BI4210000100010000332045181",
    "BR6699999A03000010009795493C1",
    "BY13NBRB3600900000002Z00AB00",
    "CH9300762011623852957",
    "CR05015202001026284066",
    "CY17002001280000001200527600",
    "CZ6508000000192000145399",
    "DE89370400440532013000",
    "DJ2100010000000154000100186",
    "DK5000400440116243",
    "DO28BAGR00000001212453611324",
    "EE382200221020145685",
    "EG380019000500000000263180002",
    "ES9121000418450200051332",
    "FI2112345600000785",
    "FK88SC123456789012",
    "FO6264600001631634",
    "FR1420041010050500013M02606",
    "GB29NWBK60161331926819",
    "GE29NB0000000101904917",
    "GI75NWBK000000007099453",
    "GL8964710001000206",
    "GR1601101250000000012300695",
    "GT82TRAJ01020000001210029690",
    "HN88CABF00000000000250005469",
    "HR1210010051863000160",
    "HU42117730161111101800000000",
    "IE29AIBK93115212345678",
    "IL620108000000099999999",
    "IQ98NBIQ850123456789012",
    "IS140159260076545510730339",
    "IT60X0542811101000000123456",
    "JO94CBJO0010000000000131000302",
    "KW81CBKU0000000000001234560101",
    "KZ86125KZT5004100100",
    "LB62099900000001001901229114",
    "LC55HEMM000100010012001200023015",
    "LI21088100002324013AA",
    "LT121000011101001000",
    "LU280019400644750000",
    "LV80BANK0000435195001",
    "LY83002048000020100120361",
    "MC5811222000010123456789030",
    "MD24AG000225100013104168",
    "ME25505000012345678951",
    "MK07250120000058984",
    "MN121234123456789123",
    "MR1300020001010000123456753",
    "MT84MALT011000012345MTLCAST001S",
    "MU17BOMM0101101030300200000MUR",
    "NI45BAPR00000013000003558124",
    "NL91ABNA0417164300",
    "NO9386011117947",
    "OM810180000001299123456",
    "PK36SCBL0000001123456702",
    "PL61109010140000071219812874",
    "PS92PALS000000000400123456702",
    "PT50000201231234567890154",
    "QA58DOHB00001234567890ABCDEFG",
    "RO49AAAA1B31007593840000",
    "RS35260005601001611379",
    "RU0304452522540817810538091310419",
    "SA0380000000608010167519",
    "SC18SSCB11010000000000001497USD",
    "SD2129010501234001",
    "SE4550000000058398257466",
    "SI56263300012039086",
    "SK3112000000198742637541",
    "SM86U0322509800000000270100",
    "SO211000001001000100141",
    "ST23000100010051845310146",
    "SV62CENR00000000000000700025",
    "TL380080012345678910157",
    "TN5910006035183598478831",
    "TR330006100519786457841326",
    "UA213223130000026007233566001",
    "VA59001123000012345678",
    "VG96VPVG0000012345678901",
    "XK051212012345678906",
    "YE15CBYE0001018861234567891234",
];

#[test]
fn the_examples_of_the_registry_are_valid() {
    for example in EXAMPLES {
        assert_eq!(Iban::parse(example).map(|iban| iban.electronic_str().to_owned()), Ok(example.to_owned()));
    }
    // Until release 102, this was the example of Brazil.
    assert!(Iban::parse("BR1800360305000010009795493C1").is_ok());
}

/// The check digits detect every changed digit.
#[test]
fn an_example_with_a_changed_digit_is_refused() {
    for example in EXAMPLES {
        let digits = example.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
        for (index, byte) in digits {
            let changed = char::from(b'0' + (byte - b'0' + 1) % 10).to_string();
            let text = [&example[..index], &changed, &example[index + 1..]].concat();
            assert_eq!(Iban::parse(&text), Err(WRONG_CHECKSUM), "{example}");
        }
    }
}

/// Returns an IBAN with the right check digits.
fn with_check_digits(country: &str, bban: &str) -> String {
    let digits = |text: &str| text.chars().map(|letter| letter.to_digit(36).unwrap().to_string()).collect::<String>();
    let text = digits(&format!("{bban}{country}00"));
    let remainder = text.bytes().fold(0, |remainder, digit| (remainder * 10 + u32::from(digit - b'0')) % 97);
    format!("{country}{:02}{bban}", 98 - remainder)
}

/// An account number of one digit is too short for every known country, and is refused for its form. For an unknown
/// country, the error is [`NO_IBANS`].
#[test]
fn the_countries_are_those_of_the_registry() {
    let codes = (b'A'..=b'Z').flat_map(|first| (b'A'..=b'Z').map(move |second| [first, second]));
    let codes = codes.map(|code| code.map(char::from).iter().collect::<String>());
    let known: Vec<_> = codes.filter(|code| Iban::parse(&with_check_digits(code, "0")) != Err(NO_IBANS)).collect();
    assert_eq!(known, EXAMPLES.map(|example| &example[..2]));
}

#[test]
fn an_account_number_of_another_length_is_refused() {
    for example in EXAMPLES {
        let (country, bban) = (&example[..2], &example[4..]);
        assert_eq!(with_check_digits(country, bban), example);
        for bban in [&bban[1..], &format!("{bban}0")] {
            assert_eq!(Iban::parse(&with_check_digits(country, bban)), Err(WRONG_FORM), "{country} {bban}");
        }
    }
}

#[test]
fn the_error_says_why_an_iban_is_invalid() {
    for (text, why) in [
        ("PK37SCBL0000001123456702", "check digits"),
        ("PK25SCBL000000112345670", "for its country"),
        ("HN43CABF0000000000025000546X", "for its country"),
        (with_check_digits("BR", "99999A0300001000979549AC1").as_str(), "for its country"),
        // A digit instead of the letter for the type of the account.
        (with_check_digits("BR", "99999A0300001000979549311").as_str(), "for its country"),
        ("US88370400440532013000", "no IBANs"),
        ("GB28NWBK60161331926819", "check digits"),
    ] {
        let error = Iban::parse(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

/// The check digits 00, 01 and 99 leave the same remainder as 97, 98 and 02.
#[test]
fn impossible_check_digits_are_refused() {
    let mut seen = 0;
    for account in 0..100_000 {
        let bban = format!("NWBK601613319{account:05}");
        for digits in ["00", "01", "99"] {
            let text = format!("GB{digits}{bban}");
            if text.parse::<iban::Iban>().is_ok() {
                seen += 1;
                assert_eq!(Iban::parse(&text), Err(WRONG_CHECKSUM));
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_british_iban_has_a_sort_code_and_an_account_number() {
    let iban = |text: &str| Iban::parse(text).unwrap();
    assert_eq!(iban("GB29NWBK60161331926819").british(), Some(("601613", "31926819")));
    assert_eq!(iban("DE89370400440532013000").british(), None);
}

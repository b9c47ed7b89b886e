//! Tests of the modulus check with the worked examples of the specification.

use super::*;

fn table() -> ModulusTable {
    ModulusTable::built_in().unwrap()
}

#[test]
fn valid_pairs() {
    for (sort_code, account, why) in [
        ("089999", "66374958", "modulus 10"),
        ("107999", "88837491", "modulus 11"),
        ("202959", "63748472", "modulus 11 and double alternate"),
        ("871427", "46238510", "exceptions 10 and 11, the first check passes"),
        ("872427", "46238510", "exceptions 10 and 11, the first check passes"),
        ("871427", "09123496", "exception 10, ab is 09 and g is 9"),
        ("871427", "99123496", "exception 10, ab is 99 and g is 9"),
        ("820000", "73688637", "exception 3, both checks"),
        ("827999", "73988638", "exception 3, c is 9"),
        ("827101", "28748352", "exception 3, both checks"),
        ("134020", "63849203", "exception 4"),
        ("118765", "64371389", "exception 1"),
        ("200915", "41011166", "exception 6, a foreign currency"),
        ("938611", "07806039", "exception 5"),
        ("938600", "42368003", "exception 5, substituted"),
        ("938063", "55065200", "exception 5, both remainders are 0"),
        ("772798", "99345694", "exception 7"),
        ("086090", "06774744", "exception 8"),
        ("309070", "02355688", "exceptions 2 and 9, the first check passes"),
        ("309070", "12345668", "exceptions 2 and 9, the second check passes"),
        ("309070", "12345677", "exception 2, a is not 0, g is not 9"),
        ("309070", "99345694", "exception 2, a is not 0, g is 9"),
        ("074456", "12345112", "exceptions 12 and 13, the first check passes"),
        ("070116", "34012583", "exceptions 12 and 13, both pass"),
        ("074456", "11104102", "exceptions 12 and 13, the second check passes"),
        ("180002", "00000190", "exception 14, shifted"),
        ("601613", "31926819", "modulus 11"),
        ("999999", "00000000", "in no range"),
    ] {
        assert!(table().fits(sort_code, account), "{sort_code} {account}: {why}");
    }
}

#[test]
fn invalid_pairs() {
    for (sort_code, account, why) in [
        ("938063", "15764273", "exception 5, the second check digit is wrong"),
        ("938063", "15764264", "exception 5, the first check digit is wrong"),
        ("938063", "15763217", "exception 5, a remainder of 1"),
        ("118765", "64371388", "exception 1"),
        ("203099", "66831036", "double alternate fails"),
        ("203099", "58716970", "modulus 11 fails"),
        ("089999", "66374959", "modulus 10"),
        ("107999", "88837493", "modulus 11"),
        ("180002", "00000198", "exception 14, no check digit to be shifted"),
        ("08999", "66374958", "a digit is missing"),
        ("089999", "6637495x", "not a digit"),
    ] {
        assert!(!table().fits(sort_code, account), "{sort_code} {account}: {why}");
    }
}

#[test]
fn an_invalid_table_names_the_line() {
    for wrong in ["010004 016715 MOD11 1 2 3", "010004 016715 MOD12 0 0 0 0 0 0 8 7 6 5 4 3 2 1", "x"] {
        let error = ModulusTable::parse(&format!("# a comment\n\n{wrong}"), "").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (3, wrong));
    }
    assert_eq!(ModulusTable::parse("", "938600").unwrap_err().line, 1);
}

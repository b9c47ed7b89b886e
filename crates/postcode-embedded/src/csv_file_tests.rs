//! Tests of reading addresses.

use super::*;

const HEADER: &str = "addressLine1,addressLine2,addressLine3,city,postcode,county";

/// Returns the message for a file with faults.
fn message(file: impl AsRef<[u8]>) -> String {
    read_csv(file.as_ref()).unwrap_err().to_string()
}

fn with_header(rows: &str) -> String {
    format!("{HEADER}\n{rows}")
}

fn an_address() -> Address {
    Address {
        address_line1: "1 High Street".into(),
        address_line2: String::new(),
        address_line3: String::new(),
        city: "Zürich-on-Sea".into(),
        postcode: "M11AE".into(),
        county: "Kent".into(),
    }
}

#[test]
fn line_ends_byte_order_marks_and_quotes_do_not_matter() {
    let row = "1 High Street,,,Zürich-on-Sea,m1 1ae,Kent";
    for file in [
        format!("{HEADER}\n{row}\n"),
        format!("{HEADER}\r\n{row}\r\n"),
        format!("{HEADER}\n{row}"),
        format!("\u{feff}{HEADER}\r\n{row}"),
        format!("{HEADER}\n\n{row}\n\n"),
        format!("{HEADER}\n\"1 High Street\",\"\",,\"Zürich-on-Sea\", M1 1AE ,Kent"),
    ] {
        assert_eq!(read_csv(file.as_bytes()).unwrap(), [an_address()], "{file:?}");
    }
}

#[test]
fn columns_come_in_any_order() {
    let file =
        "postcode,county,city,addressLine3,addressLine2,addressLine1\nM1 1AE,Kent,Zürich-on-Sea,,,1 High Street\n";
    assert_eq!(read_csv(file.as_bytes()).unwrap(), [an_address()]);
}

#[test]
fn quoted_values_keep_commas_quotes_and_line_ends() {
    let file = with_header("\"Unit \"\"A\"\", 1\nDock\",,,Hull,HU1 1AA,\n2,,,Hull,HU1 1AA,\n");
    let found = read_csv(file.as_bytes()).unwrap();
    assert_eq!(found[0].address_line1, "Unit \"A\", 1\nDock");
    assert_eq!(found[1].address_line1, "2");
}

#[test]
fn rows_keep_their_order_and_may_be_equal() {
    let file = with_header("2 A Road,,,Hull,HU1 1AA,\n1 A Road,,,Hull,HU1 1AA,\n1 A Road,,,Hull,HU1 1AA,\n");
    let lines: Vec<_> = read_csv(file.as_bytes()).unwrap().into_iter().map(|address| address.address_line1).collect();
    assert_eq!(lines, ["2 A Road", "1 A Road", "1 A Road"]);
}

#[test]
fn a_file_with_only_a_header_has_no_addresses() {
    assert_eq!(read_csv(HEADER.as_bytes()).unwrap(), []);
}

#[test]
fn all_columns_of_the_header_are_required() {
    assert_eq!(message(""), format!("line 1: the file is empty; expected the header {HEADER}"));
    assert_eq!(
        message("addressLine1,addressLine2,city,City,city,postcode\n"),
        "line 1: unknown column \"City\"\n\
         line 1: the column city is repeated\n\
         line 1: the column addressLine3 is missing\n\
         line 1: the column county is missing"
    );
    assert_eq!(read_csv("a,".repeat(1000).as_bytes()).unwrap_err().faults().len(), MAX_FAULTS);
}

#[test]
fn faults_name_line_and_column() {
    let long = "x".repeat(256);
    let file = with_header(&format!(
        ",,, ,M1 1AE,\n1 A Road,,,Hull,12345,\n1 A Road,,,Hull,M1-1AE,\n1 A Road,{long},,Hull,,\n\
         1 A\0Road,,,Hull,M11AE,\n\
         1 A Road,Hull\n1 A Road,,,Hull,M11AE,,\n"
    ));
    assert_eq!(
        message(file),
        "line 2, addressLine1: is required\n\
         line 2, city: is required\n\
         line 3, postcode: must have the form of a UK postcode, such as SW1A1AA\n\
         line 4, postcode: must be a UK postcode of 5 to 7 letters and digits\n\
         line 5, addressLine2: must be at most 255 characters\n\
         line 5, postcode: is required\n\
         line 6, addressLine1: must not contain NUL\n\
         line 7: expected 6 values, found 2\n\
         line 8: expected 6 values, found 7"
    );
}

#[test]
fn line_numbers_count_quoted_line_ends_and_blank_lines() {
    let file = with_header("\"1\r\n2\r\n3\",,,Hull,M11AE,\r\n\r\n1,,,,M11AE,\r\n");
    assert_eq!(message(file), "line 6, city: is required");
    for end in ["\n", "\r\n"] {
        let file = format!("{end}{HEADER}{end}1,,,Hull,M11AE,{end}1,,,,M11AE,");
        assert_eq!(message(&file), "line 4, city: is required", "{file:?}");
        assert_eq!(message(file + "\"\"" + end), "line 4, city: is required");
    }
}

#[test]
fn lengths_count_characters() {
    let max = "ü".repeat(255);
    assert_eq!(read_csv(with_header(&format!("1,{max},,Hull,M11AE,\n")).as_bytes()).unwrap()[0].address_line2, max);
}

#[test]
fn other_encodings_are_faults() {
    let mut file = with_header("1 Caf").into_bytes();
    file.extend_from_slice(b"\xe9 Road,,,Hull,M11AE,\n");
    assert_eq!(message(file), "line 2, addressLine1: must be UTF-8");
    let utf_16: Vec<u8> = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(message(utf_16).starts_with("line 1: unknown column \"a\\0d\\0"), "a file in UTF-16");
}

#[test]
fn at_most_twenty_faults_are_reported() {
    let fault = read_csv(with_header(&",,,,,\n".repeat(1000)).as_bytes()).unwrap_err();
    assert_eq!(fault.faults().len(), 20);
    assert_eq!(fault.to_string().lines().count(), 20);
}

#[test]
fn the_number_of_rows_is_limited() {
    let file = with_header(&"1,,,X,M11AE,\n".repeat(3));
    assert_eq!(read_at_most(3, file.as_bytes()).unwrap().len(), 3);
    assert_eq!(
        read_at_most(2, file.as_bytes()).unwrap_err().to_string(),
        "line 4: a file must have at most 2 addresses"
    );
    assert_eq!(MAX_ROWS, 1_000_000);
}

#[test]
fn a_read_error_is_reported() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no disk"))
        }
    }
    assert_eq!(read_csv(Broken).unwrap_err().to_string(), "line 1: cannot read the file: no disk");
}

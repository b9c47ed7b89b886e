//! Tests of reading addresses.

use super::*;

const HEADER: &str = "addressLine1,addressLine2,addressLine3,city,postcode,county";

/// What is said of a file that has faults.
fn said(file: impl AsRef<[u8]>) -> String {
    read_csv(file.as_ref()).unwrap_err().to_string()
}

fn with_header(rows: &str) -> String {
    format!("{HEADER}\n{rows}")
}

fn home() -> Address {
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
fn line_ends_marks_and_quotes_do_not_matter() {
    let row = "1 High Street,,,Zürich-on-Sea,m1 1ae,Kent";
    for file in [
        format!("{HEADER}\n{row}\n"),
        format!("{HEADER}\r\n{row}\r\n"),
        format!("{HEADER}\n{row}"),
        format!("\u{feff}{HEADER}\r\n{row}"),
        format!("{HEADER}\n\n{row}\n\n"),
        format!("{HEADER}\n\"1 High Street\",\"\",,\"Zürich-on-Sea\", M1 1AE ,Kent"),
    ] {
        assert_eq!(read_csv(file.as_bytes()).unwrap(), [home()], "{file:?}");
    }
}

#[test]
fn columns_come_in_any_order() {
    let file =
        "postcode,county,city,addressLine3,addressLine2,addressLine1\nM1 1AE,Kent,Zürich-on-Sea,,,1 High Street\n";
    assert_eq!(read_csv(file.as_bytes()).unwrap(), [home()]);
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
    let lines: Vec<_> = read_csv(file.as_bytes()).unwrap().into_iter().map(|one| one.address_line1).collect();
    assert_eq!(lines, ["2 A Road", "1 A Road", "1 A Road"]);
}

#[test]
fn a_header_alone_has_no_addresses() {
    assert_eq!(read_csv(HEADER.as_bytes()).unwrap(), []);
}

#[test]
fn a_header_is_needed_and_all_of_it() {
    assert_eq!(said(""), format!("line 1: the file is empty; a header is wanted: {HEADER}"));
    assert_eq!(
        said("addressLine1,addressLine2,city,City,city,postcode\n"),
        "line 1: the column \"City\" is not known\n\
         line 1: the column city is there twice\n\
         line 1: the column addressLine3 is missing\n\
         line 1: the column county is missing"
    );
    assert_eq!(read_csv("a,".repeat(1000).as_bytes()).unwrap_err().faults().len(), MAX_FAULTS);
}

#[test]
fn faults_name_line_and_column() {
    let long = "x".repeat(256);
    let file = with_header(&format!(
        ",,, ,M1 1AE,\n1 A Road,,,Hull,12345,\n1 A Road,,,Hull,M1-1AE,\n1 A Road,{long},,Hull,,\n1 A\0Road,,,Hull,M11AE,\n\
         1 A Road,Hull\n1 A Road,,,Hull,M11AE,,\n"
    ));
    assert_eq!(
        said(file),
        "line 2, addressLine1: this value is required\n\
         line 2, city: this value is required\n\
         line 3, postcode: This is not of the shape of a UK postcode.\n\
         line 4, postcode: A UK postcode of 5 to 7 letters and digits is wanted.\n\
         line 5, addressLine2: at most 255 characters are allowed\n\
         line 5, postcode: this value is required\n\
         line 6, addressLine1: the NUL character is not allowed\n\
         line 7: 6 values are wanted, 2 found\n\
         line 8: 6 values are wanted, 7 found"
    );
}

#[test]
fn lines_are_counted_over_quotes_and_blank_lines() {
    let file = with_header("\"1\r\n2\r\n3\",,,Hull,M11AE,\r\n\r\n1,,,,M11AE,\r\n");
    assert_eq!(said(file), "line 6, city: this value is required");
    for end in ["\n", "\r\n"] {
        let file = format!("{end}{HEADER}{end}1,,,Hull,M11AE,{end}1,,,,M11AE,");
        assert_eq!(said(&file), "line 4, city: this value is required", "{file:?}");
        assert_eq!(said(file + "\"\"" + end), "line 4, city: this value is required");
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
    assert_eq!(said(file), "line 2, addressLine1: this is not UTF-8");
    let utf_16: Vec<u8> = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(said(utf_16).starts_with("line 1: the column \"a\\0d\\0"), "a file in UTF-16");
}

#[test]
fn twenty_faults_are_enough() {
    let fault = read_csv(with_header(&",,,,,\n".repeat(1000)).as_bytes()).unwrap_err();
    assert_eq!(fault.faults().len(), 20);
    assert_eq!(fault.to_string().lines().count(), 20);
}

#[test]
fn rows_have_a_limit() {
    let file = with_header(&"1,,,X,M11AE,\n".repeat(3));
    assert_eq!(read_at_most(3, file.as_bytes()).unwrap().len(), 3);
    assert_eq!(read_at_most(2, file.as_bytes()).unwrap_err().to_string(), "line 4: a file has at most 2 addresses");
    assert_eq!(MAX_ROWS, 1_000_000);
}

#[test]
fn a_file_that_breaks_off_is_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no disk"))
        }
    }
    assert_eq!(read_csv(Broken).unwrap_err().to_string(), "line 1: the file can't be read: no disk");
}

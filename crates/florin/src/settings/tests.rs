//! Tests of precedence, and of messages about invalid values.

use super::*;
use secrecy::ExposeSecret;
use std::ffi::OsString;
use std::fs;

/// Loads settings from flags, variables and the text of a file.
fn load(flags: &[(&'static str, &str)], variables: &[(&str, &str)], file: &str) -> Result<Settings, UsageError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("florin.toml");
    fs::write(&path, file).unwrap();
    let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let sources = Sources::gather(CommandLineSettings { flags, file: Some(path) }, variables)?;
    Settings::from_texts(&sources.merge()?, sources.warnings())
}

fn refused(flags: &[(&'static str, &str)], variables: &[(&str, &str)], file: &str) -> String {
    let said = load(flags, variables, file).unwrap_err().to_string();
    assert!(!said.contains('\n'), "one line: {said}");
    said
}

#[test]
fn defaults_are_those_of_a_sandbox_on_this_machine() {
    let settings = load(&[], &[("PATH", "/bin")], "").unwrap();
    assert!(settings.environment.is_none());
    assert_eq!(settings.database_url.value.expose_secret(), "sqlite://florin.db");
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!((settings.public_url, settings.log, settings.log_format), (None, None, LogFormat::Text));
    assert_eq!((settings.metrics, settings.rate_limit, settings.max_connections), (false, None, 1024));
    assert!(settings.workers >= 1);
    assert_eq!(settings.shutdown, Duration::from_secs(30));
    assert_eq!(settings.postcode_cache, Duration::ZERO);
    assert_eq!(settings.events, TimeDelta::days(30));
    assert_eq!((settings.idempotency, settings.warnings), (TimeDelta::hours(48), Vec::<String>::new()));
}

#[test]
fn flags_override_variables_and_variables_override_the_file() {
    let file = "listen = \"127.0.0.1:1\"\nworkers = 1\nmetrics = true\nrate_limit = 5\n";
    let variables = [("FLORIN_LISTEN", "127.0.0.1:2"), ("FLORIN_WORKERS", "2")];
    let settings = load(&[("listen", "127.0.0.1:3")], &variables, file).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:3");
    assert_eq!(settings.workers, 2);
    assert!(settings.metrics);
    assert_eq!(settings.rate_limit, NonZeroU32::new(5));
    assert_eq!(load(&[], &variables, file).unwrap().listen.to_string(), "127.0.0.1:2");
    assert_eq!(load(&[], &[], file).unwrap().listen.to_string(), "127.0.0.1:1");
}

#[test]
fn every_setting_can_be_set_by_flag_variable_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let url_file = folder.path().join("url");
    fs::write(&url_file, "sqlite:///tmp/x.db\n").unwrap();
    let url_file = url_file.to_str().unwrap();
    let key_file = folder.path().join("key");
    fs::write(&key_file, format!("{}\n", "1".repeat(64))).unwrap();
    let key_file = key_file.to_str().unwrap();
    let cells_file = folder.path().join("cells");
    fs::write(&cells_file, "a=sqlite://a.db\nb=postgres://u:p@h/d\n").unwrap();
    let cells_file = cells_file.to_str().unwrap();
    let texts = [
        ("environment", "production"),
        ("database_url_file", url_file),
        ("cells_file", cells_file),
        ("secret_key_file", key_file),
        ("secret_key_previous_file", key_file),
        ("listen", "[::1]:9000"),
        ("admin_listen", "off"),
        ("public_url", "https://api.example.com/florin/"),
        ("cors_origins", "https://app.example.com,http://localhost:3000"),
        ("log", "info,florin=debug"),
        ("log_format", "json"),
        ("metrics", "true"),
        ("rate_limit", "off"),
        ("max_connections", "10"),
        ("max_connections_per_address", "12"),
        ("max_in_flight", "11"),
        ("max_cards", "13"),
        ("workers", "3"),
        ("drain_seconds", "4"),
        ("shutdown_seconds", "0"),
        ("postcode_cache_seconds", "0"),
        ("idempotency_hours", "24"),
        ("event_days", "17"),
        ("sort_codes_folder", "/srv/sort-codes"),
        ("world_hours", "12"),
        ("max_budgets", "7"),
        ("max_people", "8"),
        ("max_checkouts", "5"),
        ("max_payees", "6"),
        ("max_networks", "9"),
        ("webhook_allowed_networks", "172.18.0.0/16, fd00::/8"),
        ("webhook_retries", "original"),
    ];
    // Each of these can be given directly or in a file, but not both.
    let direct = ["database_url", "cells", "secret_key", "secret_key_previous"];
    assert_eq!(
        texts.map(|(key, _)| key).to_vec(),
        KEYS.into_iter().filter(|key| !direct.contains(key)).collect::<Vec<_>>()
    );
    let variables: Vec<_> = texts.iter().map(|(key, text)| (variable(key), *text)).collect();
    let variables: Vec<_> = variables.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let file = texts.map(|(key, text)| format!("{key} = {text:?}\n")).concat();
    let [by_flag, by_variable, by_file] = [load(&texts, &[], ""), load(&[], &variables, ""), load(&[], &[], &file)]
        .map(|settings| format!("{:?}", settings.unwrap()));
    assert!(by_flag.contains("Production") && by_flag.contains("\"https://api.example.com/florin\""), "{by_flag}");
    assert_eq!((&by_flag, &by_flag), (&by_variable, &by_file));
}

#[test]
fn the_error_for_an_invalid_value_names_the_setting_and_the_valid_values() {
    for (key, text, allowed) in [
        ("environment", "staging", "sandbox or production"),
        ("environment", "Production", "sandbox or production"),
        ("environment", "", "sandbox or production"),
        ("listen", "8080", "127.0.0.1:8080"),
        ("admin_listen", "none", "127.0.0.1:8079"),
        ("max_connections_per_address", "0", "from 1"),
        ("cors_origins", "*", "https://app.example.com"),
        ("cors_origins", "https://app.example.com/", "https://app.example.com"),
        ("listen", "127.0.0.1:65536", "127.0.0.1:8080"),
        ("listen", "localhost", "localhost:8080"),
        ("public_url", "api.example.com", "https://"),
        ("public_url", "https://a'b", "https://"),
        ("public_url", "https://", "https://"),
        ("log", "loud", "info"),
        ("log", "", "info"),
        ("log", "florin=loud", "info"),
        ("log_format", "xml", "text or json"),
        ("metrics", "maybe", "true or false"),
        ("rate_limit", "0", "off"),
        ("rate_limit", "-1", "off"),
        ("max_connections", "0", "from 1 to"),
        ("workers", "1.5", "from 1 to 256"),
        ("workers", "257", "from 1 to 256"),
        ("shutdown_seconds", "-1", "from 0"),
        ("postcode_cache_seconds", "a day", "from 0"),
        ("idempotency_hours", "23", "from 24"),
        ("event_days", "3", "from 4 to 3650"),
        ("world_hours", "0", "from 1 to 8760"),
        ("max_budgets", "0", "from 1 to"),
        ("webhook_allowed_networks", "172.18.0.1/33", "172.18.0.0/16"),
        ("webhook_allowed_networks", "example.com", "172.18.0.0/16"),
        ("webhook_retries", "never", "standard or original"),
        ("sort_codes_folder", "", "valacdos.txt"),
    ] {
        let quoted = format!("{text:?}");
        let said = refused(&[(key, text)], &[], "");
        assert!(said.starts_with(&format!("--{}", key.replace('_', "-"))), "{said}");
        assert!(said.contains(&quoted) && said.contains(allowed), "{said}");
        let variable = variable(key);
        let said = refused(&[], &[(&variable, text)], "");
        assert!(said.starts_with(&variable) && said.contains(&quoted) && said.contains(allowed), "{said}");
        let said = refused(&[], &[], &format!("{key} = {text:?}"));
        assert!(said.starts_with(&format!("{key} in ")) && said.contains(&quoted), "{said}");
    }
}

#[test]
fn events_are_kept_as_long_as_retries_need_them() {
    let said = refused(&[("event_days", "13"), ("webhook_retries", "original")], &[], "");
    assert!(said.contains("from 14 to 3650"), "{said}");
    assert!(load(&[("event_days", "14"), ("webhook_retries", "original")], &[], "").is_ok());
    assert!(load(&[("event_days", "4")], &[], "").is_ok());
}

#[test]
fn the_error_for_an_invalid_file_is_one_line() {
    let said = refused(&[], &[], "listne = \"127.0.0.1:1\"");
    assert!(said.ends_with("unknown setting `listne`; did you mean `listen`?"), "{said}");
    let said = refused(&[], &[], "[server]\nlisten = \"127.0.0.1:1\"");
    assert!(said.contains("unknown setting `server`; the settings are environment, "), "{said}");
    let said = refused(&[], &[], "listen = ");
    assert!(said.contains("florin.toml") && said.contains("line 1"), "{said}");
    let said = refused(&[], &[], "workers = [1]");
    assert!(said.contains("workers in ") && said.contains("single value"), "{said}");
    let missing = CommandLineSettings { flags: Vec::new(), file: Some("/nowhere/florin.toml".into()) };
    let said = Sources::gather(missing, std::iter::empty()).err().unwrap().to_string();
    assert!(said.contains("/nowhere/florin.toml"), "{said}");
}

#[test]
fn an_unknown_variable_is_a_warning() {
    let settings = load(&[], &[("FLORIN_LISTNE", "x"), ("FLORINA", "y")], "").unwrap();
    assert!(
        matches!(&settings.warnings[..], [only] if only.contains("FLORIN_LISTNE; did you mean FLORIN_LISTEN?")),
        "{:?}",
        settings.warnings
    );
}

#[test]
fn errors_show_the_source_of_the_database_url_but_not_the_url() {
    let settings = load(&[("database_url", "postgres://florin:hunter2@db/florin")], &[], "").unwrap();
    assert_eq!(settings.database_url.source, "--database-url");
    assert!(!format!("{settings:?}").contains("hunter2"));
    let said = refused(&[], &[("FLORIN_DATABASE_URL", " ")], "");
    assert!(said.starts_with("FLORIN_DATABASE_URL"), "{said}");
}

#[test]
fn the_base_url_can_be_used_by_clients() {
    let settings = load(&[], &[], "").unwrap();
    for (listen, base) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v2"),
        ("0.0.0.0:80", "http://127.0.0.1:80/v2"),
        ("[::]:8080", "http://[::1]:8080/v2"),
        ("192.0.2.1:8080", "http://192.0.2.1:8080/v2"),
    ] {
        assert_eq!(settings.base_url(listen.parse().unwrap()), base);
    }
    assert_eq!(load(&[("listen", "localhost:1")], &[], "").unwrap().expected_base_url(), "http://localhost:1/v2");
    let settings = load(&[("public_url", "https://api.example.com/")], &[], "").unwrap();
    assert_eq!(settings.expected_base_url(), "https://api.example.com/v2");
}

#[test]
fn the_url_of_the_database_may_be_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("url");
    let file = path.to_str().unwrap();
    let said = refused(&[("database_url_file", file)], &[], "");
    assert!(said.starts_with("--database-url-file: cannot read"), "{said}");
    fs::write(&path, "postgres://me:secret@db/florin\n").unwrap();
    let settings = load(&[], &[("FLORIN_DATABASE_URL_FILE", file)], "").unwrap();
    assert_eq!(settings.database_url.value.expose_secret(), "postgres://me:secret@db/florin");
    assert_eq!(settings.database_url.source, "FLORIN_DATABASE_URL_FILE");
    let said = refused(&[], &[("FLORIN_DATABASE_URL_FILE", file), ("FLORIN_DATABASE_URL", "sqlite://x")], "");
    assert!(said.contains("both set") && !said.contains("secret"), "{said}");
}

#[test]
fn a_flag_for_the_database_overrides_a_variable_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("url");
    fs::write(&path, "sqlite://url-file.db").unwrap();
    let url_file = path.to_str().unwrap();
    let url = |flags: &[(&'static str, &str)], variables: &[(&str, &str)], text: &str| {
        load(flags, variables, text).unwrap().database_url.value.expose_secret().to_owned()
    };
    let file_variable = [("FLORIN_DATABASE_URL_FILE", url_file)];
    assert_eq!(url(&[("database_url", "sqlite://flag.db")], &file_variable, ""), "sqlite://flag.db");
    assert_eq!(
        url(&[("database_url_file", url_file)], &[("FLORIN_DATABASE_URL", "sqlite://x.db")], ""),
        "sqlite://url-file.db"
    );
    assert_eq!(url(&[], &file_variable, "database_url = \"sqlite://toml.db\""), "sqlite://url-file.db");
    let said = refused(&[("database_url", "sqlite://x.db"), ("database_url_file", url_file)], &[], "");
    assert!(said.contains("both set"), "{said}");
}

#[test]
fn a_password_in_the_arguments_is_a_warning() {
    let warnings = |url: &str| load(&[("database_url", url)], &[], "").unwrap().warnings;
    for url in [
        "postgres://me:hunter2@db/florin",
        "postgres://db/florin?user=me&password=hunter2",
        "postgres://me:hun/ter2@db/florin",
        "postgres://me:hun?ter2@db/florin",
        "postgres://me:hun ter2@db/florin",
        "postgres:me:hunter2@db/florin",
    ] {
        let said = warnings(url).join(" ");
        assert!(said.contains("FLORIN_DATABASE_URL_FILE") && !said.contains("hunter2"), "{said}");
    }
    for url in ["sqlite://florin.db", "postgres://me@db:5432/florin", "postgres://db:5432/florin"] {
        assert_eq!(warnings(url), Vec::<String>::new(), "{url}");
    }
    let by_variable = load(&[], &[("FLORIN_DATABASE_URL", "postgres://me:hunter2@db/florin")], "").unwrap();
    assert_eq!(by_variable.warnings, Vec::<String>::new());
}

#[test]
fn a_secret_key_is_64_hexadecimal_digits_and_never_shown() {
    let key = "0123456789abcdef".repeat(4);
    let settings = load(&[], &[("FLORIN_SECRET_KEY", &key)], "").unwrap();
    assert_eq!(settings.secret_key.as_ref().unwrap().source, "FLORIN_SECRET_KEY");
    assert!(!format!("{settings:?}").contains("0123456789abcdef"));
    for wrong in ["", "hunter2", &key[1..], &key.replace('0', "x")] {
        let said = refused(&[], &[("FLORIN_SECRET_KEY", wrong)], "");
        assert!(said.starts_with("FLORIN_SECRET_KEY must be a key of 64 hexadecimal digits"), "{said}");
        assert!(wrong.is_empty() || !said.contains(wrong), "{said}");
    }
}

#[test]
fn cells_are_read_and_never_quoted() {
    let text = "eu-1=sqlite://eu.db  b=postgres://ada:secret@db/florin?sslmode=disable";
    let settings = load(&[], &[("FLORIN_CELLS", text)], "").unwrap();
    let cells: Vec<_> = settings.cells.iter().map(|cell| (cell.name.as_str(), cell.url.source.as_str())).collect();
    assert_eq!(cells, [("eu-1", "FLORIN_CELLS: cell eu-1"), ("b", "FLORIN_CELLS: cell b")]);
    assert_eq!(settings.cells[1].url.value.expose_secret(), "postgres://ada:secret@db/florin?sslmode=disable");
    assert!(!format!("{settings:?}").contains("secret@"), "{settings:?}");
    assert!(load(&[], &[("FLORIN_CELLS", " ")], "").unwrap().cells.is_empty());
    for (text, said) in [
        ("postgres://ada:secret@db/florin", "NAME=URL"),
        ("postgres://ada:secret@db/florin?password=secret", "NAME=URL"),
        ("a=", "NAME=URL"),
        ("EU=sqlite://secret.db", "lower-case"),
        ("home=sqlite://secret.db", "can't be home"),
        ("a=sqlite://secret.db a=sqlite://2.db", "cell a: this name is given twice"),
        ("a=sqlite://secret.db b=sqlite://secret.db", "cell b: another cell has the same URL"),
        ("a=sqlite://florin.db", "cell a: its URL is that of the home"),
    ] {
        let refusal = refused(&[], &[("FLORIN_CELLS", text)], "");
        assert!(refusal.starts_with("FLORIN_CELLS") && refusal.contains(said), "{refusal}");
        assert!(!refusal.contains("secret"), "{refusal}");
    }
    let warnings = load(&[("cells", text)], &[], "").unwrap().warnings;
    assert!(warnings.iter().any(|warning| warning.contains("--cells") && warning.contains("FLORIN_CELLS_FILE")));
}

#[test]
fn a_url_for_people_has_no_password() {
    for (url, shown) in [
        ("postgres://ada:secret@db:5433/florin?password=secret", "postgres://db:5433/florin"),
        ("postgres:///florin?host=/tmp", "postgres:///florin"),
        ("postgres://ada:se?cret@a:1,[::1]:2/florin", "postgres://a:1,[::1]:2/florin"),
        ("postgres://ada:se/cret@db/florin", "?"),
        ("postgres://ada:1/secret@db/florin", "?"),
        ("postgres://ada:se@cret@db/florin", "?"),
        ("postgres://ada:se cret@db/florin", "?"),
        ("postgres://db:secret/florin", "?"),
        ("postgres://[::1]secret/florin", "?"),
        ("postgres:ada:secret@db/florin", "?"),
        ("//ada:secret@db/florin", "?"),
        ("sqlite:a@b.db", "sqlite:a@b.db"),
        ("sqlite://a?b.db", "sqlite://a?b.db"),
        ("a.db", "a.db"),
    ] {
        assert_eq!(without_password(url), shown);
    }
}

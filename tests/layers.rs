//! Checks which crate may depend on which, and a few rules about the sources. See `docs/ARCHITECTURE.md`.
//!
//! A forbidden dependency fails a test, so that reviews need not look for it. The rules are plain functions of plain
//! values, so that the tests at the end can prove that each rule can fail.
#![expect(clippy::unwrap_used, reason = "a test may stop when its assumptions are wrong")]

mod dependencies;

#[path = "layers/cycles.rs"]
mod cycles;

#[path = "layers/examples.rs"]
mod examples;

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A crate, and the dependencies that it may have.
struct CrateRule {
    name: &'static str,
    /// Crates of this workspace that it may depend on.
    workspace: &'static [&'static str],
    outside: Outside,
}

/// Allowed packages from outside the workspace.
enum Outside {
    /// Only these.
    Only(&'static [&'static str]),
    /// All except those whose name starts with one of these.
    Not(&'static [&'static str]),
}

const DOMAIN: &str = "florin-domain";
const PORTS: &str = "florin-ports";
const APPLICATION: &str = "florin-application";
const STORE_CONTRACT: &str = "florin-store-contract";
const SHORT_CACHE: &str = "florin-short-cache";
const PAGES: &str = "florin-pages";

/// Packages that a provider must not use, because they belong to HTTP, storage or the binary.
const PROVIDERS_NEVER: Outside = Outside::Not(&["actix", "anyhow", "clap", "config", "diesel", "r2d2"]);

const CRATE_RULES: &[CrateRule] = &[
    CrateRule {
        name: DOMAIN,
        workspace: &[],
        outside: Outside::Only(&[
            "base64",
            "bigdecimal",
            "chrono",
            "deunicode",
            "iban_validate",
            "ipnet",
            "iso_currency",
            "rust_iso3166",
            "serde",
            "sha2",
            "thiserror",
            "url",
            "uuid",
        ]),
    },
    CrateRule {
        name: PORTS,
        workspace: &[DOMAIN],
        outside: Outside::Only(&["async-trait", "chrono", "mockall (optional)", "thiserror", "uuid"]),
    },
    CrateRule {
        name: APPLICATION,
        workspace: &[DOMAIN, PORTS],
        outside: Outside::Only(&[
            "async-trait",
            "chrono",
            "futures-util",
            "hmac",
            "ipnet",
            "sha2",
            "thiserror",
            "tracing",
            "uuid",
        ]),
    },
    CrateRule {
        name: STORE_CONTRACT,
        workspace: &[DOMAIN, PORTS],
        outside: Outside::Only(&["chrono", "serde", "serde_json", "sha2", "thiserror"]),
    },
    CrateRule {
        name: "florin-store-diesel",
        workspace: &[DOMAIN, PORTS, STORE_CONTRACT],
        outside: Outside::Not(&["actix", "anyhow", "clap", "config"]),
    },
    CrateRule {
        name: "florin-store-memory",
        workspace: &[DOMAIN, PORTS],
        outside: Outside::Only(&["async-trait", "chrono"]),
    },
    CrateRule {
        name: "florin-store-cells",
        workspace: &[DOMAIN, PORTS, SHORT_CACHE],
        outside: Outside::Only(&["async-trait", "chrono", "futures-util", "tokio", "tracing"]),
    },
    CrateRule {
        name: "florin-store-conformance",
        workspace: &[DOMAIN, PORTS],
        outside: Outside::Only(&["async-trait", "chrono", "proptest", "tokio", "uuid"]),
    },
    CrateRule { name: "florin-bank-sandbox", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: SHORT_CACHE, workspace: &[], outside: Outside::Only(&["moka", "tokio"]) },
    CrateRule { name: "florin-access-cache", workspace: &[DOMAIN, PORTS, SHORT_CACHE], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-logo-images", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-mfa", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-secret-cipher", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-webhook-http", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-rates-sandbox", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-postcode-embedded", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: "florin-postcode-guard", workspace: &[DOMAIN, PORTS], outside: PROVIDERS_NEVER },
    CrateRule { name: PAGES, workspace: &[DOMAIN], outside: Outside::Only(&["askama", "chrono", "qrcode"]) },
    CrateRule {
        name: "florin-http-actix",
        workspace: &[DOMAIN, PORTS, APPLICATION, SHORT_CACHE, PAGES],
        outside: Outside::Not(&["anyhow", "clap", "config", "diesel", "libsqlite3-sys", "r2d2"]),
    },
    CrateRule {
        name: "florin",
        workspace: &[
            DOMAIN,
            PORTS,
            APPLICATION,
            SHORT_CACHE,
            STORE_CONTRACT,
            "florin-access-cache",
            "florin-store-cells",
            "florin-store-diesel",
            "florin-bank-sandbox",
            "florin-logo-images",
            "florin-mfa",
            "florin-rates-sandbox",
            "florin-secret-cipher",
            "florin-postcode-embedded",
            "florin-postcode-guard",
            "florin-webhook-http",
            "florin-http-actix",
        ],
        outside: Outside::Not(&["diesel"]),
    },
    // It runs parts of the product on a simulated machine, and is not part of the product.
    CrateRule {
        name: "florin-simulation",
        workspace: &[DOMAIN, PORTS, APPLICATION, STORE_CONTRACT, "florin-store-diesel", "florin-bank-sandbox"],
        outside: Outside::Not(&["actix", "anyhow", "clap", "config", "diesel", "r2d2"]),
    },
    CrateRule { name: "florin-example-rules", workspace: &[DOMAIN], outside: Outside::Only(&[]) },
    // It measures the binary from outside, so it uses no crate of the workspace.
    CrateRule {
        name: "florin-bench",
        workspace: &[],
        outside: Outside::Only(&["anyhow", "httparse", "mio", "postgres", "rusqlite", "signal-hook", "tempfile"]),
    },
];

/// Maximum length of a source file, in lines.
const MAX_LINES: usize = 500;
/// Maximum length of a line of a source file, in characters. `rustfmt` breaks neither texts nor macros.
const MAX_CHARACTERS: usize = 120;
/// Crates that handle money: they must not use binary floats.
const NO_FLOATS: [&str; 5] =
    ["crates/domain", "crates/ports", "crates/application", "crates/bank-sandbox", "crates/store-diesel"];

/// One dependency.
struct Dependency {
    to: String,
    /// Whether `to` is a crate of this workspace.
    inside: bool,
    optional: bool,
}

/// Finds forbidden dependencies of a crate.
fn forbidden_dependencies(rules: &[CrateRule], from: &str, dependencies: &[Dependency]) -> Vec<String> {
    let Some(rule) = rules.iter().find(|rule| rule.name == from) else {
        return vec![format!("{from} is not listed in tests/layers.rs: add what it may depend on")];
    };
    let refused = |dependency: &Dependency| {
        let to = dependency.to.as_str();
        if dependency.inside {
            let allowed = rule.workspace.join(", ");
            return (!rule.workspace.contains(&to))
                .then(|| format!("{from} must not depend on {to} (only on: {allowed})"));
        }
        match rule.outside {
            Outside::Only(allowed) => {
                let optional = format!("{to} (optional)");
                let ok = allowed.contains(&to) || (dependency.optional && allowed.contains(&optional.as_str()));
                (!ok).then(|| format!("{from} must not use the package {to} (only: {})", allowed.join(", ")))
            }
            Outside::Not(refused) => refused
                .iter()
                .any(|start| to.starts_with(start))
                .then(|| format!("{from} must not use the package {to} (never: {})", refused.join(", "))),
        }
    };
    dependencies.iter().filter_map(refused).collect()
}

/// A path through a module's grandparent. It is hard to read, and changes its meaning when its file moves.
const GRANDPARENT: &str = concat!("super", "::super");

/// Whether a line is a comment that consists of one link. A link cannot be broken, so this line may be longer than
/// [`MAX_CHARACTERS`].
fn is_link(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['/', '!']).trim();
    line.trim_start().starts_with("//")
        && text.starts_with("<https://")
        && text.ends_with('>')
        && !text.contains(char::is_whitespace)
}

/// Finds violations in a source file.
fn wrong_source(path: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let lines = text.lines().count();
    if lines > MAX_LINES {
        wrong.push(format!("{path} has {lines} lines, more than {MAX_LINES}: split it"));
    }
    let handles_money = NO_FLOATS.iter().any(|money| path.starts_with(money));
    for (number, line) in text.lines().enumerate() {
        let characters = line.chars().count();
        if characters > MAX_CHARACTERS && !is_link(line) {
            let number = number + 1;
            wrong.push(format!("{path}:{number} has {characters} characters, more than {MAX_CHARACTERS}: break it"));
        }
        let code = line.split("//").next().unwrap_or_default();
        if code.contains(GRANDPARENT) {
            let hint = "write the path from `crate`, or import a name";
            wrong.push(format!("{path}:{} contains {GRANDPARENT}: {hint}", number + 1));
        }
        if handles_money {
            let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| word.ends_with("f64") || word.ends_with("f32")) {
                wrong.push(format!("{path}:{} uses a binary float in a crate that handles money", number + 1));
            }
        }
    }
    wrong
}

/// Finds violations in a crate's manifest.
fn wrong_manifest(path: &str, text: &str) -> Option<String> {
    let shares = text.replace("\r\n", "\n").contains("[lints]\nworkspace = true");
    (!shares).then(|| format!("{path} must have `[lints] workspace = true`"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns all Rust sources of the repository by path.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut folders =
        vec![root.join("crates"), root.join("tests"), root.join("bench/src"), root.join("examples/rules/src")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n\n{}\n", wrong.join("\n"));
}

/// Diesel treats two migrations with the same number as one.
#[test]
fn each_migration_has_its_own_number_and_exists_for_both_databases() {
    let names = |database: &str| {
        let folders = fs::read_dir(root().join("migrations").join(database)).unwrap();
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    let (sqlite, postgres) = (names("sqlite"), names("postgres"));
    assert_eq!(sqlite, postgres);
    let numbers: BTreeSet<_> = sqlite.iter().map(|name| name.split('_').next().unwrap()).collect();
    assert_eq!(numbers.len(), sqlite.len(), "{sqlite:?}");
}

#[test]
fn every_dependency_is_allowed() {
    let manifest = root().join("Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec().unwrap();
    let names: Vec<String> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let is_not_for_tests = |kind| matches!(kind, DependencyKind::Normal | DependencyKind::Build);
        let dependencies: Vec<Dependency> = package
            .dependencies
            .iter()
            .filter(|dependency| is_not_for_tests(dependency.kind))
            .map(|dependency| Dependency {
                to: dependency.name.clone(),
                inside: names.contains(&dependency.name),
                optional: dependency.optional,
            })
            .collect();
        wrong.extend(forbidden_dependencies(CRATE_RULES, package.name.as_str(), &dependencies));
        wrong.extend(wrong_manifest(
            package.manifest_path.as_str(),
            &fs::read_to_string(&package.manifest_path).unwrap(),
        ));
    }
    for rule in CRATE_RULES.iter().filter(|rule| !names.iter().any(|name| name == rule.name)) {
        wrong.push(format!("{} is listed in tests/layers.rs, but there is no such crate", rule.name));
    }
    assert_none(&wrong);
}

#[test]
fn every_source_follows_the_rules() {
    let sources = sources(&root());
    assert!(sources.iter().any(|(path, _)| path == "crates/domain/src/lib.rs"), "the sources were not found");
    assert_none(&sources.iter().flat_map(|(path, text)| wrong_source(path, text)).collect::<Vec<_>>());
}

#[test]
fn every_decision_of_the_domain_has_an_example() {
    let sources = sources(&root());
    let domain = sources.iter().filter(|(path, _)| path.starts_with("crates/domain/src/"));
    assert_none(&domain.flat_map(|(path, text)| examples::missing_examples(path, text)).collect::<Vec<_>>());
}

#[test]
fn the_files_of_a_crate_import_each_other_without_cycles() {
    let mut crates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in sources(&root()) {
        if let Some((name, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) {
            crates.entry(name.to_owned()).or_default().push((file.to_owned(), text));
        }
    }
    assert!(crates.contains_key("domain"), "the sources were not found");
    for (name, files) in crates {
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        let cycles = cycles::Modules::read(&files).cycles();
        assert_none(&cycles.iter().map(|cycle| format!("{name}: {cycle}")).collect::<Vec<_>>());
    }
}

/// An exception for a message that no longer exists would hide the refusals of a later message.
#[test]
fn every_exception_for_generated_requests_is_part_of_a_message() {
    let checks = fs::read_to_string(root().join("scripts/openapi-tools/checks.py")).unwrap();
    let (_, listed) = checks.split_once("\nMESSAGES = (\n").unwrap();
    let (listed, _) = listed.split_once("\n\n\n").unwrap();
    // The other texts in quotes name operations.
    let messages: Vec<_> = listed.split('"').skip(1).step_by(2).filter(|text| !text.contains(" /v2/")).collect();
    assert!(messages.len() > 20, "the messages were not found");
    for part in [", the type of the checkout", "must be left out for BUDGET"] {
        assert!(messages.contains(&part), "\"{part}\" was not found");
    }
    let sources = sources(&root());
    let program = sources.iter().filter(|(path, _)| path.starts_with("crates/")).flat_map(|(_, text)| text.lines());
    let code: Vec<_> = program.filter(|line| !line.trim_start().starts_with("//")).collect();
    let unknown = messages.iter().filter(|message| !code.iter().any(|line| line.contains(**message)));
    assert_none(&unknown.map(|message| format!("no message contains \"{message}\"")).collect::<Vec<_>>());
}

/// Tests that each rule can fail, with a reason.
mod rules {
    use super::*;

    fn dependency(to: &str, inside: bool) -> Dependency {
        Dependency { to: to.into(), inside, optional: false }
    }

    #[test]
    fn an_outward_dependency_is_refused() {
        let wrong = forbidden_dependencies(
            CRATE_RULES,
            APPLICATION,
            &[dependency(DOMAIN, true), dependency("florin-store-diesel", true)],
        );
        let error = "florin-application must not depend on florin-store-diesel (only on: florin-domain, florin-ports)";
        assert_eq!(wrong, [error]);
        for (from, to) in [
            (DOMAIN, PORTS),
            (PORTS, APPLICATION),
            ("florin-http-actix", "florin-store-diesel"),
            ("florin-store-diesel", "florin-http-actix"),
            ("florin-store-diesel", APPLICATION),
            ("florin-postcode-guard", "florin-postcode-embedded"),
            ("florin-mfa", "florin"),
        ] {
            assert_eq!(forbidden_dependencies(CRATE_RULES, from, &[dependency(to, true)]).len(), 1, "{from} -> {to}");
        }
    }

    #[test]
    fn a_forbidden_package_is_refused() {
        let wrong =
            forbidden_dependencies(CRATE_RULES, DOMAIN, &[dependency("uuid", false), dependency("tokio", false)]);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("florin-domain must not use the package tokio (only: base64, "), "{wrong:?}");
        for (from, to) in [
            (PORTS, "anyhow"),
            (PORTS, "mockall"),
            (APPLICATION, "tokio"),
            ("florin-http-actix", "diesel_migrations"),
            ("florin-store-diesel", "actix-web"),
            ("florin-mfa", "diesel"),
            ("florin", "diesel"),
        ] {
            assert_eq!(forbidden_dependencies(CRATE_RULES, from, &[dependency(to, false)]).len(), 1, "{from} -> {to}");
        }
        let optional = Dependency { optional: true, ..dependency("mockall", false) };
        assert_eq!(forbidden_dependencies(CRATE_RULES, PORTS, &[optional]), [""; 0]);
    }

    #[test]
    fn an_unlisted_crate_is_refused() {
        let wrong = forbidden_dependencies(CRATE_RULES, "florin-shed", &[]);
        assert_eq!(wrong, ["florin-shed is not listed in tests/layers.rs: add what it may depend on"]);
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        assert_eq!(wrong_source("crates/mfa/src/lib.rs", &"\n".repeat(500)), [""; 0]);
        let wrong = wrong_source("crates/mfa/src/lib.rs", &"\n".repeat(501));
        assert_eq!(wrong, ["crates/mfa/src/lib.rs has 501 lines, more than 500: split it"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let error = ["crates/mfa/src/lib.rs:2 has 121 characters, more than 120: break it"];
        for (line, is_refused) in [
            ("£".repeat(120), false),
            ("£".repeat(121), true),
            (format!("// {}", "a".repeat(118)), true),
            (format!("//! <https://{}>", "a".repeat(107)), false),
            (format!("//! <https://{} >", "a".repeat(106)), true),
            (format!("    <https://{}>", "a".repeat(107)), true),
        ] {
            let expected: &[&str] = if is_refused { &error } else { &[] };
            assert_eq!(wrong_source("crates/mfa/src/lib.rs", &format!("\n{line}\n")), expected, "{line}");
        }
    }

    #[test]
    fn a_path_through_the_grandparent_is_refused() {
        let import = format!("use {GRANDPARENT}::Context;\n");
        let error = "crates/mfa/src/lib.rs:2 contains super";
        let wrong = wrong_source("crates/mfa/src/lib.rs", &format!("\n{import}// {import}"));
        assert!(wrong.len() == 1 && wrong[0].starts_with(error), "{wrong:?}");
        assert_eq!(wrong_source("crates/mfa/src/lib.rs", "use super::Context;\nuse crate::a;\n"), [""; 0]);
    }

    #[test]
    fn a_float_in_a_money_crate_is_refused() {
        let float = ["fn half(amount: f", "64) {}\n"].concat();
        for folder in NO_FLOATS {
            let path = format!("{folder}/src/lib.rs");
            let error = format!("{path}:2 uses a binary float in a crate that handles money");
            assert_eq!(wrong_source(&path, &format!("\n{float}")), [error]);
            assert_eq!(wrong_source(&path, &format!("// {float}")), [""; 0]);
        }
        assert_eq!(wrong_source("crates/http-actix/src/lib.rs", &float), [""; 0]);
    }

    #[test]
    fn a_manifest_without_the_shared_lints_is_refused() {
        assert_eq!(wrong_manifest("Cargo.toml", "[lints]\nworkspace = true\n"), None);
        let error = "Cargo.toml must have `[lints] workspace = true`";
        assert_eq!(wrong_manifest("Cargo.toml", "[package]\n"), Some(error.into()));
    }
}

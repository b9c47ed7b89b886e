//! Checks licences, sources and names of the packages that Florin is built from against `deny.toml`.
//!
//! `cargo deny` checks the same and more, but takes longer to build than Florin itself. So it runs separately
//! (`make advisories`), and this faster test runs for every change.

use super::{assert_none, root};
use cargo_metadata::{MetadataCommand, Package};
use serde::Deserialize;

/// The part of `deny.toml` that is checked here.
#[derive(Deserialize)]
struct Policy {
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

impl Policy {
    fn read() -> Self {
        toml::from_str(&std::fs::read_to_string(root().join("deny.toml")).unwrap()).unwrap()
    }

    /// Returns the reasons to refuse a package.
    fn refusals(&self, package: &Package) -> Vec<String> {
        let mut refusals = Vec::new();
        let name = package.name.as_str();
        let mut refuse = |why: String| refusals.push(format!("{name} {}: {why}", package.version));
        match package.license.as_deref() {
            Some(license) if self.allows(license) => {}
            Some(license) => refuse(format!("deny.toml does not allow its licence, {license}")),
            None => refuse("its manifest names no licence".to_owned()),
        }
        if let Some(ban) = self.bans.deny.iter().find(|ban| ban.name == name) {
            refuse(format!("deny.toml bans it: {}", ban.reason));
        }
        // A package without a source is a local folder.
        let source = package.source.as_ref().map(|source| source.repr.as_str());
        let allowed = |source: &str| {
            let registry = source.strip_prefix("registry+");
            registry.is_some_and(|registry| self.sources.allow_registry.iter().any(|allowed| allowed == registry))
        };
        if let Some(source) = source.filter(|source| !allowed(source)) {
            refuse(format!("deny.toml does not allow its source, {source}"));
        }
        for dependency in package.dependencies.iter().filter(|dependency| dependency.path.is_none()) {
            if dependency.req.to_string() == "*" {
                refuse(format!("it accepts any version of {}", dependency.name));
            }
        }
        refusals
    }

    /// Whether an SPDX expression can be satisfied with allowed licences only.
    fn allows(&self, expression: &str) -> bool {
        let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        self.any_of(&mut rest) == Some(true) && rest.is_empty()
    }

    /// Evaluates `A OR B`; `None` if the text is not an expression.
    fn any_of(&self, words: &mut &[&str]) -> Option<bool> {
        let mut allowed = self.all_of(words)?;
        while accept(words, "OR") {
            allowed |= self.all_of(words)?;
        }
        Some(allowed)
    }

    /// Evaluates `A AND B`, which binds tighter than `OR`.
    fn all_of(&self, words: &mut &[&str]) -> Option<bool> {
        let mut allowed = self.one(words)?;
        while accept(words, "AND") {
            allowed &= self.one(words)?;
        }
        Some(allowed)
    }

    /// Evaluates a licence, with its exception if it has one, or an expression in brackets.
    fn one(&self, words: &mut &[&str]) -> Option<bool> {
        if accept(words, "(") {
            let allowed = self.any_of(words)?;
            return accept(words, ")").then_some(allowed);
        }
        let mut license = take(words)?.to_owned();
        if accept(words, "WITH") {
            license = format!("{license} WITH {}", take(words)?);
        }
        Some(self.licenses.allow.contains(&license))
    }
}

fn take<'a>(words: &mut &[&'a str]) -> Option<&'a str> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    Some(first)
}

fn accept(words: &mut &[&str], expected: &str) -> bool {
    let found = words.first() == Some(&expected);
    if found {
        *words = &words[1..];
    }
    found
}

#[test]
fn every_package_is_allowed() {
    let policy = Policy::read();
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().unwrap();
    assert!(metadata.packages.len() > 100, "only {} packages were found", metadata.packages.len());
    assert_none(&metadata.packages.iter().flat_map(|package| policy.refusals(package)).collect::<Vec<_>>());
}

/// Tests that the check can fail, with a reason.
mod rules {
    use super::*;

    fn package(manifest: &serde_json::Value) -> Package {
        let mut all = serde_json::json!({
            "name": "shed", "version": "1.2.3", "id": "shed", "license": "MIT", "dependencies": [], "targets": [],
            "features": {}, "manifest_path": "/shed/Cargo.toml",
            "source": "registry+https://github.com/rust-lang/crates.io-index",
        });
        let (all_members, members) = (all.as_object_mut().unwrap(), manifest.as_object().unwrap().clone());
        all_members.extend(members);
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn licences_are_read_as_spdx_expressions() {
        let policy = Policy::read();
        for allowed in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "GPL-3.0-only/MIT",
            "Zlib AND (GPL-3.0-only OR ISC)",
            "GPL-3.0-only AND X OR MIT",
        ] {
            assert!(policy.allows(allowed), "{allowed}");
        }
        for refused in [
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "(MIT OR ISC) AND GPL-3.0-only",
            "MIT WITH Some-exception",
            "MIT ISC",
            "(MIT",
            "MIT OR",
            "",
        ] {
            assert!(!policy.allows(refused), "{refused}");
        }
    }

    #[test]
    fn each_rule_can_refuse_a_package() {
        let policy = Policy::read();
        assert_eq!(policy.refusals(&package(&serde_json::json!({}))), [""; 0]);
        let any = serde_json::json!([{ "name": "x", "req": "*", "optional": false, "uses_default_features": true,
            "features": [], "kind": null, "target": null, "rename": null, "registry": null, "source": null }]);
        for (member, reason) in [
            (serde_json::json!({ "license": "GPL-3.0-only" }), "deny.toml does not allow its licence, GPL-3.0-only"),
            (serde_json::json!({ "license": null }), "its manifest names no licence"),
            (
                serde_json::json!({ "source": "git+https://host/x" }),
                "deny.toml does not allow its source, git+https://host/x",
            ),
            (serde_json::json!({ "dependencies": any }), "it accepts any version of x"),
        ] {
            assert_eq!(policy.refusals(&package(&member)), [format!("shed 1.2.3: {reason}")]);
        }
        let banned = policy.refusals(&package(&serde_json::json!({ "name": "openssl" })));
        assert_eq!(banned, ["openssl 1.2.3: deny.toml bans it: needs a system library; TLS is rustls"]);
    }
}

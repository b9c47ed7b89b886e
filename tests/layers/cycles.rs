//! Finds cycles of imports inside a crate: files that import themselves, directly or through other files.
//!
//! Imports are read from the text: `use` trees, and paths in the code that begin with a module. A name that a module
//! imports from elsewhere counts as the file that defines it, so a `mod.rs` that only lists its modules is in no
//! cycle. A file that `#[path]` includes as several modules has the imports of all of them. Unit tests are left out.

use std::collections::{BTreeMap, BTreeSet};

/// The path of a module or an item, in parts, from the root of the crate.
type Path = Vec<String>;

/// The files of one crate by their module path. A file that is included as several modules has an entry for each.
pub(crate) struct Modules {
    files: BTreeMap<Path, File>,
}

struct File {
    name: String,
    /// All paths in the file, from the root of the crate.
    imports: BTreeSet<Path>,
    /// The names that the file imports or re-exports, each with its path. Child modules can import all of them.
    names: BTreeMap<String, Path>,
}

impl Modules {
    /// Reads the sources of a crate, each with its path below `src` and its text.
    pub(crate) fn read(sources: &[(&str, &str)]) -> Self {
        let included = included(sources);
        let modules: Vec<_> = sources.iter().map(|(name, _)| modules_of(name, &included)).collect();
        let places: BTreeSet<Path> = modules.iter().flatten().cloned().collect();
        let file = |(name, text): (&str, &str), module: Path| {
            let mut file = File { name: name.to_owned(), imports: BTreeSet::new(), names: BTreeMap::new() };
            let code = code(text);
            let mut names = Vec::new();
            for (is_public, tree) in uses(&code) {
                for (path, alias) in leaves(&tree) {
                    let Some(path) = absolute(&path, &module, &places) else { continue };
                    file.names.insert(alias.clone(), path.clone());
                    if !is_public {
                        file.imports.insert(path.clone());
                        names.push((alias, path));
                    }
                }
            }
            for path in inline(&without_uses(&code)) {
                let aliased = names.iter().filter(|(alias, _)| *alias == path[0]);
                file.imports.extend(aliased.map(|(_, target)| [target, &path[1..]].concat()));
                file.imports.extend(absolute(&path, &module, &places));
            }
            (module, file)
        };
        let mut files = BTreeMap::new();
        for (source, modules) in sources.iter().zip(modules) {
            files.extend(modules.into_iter().map(|module| file(*source, module)));
        }
        Self { files }
    }

    /// Returns the file that defines the item at a path. `depth` is the maximum number of imports to follow.
    fn definition(&self, path: &[String], depth: usize) -> Option<&File> {
        let known = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let file = &self.files[&path[..known]];
        match path.get(known).and_then(|name| file.names.get(name)) {
            Some(target) if depth > 0 => self.definition(&[target, &path[known + 1..]].concat(), depth - 1),
            _ => Some(file),
        }
    }

    /// Returns the cycles: for each file that imports itself, the shortest path back to it.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in self.files.values() {
            let targets = file.imports.iter().filter_map(|path| self.definition(path, 8));
            let others = targets.map(|target| target.name.as_str()).filter(|name| *name != file.name);
            edges.entry(&file.name).or_default().extend(others);
        }
        edges.keys().filter_map(|file| cycle(&edges, file)).collect()
    }
}

/// Returns the shortest path from a file back to itself.
fn cycle(edges: &BTreeMap<&str, BTreeSet<&str>>, start: &str) -> Option<String> {
    let mut ways = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
        for next in edges.get(way.last()?).into_iter().flatten() {
            let way = [way.as_slice(), &[next]].concat();
            if *next == start {
                return Some(way.join(" -> "));
            }
            if seen.insert(*next) {
                ways.push(way);
            }
        }
    }
    None
}

/// Returns the module path of a file: `routes::cards` for `routes/cards/mod.rs`.
fn module_of(name: &str) -> Path {
    let name = name.strip_suffix(".rs").unwrap_or(name);
    let name = name.strip_suffix("/mod").unwrap_or(name);
    if name == "lib" { Vec::new() } else { name.split('/').map(str::to_owned).collect() }
}

/// Returns each file that `#[path]` includes, with the path of the module that the file becomes there.
fn included(sources: &[(&str, &str)]) -> Vec<(String, Path)> {
    let mut found = Vec::new();
    for (name, text) in sources {
        let folder = name.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        for part in code(text).split("#[path = \"").skip(1) {
            let Some((file, after)) = part.split_once("\"]") else { continue };
            let declared = after.split_once(';').map(|(declared, _)| declared.trim()).unwrap_or_default();
            if let Some(module) = declared.rsplit(' ').next().filter(|_| declared.contains("mod ")) {
                found.push((format!("{folder}{file}"), [module_of(name), vec![module.to_owned()]].concat()));
            }
        }
    }
    found
}

/// Returns the module paths of a file. The modules below an included `mod.rs` are included with it.
fn modules_of(name: &str, included: &[(String, Path)]) -> Vec<Path> {
    let own = module_of(name);
    let above = included.iter().filter(|(file, _)| file == name || file.ends_with("/mod.rs"));
    let path = |(file, module): &(String, Path)| {
        let below = own.strip_prefix(module_of(file).as_slice())?;
        Some([module.as_slice(), below].concat())
    };
    let paths: Vec<_> = above.filter_map(path).collect();
    if paths.is_empty() { vec![own] } else { paths }
}

/// Returns the text without comments and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Returns the `use` trees: whether each is a re-export, and its text.
fn uses(code: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let before = rest[..at].rsplit('\n').next().unwrap_or_default().trim();
        let Some(end) = rest[at..].find(';') else { break };
        if before.is_empty() || before.starts_with("pub") {
            let words: Vec<_> = rest[at + 4..at + end].split_whitespace().collect();
            found.push((before.starts_with("pub"), words.join(" ")));
        }
        rest = &rest[at + 4..];
    }
    found
}

/// Returns the code without its `use` trees.
fn without_uses(code: &str) -> String {
    let mut rest = code;
    let mut remaining = String::new();
    while let Some(at) = rest.find("use ") {
        let begins = rest[..at].rsplit('\n').next().unwrap_or_default().trim();
        let end = rest[at..].find(';').filter(|_| begins.is_empty() || begins.starts_with("pub"));
        remaining.push_str(&rest[..at]);
        rest = &rest[at + end.unwrap_or(4)..];
    }
    remaining + rest
}

/// Returns the paths of a `use` tree, each with the name under which it is imported.
fn leaves(tree: &str) -> Vec<(Path, String)> {
    let Some((prefix, inner)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
        let parts = path.split("::").map(str::trim).enumerate();
        let path: Path =
            parts.filter(|(at, part)| *part != "self" || *at == 0).map(|(_, part)| part.to_owned()).collect();
        let name = if alias.is_empty() { path.last().cloned().unwrap_or_default() } else { alias.trim().to_owned() };
        return vec![(path, name)];
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, mark) in inner.char_indices() {
        match mark {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let leaves_of = |part: &str| leaves(&format!("{prefix}{part}"));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).flat_map(leaves_of).collect()
}

/// Returns all paths in the code that have two or more parts.
fn inline(code: &str) -> Vec<Path> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let path = |word: &str| word.split("::").map(|part| part.trim_matches(':').to_owned()).collect::<Path>();
    words.filter(|word| word.contains("::")).map(path).filter(|path| path.iter().all(|part| !part.is_empty())).collect()
}

/// Returns a path from the root of the crate; `None` if it leads outside the crate.
fn absolute(path: &[String], module: &[String], places: &BTreeSet<Path>) -> Option<Path> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat())
        }
        name => {
            let child = [module, &[name.to_owned()]].concat();
            places.contains(&child).then(|| [module, path].concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: (&str, &str) = ("lib.rs", "mod a;\nmod b;\npub use b::inner::Thing;\n");

    #[test]
    fn files_that_import_each_other_are_a_cycle() {
        let direct =
            Modules::read(&[LIB, ("a.rs", "use crate::b::{self, Other};\n"), ("b.rs", "use super::a::X as Y;\n")]);
        assert_eq!(direct.cycles(), ["a.rs -> b.rs -> a.rs", "b.rs -> a.rs -> b.rs"]);
        let inline =
            Modules::read(&[LIB, ("a.rs", "fn f() { crate::b::g(); }\n"), ("b.rs", "fn g() { super::a::f() }\n")]);
        assert_eq!(inline.cycles().len(), 2);
        let by_name = [
            LIB,
            ("a.rs", "use crate::b;\nfn f() { b::inner::g() }\n"),
            ("b/mod.rs", "mod inner;"),
            ("b/inner.rs", "use crate::a;\n"),
        ];
        assert_eq!(
            Modules::read(&by_name).cycles(),
            ["a.rs -> b/inner.rs -> a.rs", "b/inner.rs -> a.rs -> b/inner.rs"]
        );
        let mut renamed = by_name;
        renamed[1].1 = "use crate::b::inner as other;\nfn f() { other::g() }\n";
        assert_eq!(Modules::read(&renamed).cycles(), Modules::read(&by_name).cycles());
    }

    #[test]
    fn a_file_that_several_modules_include_has_the_imports_of_all() {
        let sources = [
            ("lib.rs", "mod x;\nmod y;\n"),
            ("x.rs", "mod rows;\npub(crate) use rows::Rows;\n#[path = \"body/mod.rs\"]\nmod body;\n"),
            ("x/rows.rs", "use super::body::columns::Column;\n"),
            ("y.rs", "pub(crate) struct Rows;\n#[path = \"body/mod.rs\"]\nmod body;\n"),
            ("body/mod.rs", "mod backend;\nmod columns;\nuse super as database;\n"),
            ("body/backend.rs", "pub(crate) use super::database::Rows;\n"),
            ("body/columns.rs", "use super::backend::Rows;\n"),
        ];
        assert_eq!(
            Modules::read(&sources).cycles(),
            ["body/columns.rs -> x/rows.rs -> body/columns.rs", "x/rows.rs -> body/columns.rs -> x/rows.rs"]
        );
        let mut one_way = sources;
        one_way[2].1 = "";
        assert_eq!(Modules::read(&one_way).cycles(), [""; 0]);
    }

    #[test]
    fn a_re_export_counts_as_the_file_behind_it() {
        let sources = [
            LIB,
            ("a.rs", "use crate::b::{Thing, other};\n"),
            ("b/mod.rs", "mod inner;\nmod other;\npub(crate) use inner::{Thing};\npub(crate) use other::other;\n"),
            ("b/inner.rs", "use super::other;\n"),
            ("b/other.rs", "// use crate::a::X;\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n"),
        ];
        assert_eq!(Modules::read(&sources).cycles(), [""; 0]);
        let aliased = [
            LIB,
            ("a.rs", "use crate::b;\n"),
            ("b/mod.rs", "pub use inner::Thing;\nmod inner;\nuse crate::c as root;\n"),
            ("b/inner.rs", "use super::root::Other;\n"),
            ("c.rs", ""),
        ];
        assert_eq!(Modules::read(&aliased).cycles(), [""; 0], "a name that `mod.rs` imports leads to its file");
        let mut cycle = sources;
        cycle[3].1 = "use crate::{\n    a::{X},\n};\n";
        assert_eq!(Modules::read(&cycle).cycles(), ["a.rs -> b/inner.rs -> a.rs", "b/inner.rs -> a.rs -> b/inner.rs"]);
    }
}

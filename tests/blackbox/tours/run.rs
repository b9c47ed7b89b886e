//! Runs the shell blocks of a page of the documentation.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::text::{Block, blocks, comparable};
use crate::support::folder::directory;
use crate::support::server::BINARY;
use crate::support::{Server, Workspace};

/// The character that ends the output of a block.
const END: char = '\u{1e}';
/// A script that replaces curl, and rejects options that are newer than the curl of Debian 10.
const OLD_CURL: &str = r#"#!/bin/bash
for word in "$@"; do
    case "$word" in
        --json | --variable | --fail-with-body | --url-query | --retry-all-errors)
            echo "curl: option $word: is unknown" >&2
            exit 2
            ;;
    esac
done
PATH="${PATH#*:}" exec curl "$@"
"#;

/// How an output is compared with what the page shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outputs {
    /// Exactly: the page works in a world with a seed.
    Exact,
    /// Except for times, and for ids of records that the tour creates.
    ButIdsAndTimes,
}

/// A page whose shell blocks are run.
pub(crate) struct Tour {
    page: PathBuf,
    text: String,
    blocks: Vec<Block>,
    outputs: Outputs,
    server: Option<Server>,
}

impl Tour {
    pub(crate) fn of(page: &str, outputs: Outputs) -> Self {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
        let text = fs::read_to_string(&page).unwrap();
        let blocks = blocks(&text);
        assert!(blocks.len() > 1, "{} has no shell blocks", page.display());
        Self { page, text, blocks, outputs, server: None }
    }

    /// Runs the page next to a running sandbox, as its reader has one in another terminal.
    pub(crate) fn beside_a_server(self) -> Self {
        Self { server: Some(Server::on(Workspace::empty())), ..self }
    }

    /// Runs all blocks and compares their outputs.
    pub(crate) fn run(mut self) {
        let printed = self.play();
        assert_eq!(printed.len(), self.blocks.len(), "{}: a block ended the shell: {printed:?}", self.page.display());
        if std::env::var_os("FLORIN_UPDATE_TOURS").is_some() {
            self.update(&printed);
            return;
        }
        let shown = |text: &str| comparable(text, self.outputs == Outputs::ButIdsAndTimes);
        for (block, printed) in self.blocks.iter().zip(&printed) {
            if let Some(expected) = &block.output {
                let place = format!("{}:{}", self.page.display(), block.line);
                assert_eq!(
                    shown(printed),
                    shown(&expected.text),
                    "{place}: the output differs from what the page shows"
                );
            }
        }
    }

    /// Returns the output of each block. The shell starts in an empty folder, which it must leave empty.
    fn play(&mut self) -> Vec<String> {
        let (folder, temporary, programs) = (directory(), directory(), programs());
        let scripts: Vec<_> = self.blocks.iter().map(|block| format!("{}\nprintf '{END}'\n", block.script)).collect();
        let mut script = scripts.concat();
        let mut command = Command::new("bash");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FLORIN_")) {
            command.env_remove(name);
        }
        let address = self.server.as_ref().map_or_else(free_address, |server| server.address.clone());
        if let Some(server) = &self.server {
            // The page uses the default address, which the tests do not use.
            script = script.replace("127.0.0.1:8080", &address);
            command.env("FLORIN_DATABASE_URL", server.workspace().setting("FLORIN_DATABASE_URL"));
        }
        let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
        command.arg("-u").current_dir(folder.path()).process_group(0);
        command.env("PATH", path).env("TMPDIR", temporary.path()).env("FLORIN_LISTEN", &address);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let group = shell.id();
        shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = shell.wait_with_output().unwrap();
        // Ends processes that a broken tour left running.
        let _ended = Command::new("bash").args(["-c", &format!("kill -9 -- -{group}")]).stderr(Stdio::null()).status();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(stderr.is_empty(), "{}: {stderr}\nafter {stdout}", self.page.display());
        for used in [&folder, &temporary] {
            let files: Vec<_> = fs::read_dir(used.path()).unwrap().map(|file| file.unwrap().path()).collect();
            assert!(files.is_empty(), "{} leaves {files:?}", self.page.display());
        }
        if self.server.is_none() {
            assert!(TcpListener::bind(&address).is_ok(), "{}: the server still runs", self.page.display());
        }
        let mut printed: Vec<_> = stdout.split(END).map(str::to_owned).collect();
        printed.pop();
        printed
    }

    /// Writes the printed outputs into the page, where they differ.
    fn update(&self, printed: &[String]) {
        let mut lines: Vec<_> = self.text.lines().map(str::to_owned).collect();
        for (block, printed) in self.blocks.iter().zip(printed).rev() {
            let Some(shown) = &block.output else { continue };
            let same = |text: &str| comparable(text, self.outputs == Outputs::ButIdsAndTimes);
            if same(printed) != same(&shown.text) {
                lines.splice(shown.lines.clone(), printed.trim_end().lines().map(str::to_owned));
            }
        }
        fs::write(&self.page, lines.join("\n") + "\n").unwrap();
    }
}

/// Creates a folder with `florin`, and with a curl that rejects newer options.
fn programs() -> TempDir {
    let folder = directory();
    symlink(BINARY, folder.path().join("florin")).unwrap();
    let curl = folder.path().join("curl");
    fs::write(&curl, OLD_CURL).unwrap();
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

//! The process under test: the real binary on a free port, with its own database and directory.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::client::Client;
use super::demo::{demo, template};
use super::folder::directory;
use super::store::{Store, Template};

/// Maximum time that a test waits for an operation that could hang. Tests do not measure performance with it.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(30);

/// A key that encrypts secrets.
pub(crate) const SECRET_KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_florin");

/// The working directory of a test server, with its database and settings.
pub(crate) struct Workspace {
    pub(crate) dir: TempDir,
    pub(crate) store: Arc<Store>,
    pub(crate) settings: Vec<(String, String)>,
    /// Shell commands that prepare the process of the binary.
    pub(crate) shell: Option<&'static str>,
}

impl Workspace {
    /// Creates a workspace without data: the database is empty, or its file does not exist yet. The environment is the
    /// sandbox.
    pub(crate) fn empty() -> Self {
        Self::with(directory(), Arc::new(Store::empty()))
    }

    /// Creates a workspace with fresh demo data, as `florin demo` creates it.
    pub(crate) fn demo() -> Self {
        let dir = directory();
        let store = template().store.copy(dir.path());
        Self::with(dir, Arc::new(store))
    }

    fn with(dir: TempDir, store: Arc<Store>) -> Self {
        let database = store.url(dir.path());
        let workspace = Self { dir, store, settings: Vec::new(), shell: None };
        workspace
            .set("FLORIN_ENVIRONMENT", "sandbox")
            .set("FLORIN_DATABASE_URL", &database)
            .set("FLORIN_LISTEN", "127.0.0.1:0")
    }

    /// Turns the database in its current state into a template for copies.
    pub(crate) fn into_template(self) -> Template {
        let store = Arc::into_inner(self.store).expect("another workspace uses the database");
        store.into_template(self.dir.path())
    }

    /// Sets one variable, replacing an earlier value.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Changes the environment to production, with the secret key and the public URL that it requires.
    pub(crate) fn production(self) -> Self {
        let workspace = self.set("FLORIN_ENVIRONMENT", "production").set("FLORIN_SECRET_KEY", SECRET_KEY);
        workspace.set("FLORIN_PUBLIC_URL", "https://pay.example")
    }

    /// Runs shell commands before the binary, in its process.
    pub(crate) fn through(self, shell: &'static str) -> Self {
        Self { shell: Some(shell), ..self }
    }

    /// Removes one variable.
    pub(crate) fn unset(mut self, name: &str) -> Self {
        self.settings.retain(|(known, _)| known != name);
        self
    }

    /// Returns the value of a variable.
    pub(crate) fn setting(&self, name: &str) -> String {
        let found = self.settings.iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name} is not set")).1.clone()
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file next to the database and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Runs SQL directly on the database. Returns its error, if there is one.
    pub(crate) fn sql(&self, statements: &str) -> Result<(), String> {
        self.store.sql(self.path(), statements)
    }

    /// Gives all keys the scopes of simulations, which no command grants in production. Keys that older versions issued
    /// have them.
    pub(crate) fn grant_simulations(&self) {
        let scopes = "budgets:simulate:any cards:simulate:any merchant:simulate:any";
        self.sql(&format!("UPDATE api_keys SET scopes = scopes || ' {scopes}'")).unwrap();
    }

    /// Returns name and contents of every database file, or of every table.
    pub(crate) fn stored(&self) -> Vec<(String, Vec<u8>)> {
        self.store.contents(self.path())
    }

    /// Returns the log of the servers that ran in this workspace.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.path().join("server.log")
    }

    /// Prepares the binary with these arguments and settings, without any settings of the tests' environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(if self.shell.is_some() { "sh" } else { BINARY });
        if let Some(shell) = self.shell {
            command.args(["-c", &format!("{shell}; exec \"$0\" \"$@\""), BINARY]);
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FLORIN_") {
                command.env_remove(name);
            }
        }
        command.args(arguments).current_dir(self.path());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        finish(self.command(arguments), arguments)
    }

    /// Runs a command that must succeed and print one JSON value.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "florin {arguments:?} failed: {stderr}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(&stdout).unwrap_or_else(|error| {
            panic!("florin {arguments:?} printed something that is not JSON ({error}): {stdout}")
        })
    }

    /// Checks that a command fails with exit code 2, and returns its message.
    pub(crate) fn refused_as_invalid(&self, arguments: &[&str]) -> String {
        assert_eq!(self.run(arguments).status.code(), Some(2), "{arguments:?}");
        self.refused(arguments)
    }

    /// Runs a command that must fail, and returns its stderr.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "florin {arguments:?} succeeded");
        assert!(output.status.code().is_some(), "florin {arguments:?} died of a signal");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.trim().is_empty(), "florin {arguments:?} failed without a message");
        assert!(!stderr.contains("panicked at"), "florin {arguments:?} panicked: {stderr}");
        stderr
    }
}

fn finish(mut command: Command, arguments: &[&str]) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = gather(child.stdout.take().unwrap());
    let stderr = gather(child.stderr.take().unwrap());
    let Some(status) = wait(&mut child) else {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("florin {arguments:?} did not end: {}", String::from_utf8_lossy(&stderr.join().unwrap()));
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn gather(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < MAX_WAIT {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// A running `florin serve`. It is killed on drop, and when the test process ends.
pub(crate) struct Server {
    child: Child,
    watchdog: Child,
    workspace: Option<Workspace>,
    lines: Mutex<Receiver<String>>,
    /// The line that `serve --json` prints when it is ready.
    pub(crate) banner: Value,
    /// The server's address: `127.0.0.1:port`.
    pub(crate) address: String,
}

impl Server {
    /// Starts a sandbox with fresh demo data.
    pub(crate) fn sandbox() -> Self {
        Self::on(Workspace::demo())
    }

    /// Starts a server in this workspace.
    pub(crate) fn on(workspace: Workspace) -> Self {
        let (child, watchdog, lines) = spawn(&workspace, &["serve", "--json"]);
        let line = next_line(&lines).unwrap_or_else(|| panic!("the server did not start: {}", workspace.log()));
        let banner: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("not a line of JSON ({error}): {line}"));
        let address = banner["listen"].as_str().unwrap().to_owned();
        Self { child, watchdog, workspace: Some(workspace), lines: Mutex::new(lines), banner, address }
    }

    /// Starts `florin` without arguments, as a person does. [`Self::printed`] returns the lines that it prints.
    pub(crate) fn for_people(workspace: Workspace) -> Self {
        let (child, watchdog, lines) = spawn(&workspace, &[]);
        Self {
            child,
            watchdog,
            workspace: Some(workspace),
            lines: Mutex::new(lines),
            banner: Value::Null,
            address: String::new(),
        }
    }

    /// Returns a client with the demo account's key, on the demo account.
    pub(crate) fn client(&self) -> Client {
        self.client_of(&demo().api_key, &demo().account)
    }

    /// Returns a client with the other API client's key, on its own account.
    pub(crate) fn other(&self) -> Client {
        self.client_of(&demo().other_key, &demo().other_account)
    }

    /// Returns a client with the demo client's key without scopes, on the demo account.
    pub(crate) fn limited(&self) -> Client {
        self.client_of(&demo().limited_key, &demo().account)
    }

    /// Returns a client with any key, on any account.
    pub(crate) fn client_of(&self, key: &str, account: &str) -> Client {
        Client::new(&self.address, Some(&format!("ApiKey {key}")), account)
    }

    /// Returns the id of the server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the status of `/readyz`, which must be answered within a second whatever the store does. One of three
    /// answers in time suffices, because other tests may keep the machine busy.
    pub(crate) fn readiness(&self) -> u16 {
        let client = self.client().with_authorization(None);
        let mut late = Vec::new();
        while late.len() < 3 {
            let start = Instant::now();
            let status = client.get("/readyz?").status;
            if start.elapsed() < Duration::from_secs(1) {
                return status;
            }
            late.push(start.elapsed());
        }
        panic!("/readyz was answered after {late:?}");
    }

    /// Returns the peak memory of the server so far, in MiB. Linux only.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        self.workspace.as_ref().unwrap()
    }

    /// Returns the next line on stdout, or `None` after `timeout`.
    pub(crate) fn printed(&self, timeout: Duration) -> Option<String> {
        self.lines.lock().unwrap().recv_timeout(timeout).ok()
    }

    /// Kills the server with SIGKILL and returns its workspace.
    pub(crate) fn kill(mut self) -> Workspace {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.workspace.take().unwrap()
    }

    /// Sends SIGTERM without waiting.
    pub(crate) fn signal_term(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("sh").args(["-c", "kill -TERM \"$1\"", "sh", &pid]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end of a server that received SIGTERM.
    pub(crate) fn ended(mut self) -> (ExitStatus, Workspace) {
        let status = wait(&mut self.child).expect("the server did not stop");
        (status, self.workspace.take().unwrap())
    }

    /// Sends SIGTERM, waits until the server has ended with success, and returns how long this took.
    pub(crate) fn stop_successfully(self) -> (Duration, Workspace) {
        let start = Instant::now();
        let (status, workspace) = self.stop();
        assert_eq!(status.code(), Some(0));
        (start.elapsed(), workspace)
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn stop(self) -> (ExitStatus, Workspace) {
        self.signal_term();
        self.ended()
    }
}

/// Prints the end of the server's log if the test failed.
#[allow(clippy::print_stderr, reason = "the test runner shows it with the failure")]
fn print_log(workspace: &Workspace) {
    let log = workspace.log();
    let lines: Vec<_> = log.lines().collect();
    eprintln!("the server's log ends with:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"));
}

impl Drop for Server {
    fn drop(&mut self) {
        if let (true, Some(workspace)) = (thread::panicking(), &self.workspace) {
            print_log(workspace);
        }
        // Ends the watchdog first, because the process id may later belong to another process.
        let _ = self.watchdog.kill();
        let _ = self.watchdog.wait();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(workspace: &Workspace, arguments: &[&str]) -> (Child, Child, Receiver<String>) {
    let log = fs::OpenOptions::new().create(true).append(true).open(workspace.log_path()).unwrap();
    let mut child = workspace.command(arguments).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let watchdog = watch(child.id(), workspace.path());
    let (sender, lines) = channel();
    let stdout = child.stdout.take().unwrap();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    (child, watchdog, lines)
}

/// Starts a shell that kills the server and removes its directory when the test process ends. The shell waits on a pipe
/// that closes when the test process ends for any reason. It also removes the folder of the test process if the folder
/// is empty. Otherwise the next test process removes it.
fn watch(pid: u32, directory: &Path) -> Child {
    Command::new("sh")
        .arg("-c")
        .arg("trap '' INT TERM; read -r _; kill -9 \"$1\"; rm -rf \"$2\"; rmdir \"${2%/*}\"")
        .args(["sh", &pid.to_string()])
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn next_line(lines: &Receiver<String>) -> Option<String> {
    lines.recv_timeout(MAX_WAIT).ok()
}

/// The shared sandbox, for tests that neither count its money nor use up its batches.
pub(crate) fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::sandbox)
}

/// Returns a client of the shared sandbox without an API key.
pub(crate) fn anonymous() -> Client {
    shared().client().with_authorization(None)
}

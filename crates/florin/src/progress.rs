//! Progress of long commands on stderr, if it is a terminal or `--progress` is given.

use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The flag of commands that can take long.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct ProgressFlag {
    /// Report progress on stderr, even if it is not a terminal
    #[arg(long)]
    progress: bool,
}

/// The style in which progress is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// One line that is overwritten, and cleared at the end.
    Terminal,
    /// A line every few seconds.
    Lines,
}

impl Style {
    const fn pause(self) -> Duration {
        match self {
            Self::Terminal => Duration::from_millis(250),
            Self::Lines => Duration::from_secs(5),
        }
    }
}

/// Reports the progress of a command until it is dropped.
pub(crate) struct Progress {
    counter: Counter,
    /// Dropping it ends the reporting thread.
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What a command has done so far. Its clones count together.
#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Number of bytes processed.
    done: AtomicU64,
    /// Total number of bytes. 0: unknown.
    all: AtomicU64,
    /// The step of a command that counts no bytes; empty before the first step.
    step: Mutex<String>,
}

impl Counter {
    fn add(&self, bytes: usize) {
        self.0.done.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Replaces the step that is shown.
    pub(crate) fn step(&self, text: String) {
        *self.0.step.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// The progress so far, as text.
    pub(crate) fn text(&self) -> String {
        const MIB: u64 = 1024 * 1024;
        let [done, all] = [&self.0.done, &self.0.all].map(|count| count.load(Ordering::Relaxed));
        match (done, all) {
            (0, _) => {
                let step = self.0.step.lock().unwrap_or_else(PoisonError::into_inner);
                if step.is_empty() { String::new() } else { format!(", {step}") }
            }
            (done, 0) => format!(", {} MiB", done / MIB),
            (done, all) => format!(", {} %", percent(done, all)),
        }
    }
}

/// Returns how much of `all` is done, in percent; 100 if `all` is 0.
pub(crate) fn percent(done: u64, all: u64) -> u64 {
    done.min(all).saturating_mul(100).checked_div(all).unwrap_or(100)
}

impl Progress {
    /// Starts reporting, if stderr is a terminal or the flag is set.
    pub(crate) fn start(flag: ProgressFlag, what: &'static str) -> Self {
        let counter = Counter::default();
        let style = match (io::stderr().is_terminal(), flag.progress) {
            (true, _) => Style::Terminal,
            (false, true) => Style::Lines,
            (false, false) => return Self { counter, running: None, thread: None },
        };
        let (running, ended) = channel();
        let seen = counter.clone();
        let report = move || {
            let start = Instant::now();
            if style == Style::Lines {
                write_stderr(&format!("{what} ...\n"));
            }
            while ended.recv_timeout(style.pause()) == Err(RecvTimeoutError::Timeout) {
                let line = format!("{what}: {} s{}", start.elapsed().as_secs(), seen.text());
                write_stderr(&if style == Style::Terminal { format!("\r\x1b[K{line}") } else { format!("{line}\n") });
            }
            write_stderr(&match style {
                Style::Terminal => "\r\x1b[K".to_owned(),
                Style::Lines => format!("{what}: done in {} s{}\n", start.elapsed().as_secs(), seen.text()),
            });
        };
        // If the thread can't be started, the command runs without progress reports.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(report).ok();
        Self { counter, running: Some(running), thread }
    }

    /// Replaces the step that is shown.
    pub(crate) fn step(&self, text: String) {
        self.counter.step(text);
    }

    /// Returns the counter, for steps that are reported elsewhere.
    pub(crate) fn counter(&self) -> Counter {
        self.counter.clone()
    }

    /// Creates progress that is not shown.
    #[cfg(test)]
    pub(crate) fn silent() -> Self {
        Self { counter: Counter::default(), running: None, thread: None }
    }

    /// Wraps a writer to count the bytes written.
    pub(crate) fn writing<W>(&self, inner: W) -> CountingIo<W> {
        CountingIo { inner, counter: self.counter.clone() }
    }

    /// Wraps a reader to count the bytes read, of `all` bytes in total.
    pub(crate) fn reading<R>(&self, inner: R, all: u64) -> CountingIo<R> {
        self.counter.0.all.store(all, Ordering::Relaxed);
        CountingIo { inner, counter: self.counter.clone() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.running = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the reporting thread has already been printed.
            let _ = thread.join();
        }
    }
}

/// Writes to stderr. A failure is ignored, because it can't be reported.
fn write_stderr(text: &str) {
    let mut stderr = io::stderr().lock();
    let _gone = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// A reader or writer that counts its bytes.
pub(crate) struct CountingIo<T> {
    inner: T,
    counter: Counter,
}

impl<W: Write> Write for CountingIo<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.counter.add(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for CountingIo<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.counter.add(read);
        Ok(read)
    }
}

impl<S: Seek> Seek for CountingIo<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // Reset the counter, for a second pass over the file.
        let at = self.inner.seek(to)?;
        self.counter.0.done.store(at, Ordering::Relaxed);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_in_mib_or_percent() {
        let progress = Progress::silent();
        assert_eq!(progress.counter.text(), "");
        progress.writing(io::sink()).write_all(&vec![0; 3 << 20]).unwrap();
        assert_eq!(progress.counter.text(), ", 3 MiB");
        let mut reader = progress.reading(io::Cursor::new(vec![0; 1000]), 1000);
        reader.rewind().unwrap();
        reader.read_exact(&mut [0; 250]).unwrap();
        assert_eq!(progress.counter.text(), ", 25 %");
    }

    #[test]
    fn progress_without_bytes_is_a_step() {
        let progress = Progress::silent();
        for step in ["0 of 2 migrations", "1 of 2 migrations"] {
            progress.step(step.to_owned());
            assert_eq!(progress.counter.text(), format!(", {step}"));
        }
        assert_eq!([percent(0, 3), percent(2, 3), percent(5, 3), percent(0, 0)], [0, 66, 100, 100]);
    }
}

//! The stream of a connection.

use super::admission::Permit;
use super::gate::{Allowance, Gate};
use super::read_ahead::ReadAhead;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time within which the head of a request must arrive, counted from its first byte, or from the end of the
/// previous request if that is later.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The time after which an idle connection is closed.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// The time within which the peer must read some of the bytes written to it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A stream that hands over only what the gate allows. It fails with `TimedOut` when the deadline of its phase passes.
pub(crate) struct GatedStream {
    stream: Take<TcpStream>,
    ahead: ReadAhead,
    gate: Rc<Gate>,
    /// The number of requests that had begun when the phase was last updated.
    begun: u64,
    /// Whether the task of the connection must decode the bytes that it has, before it receives more.
    must_decode: bool,
    phase: Phase,
    timer: Pin<Box<Sleep>>,
    _permit: Permit,
}

/// The activity of the connection. All phases except `Working` have a deadline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// A request is in progress.
    Working,
    /// The peer does not read the bytes written to it.
    Writing,
    /// A part of a head has arrived.
    Head,
    /// No part of a head has arrived.
    Idle,
}

impl GatedStream {
    pub(crate) fn new(stream: TcpStream, permit: Permit) -> Self {
        let timer = Box::pin(sleep_until(Instant::now() + KEEP_ALIVE));
        Self {
            stream: stream.take(0),
            ahead: ReadAhead::new(),
            gate: Rc::default(),
            begun: 0,
            must_decode: false,
            phase: Phase::Idle,
            timer,
            _permit: permit,
        }
    }

    pub(crate) fn gate(&self) -> &Rc<Gate> {
        &self.gate
    }

    /// Enters a phase and starts its deadline, unless the connection is in this phase already.
    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            let time = match phase {
                Phase::Working => return,
                Phase::Writing => WRITE_TIMEOUT,
                Phase::Head => HEAD_TIMEOUT,
                Phase::Idle => KEEP_ALIVE,
            };
            self.timer.as_mut().reset(Instant::now() + time);
        }
    }

    /// Returns an error if the deadline of the phase has passed.
    fn check_deadline(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let is_over = self.phase != Phase::Working && self.timer.as_mut().poll(context).is_ready();
        if is_over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// Enters the phase that matches the state of the gate.
    fn follow_gate(&mut self) {
        let begun = self.gate.begun();
        let has_begun = std::mem::replace(&mut self.begun, begun) != begun;
        let is_waiting = matches!(self.phase, Phase::Head | Phase::Idle);
        if !self.gate.is_idle() {
            if is_waiting {
                self.enter(Phase::Working);
            }
        } else if has_begun || !is_waiting {
            // `enter` starts no deadline if the phase stays the same, so the connection leaves its phase first.
            self.phase = Phase::Working;
            self.enter(if self.ahead.is_empty() { Phase::Idle } else { Phase::Head });
        }
    }

    /// Returns control to the task of the connection. The task is woken when there is more to read.
    fn pause(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            ready!(self.stream.get_ref().poll_read_ready(context))?;
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Waits for data, and then until the gate opens.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            ready!(self.stream.get_ref().poll_read_ready(context))?;
        }
        self.gate.wait(context.waker());
        Poll::Pending
    }

    /// Hands over a part of the body.
    fn poll_body(
        &mut self,
        awaited: usize,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            self.stream.set_limit(awaited as u64);
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        } else {
            self.ahead.release(awaited);
            self.ahead.hand_over(buffer);
        }
        self.must_decode = true;
        Poll::Ready(Ok(()))
    }

    /// Hands over the head of the next request, with the part of its body that was read ahead. A long head is handed
    /// over in pieces. At the end of the stream, hands over nothing.
    fn poll_head(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        while self.ahead.released() == 0 && !self.ahead.release_request() {
            let read = ready!(self.ahead.poll_fill(self.stream.get_mut(), context))?;
            if read == 0 && self.ahead.is_empty() {
                return Poll::Ready(Ok(()));
            } else if read == 0 {
                self.ahead.release(usize::MAX);
            }
            self.enter(Phase::Head);
            self.check_deadline(context)?;
        }
        self.ahead.hand_over(buffer);
        self.must_decode = self.ahead.released() == 0;
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for GatedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.follow_gate();
        this.check_deadline(context)?;
        if std::mem::take(&mut this.must_decode) {
            return this.pause(context);
        }
        match this.gate.allowance() {
            Allowance::Nothing => this.wait(context),
            Allowance::Body(awaited) => this.poll_body(awaited, context, buffer),
            Allowance::Head => this.poll_head(context, buffer),
        }
    }
}

impl AsyncWrite for GatedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let polled = Pin::new(this.stream.get_mut()).poll_write(context, bytes);
        this.gate.set_blocked(polled.is_pending());
        if polled.is_pending() {
            this.enter(Phase::Writing);
            this.check_deadline(context)?;
        } else if this.phase == Phase::Writing {
            this.enter(Phase::Working);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(context)
    }
}

//! A connection with at most one outstanding request.

use super::answer::{self, Head};
use anyhow::{Context, bail};
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

/// A connection.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
    head: Option<Head>,
    /// The time at which the outstanding request was due.
    due: Option<Instant>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = std::net::TcpStream::connect(address).context("the server does not accept connections")?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream: TcpStream::from_std(stream), received: Vec::with_capacity(4096), head: None, due: None })
    }

    /// Sends a request that is due now. It is far smaller than the socket's buffer.
    pub(crate) fn send(&mut self, request: &[u8], due: Instant) -> anyhow::Result<()> {
        let sent = self.stream.write(request).context("cannot send a request")?;
        if sent != request.len() {
            bail!("a request was sent only partially");
        }
        self.due = Some(due);
        Ok(())
    }

    /// Receives available bytes. Returns head, body and the due time of the request once the answer is complete.
    pub(crate) fn receive(&mut self, scratch: &mut [u8]) -> anyhow::Result<Option<(Head, &[u8], Instant)>> {
        let Some(due) = self.due else { return Ok(None) };
        loop {
            if self.head.is_none() {
                self.head = answer::head(&self.received)?;
            }
            if let Some(head) = self.head.filter(|head| head.response_length <= self.received.len()) {
                (self.head, self.due) = (None, None);
                return Ok(Some((head, &self.received[head.body_offset..head.response_length], due)));
            }
            if !self.read_some(scratch)? {
                return Ok(None);
            }
        }
    }

    /// Discards the answer that was read.
    pub(crate) fn clear(&mut self) {
        self.received.clear();
    }

    /// Receives once; returns whether there was anything.
    fn read_some(&mut self, scratch: &mut [u8]) -> anyhow::Result<bool> {
        match self.stream.read(scratch) {
            Ok(0) => bail!("the server closed a connection before it answered"),
            Ok(count) => {
                self.received.extend_from_slice(&scratch[..count]);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error).context("cannot receive an answer"),
        }
    }
}

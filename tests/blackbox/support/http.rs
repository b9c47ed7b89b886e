//! Raw HTTP/1.1 over one connection, for requests that a client library refuses to send.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

use super::client::Answer;
use super::server::MAX_WAIT;

/// A connection to a server.
pub(crate) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: &str) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// Returns another handle of this connection, for sending while answers are read.
    pub(crate) fn sending(&self) -> Self {
        Self { stream: self.stream.try_clone().unwrap(), unread: Vec::new() }
    }

    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        stream.set_write_timeout(Some(MAX_WAIT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, unread: Vec::new() }
    }

    /// Sends bytes. Ignores a peer that closed early, because it may have answered already.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
        let _ = self.stream.flush();
    }

    /// Closes the sending direction.
    pub(crate) fn finish_sending(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads one complete answer. The answer to a HEAD request (`is_head`) has no body.
    pub(crate) fn read(&mut self, is_head: bool) -> io::Result<Answer> {
        let end = loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                break end;
            }
            self.more()?;
        };
        let head: Vec<u8> = self.unread.drain(..end + 4).collect();
        let mut answer = parse_head(&head)?;
        if is_head || answer.status == 204 || answer.status == 304 {
            return Ok(answer);
        }
        let chunked = answer.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
        let length = answer.header("content-length").map(str::to_owned);
        answer.body = match length {
            _ if chunked => self.chunks()?,
            Some(length) => self.exactly(length.trim().parse().map_err(io::Error::other)?)?,
            None => self.drain_all()?,
        };
        Ok(answer)
    }

    /// Reads everything until the peer closes.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        self.drain_all().unwrap()
    }

    fn more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        let count = self.stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.unread.extend_from_slice(&buffer[..count]);
        Ok(())
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < length {
            self.more()?;
        }
        Ok(self.unread.drain(..length).collect())
    }

    fn drain_all(&mut self) -> io::Result<Vec<u8>> {
        loop {
            match self.more() {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        Ok(std::mem::take(&mut self.unread))
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = find(&self.unread, b"\r\n") {
                    break end;
                }
                self.more()?;
            };
            let line: Vec<u8> = self.unread.drain(..end + 2).collect();
            let size = String::from_utf8_lossy(&line[..end]);
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
            let chunk = self.exactly(size + 2)?;
            if size == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn parse_head(head: &[u8]) -> io::Result<Answer> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("no status line"))?;
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Ok(Answer { status, headers, body: Vec::new() })
}

/// Sends one request with exactly these header lines (plus `Host` and `Connection: close`) and returns its answer.
pub(crate) fn exchange(address: &str, request_line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut connection = Connection::open(address);
    connection.send(head_of(address, request_line, headers).as_bytes());
    connection.send(body);
    let is_head = request_line.starts_with("HEAD ");
    connection.read(is_head).unwrap_or_else(|error| panic!("no answer to {request_line}: {error}"))
}

/// Formats the head of a request.
pub(crate) fn head_of(address: &str, request_line: &str, headers: &[(&str, &str)]) -> String {
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<Vec<_>>().concat();
    format!("{request_line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{lines}\r\n")
}

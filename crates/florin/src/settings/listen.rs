//! The address to listen on: an IP address, or a host name that is resolved when the server starts.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

/// The setting `listen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    /// An IP address and a port.
    Address(SocketAddr),
    /// A host name and a port.
    Name(String, u16),
}

impl Listen {
    /// Parses `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse() {
            return Some(Self::Address(address));
        }
        let (host, port) = text.rsplit_once(':')?;
        let label = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        // Without a letter the text is a mistyped IP address, not a name.
        let is_name = host.split('.').all(label) && host.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_name.then_some(())?;
        Some(Self::Name(host.to_owned(), port.parse().ok()?))
    }

    /// Returns the address to bind. For a host name it is the first IPv4 address, or else the first address.
    pub(crate) fn resolve(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Address(address) => Ok(*address),
            Self::Name(host, port) => {
                let all: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
                let first = all.iter().find(|address| address.is_ipv4()).or(all.first());
                first.copied().ok_or_else(|| io::Error::other("the name has no address"))
            }
        }
    }
}

/// The setting `admin_listen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AdminListen {
    /// Not given: the default address, if it is free.
    Default,
    /// Health and metrics have no address of their own.
    Off,
    /// This address.
    At(Listen),
}

impl AdminListen {
    /// Parses `off`, or an address like [`Listen::parse`].
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "off" { Some(Self::Off) } else { Listen::parse(text).map(Self::At) }
    }

    /// Returns the address to bind, for a server that listens on `main`. By default it is the local port 8079, or a
    /// free port if the server also chose one.
    pub(crate) fn resolve(&self, main: SocketAddr) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Off => Ok(None),
            Self::At(listen) => listen.resolve().map(Some),
            Self::Default => {
                let port = if main.port() == 0 { 0 } else { 8079 };
                Ok(Some(SocketAddr::from(([127, 0, 0, 1], port))))
            }
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Name(host, port) => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_read() {
        for text in ["127.0.0.1:8080", "[::1]:0", "localhost:8080", "api-1.example.com:443"] {
            assert_eq!(Listen::parse(text).map(|listen| listen.to_string()).as_deref(), Some(text));
        }
        for wrong in ["8080", "nonsense", "localhost", "localhost:", "localhost:99999", "256.0.0.1:80", ":80", "a b:80"]
        {
            assert_eq!(Listen::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_address_for_operators_can_be_turned_off() {
        let main = "127.0.0.1:8080".parse().unwrap();
        assert_eq!(AdminListen::parse("off").unwrap().resolve(main).unwrap(), None);
        let at = |text: &str| AdminListen::parse(text).unwrap().resolve(main).unwrap().unwrap().to_string();
        assert_eq!(at("10.0.0.1:9"), "10.0.0.1:9");
        assert_eq!(AdminListen::parse("none"), None);
        let default = |main: &str| AdminListen::Default.resolve(main.parse().unwrap()).unwrap().unwrap().to_string();
        assert_eq!((default("0.0.0.0:80"), default("[::]:0")), ("127.0.0.1:8079".into(), "127.0.0.1:0".into()));
    }

    #[test]
    fn localhost_is_this_machine() {
        let address = Listen::parse("localhost:8080").unwrap().resolve().unwrap();
        assert!(address.ip().is_loopback() && address.port() == 8080, "{address}");
    }
}

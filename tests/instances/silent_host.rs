//! A host in the database URL that does not respond, as if its machine were off.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use crate::pair::prevent_restarts;
use crate::support::load::check_journal;
use crate::support::{BANKS, Server, Workspace, expect_json};

/// A host that neither accepts nor refuses connections, because the queue of its port is full.
struct SilentHost {
    _listener: Socket,
    _queue: Vec<TcpStream>,
    address: SocketAddr,
}

impl SilentHost {
    fn open() -> Self {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(300)).ok();
        let queue: Vec<_> = std::iter::from_fn(connect).take(100).collect();
        assert!(queue.len() < 100, "the queue does not become full");
        Self { _listener: listener, _queue: queue, address }
    }
}

/// An attempt to connect waits 2 s for this host, before it tries the next one.
#[test]
fn florin_starts_while_the_first_host_does_not_respond() {
    let _undisturbed = prevent_restarts();
    let (silent, workspace) = (SilentHost::open(), Workspace::demo());
    let url = workspace.setting("FLORIN_DATABASE_URL").replacen('@', &format!("@{},", silent.address), 1);
    let server = Server::on(workspace.set("FLORIN_DATABASE_URL", &url));
    expect_json(&server.client().get(BANKS), 200);
    assert_eq!(server.readiness(), 200);
    check_journal(server.workspace());
}

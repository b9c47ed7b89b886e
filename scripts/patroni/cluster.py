#!/usr/bin/env python3
"""A cluster of three PostgreSQL servers with Patroni and etcd, in network namespaces of this machine.

scripts/with-patroni starts it, and documents the commands. Each node has its own network and process namespace, and two
networks: one between the nodes, for replication, etcd and Patroni, and one for clients, for SQL. So a node can be cut
from the others while clients still reach it, and be powered off with all that runs on it.
"""

import glob
import json
import os
import pathlib
import pwd
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

NODES = ("pg1", "pg2", "pg3")
# The networks, and their bridges. Node pg1 is .11 in both; clients are at .1 of the second one.
INSIDE, CLIENTS = "inside", "clients"
# What Patroni calls a standby.
STANDBYS = ("replica", "sync_standby", "quorum_standby")
PREFIX = {INSIDE: "10.213.1", CLIENTS: "10.213.2"}

# The minimum of Patroni. A leader that can't be reached is replaced after this time.
TTL = 20
LOOP_WAIT = 2
RETRY_TIMEOUT = 5

PATIENCE = 300
# A standby that does not follow by then is copied from the leader, as an operator would do: after a cut, PostgreSQL may
# wait forever for a part of the log that only the old leader had.
REJOIN = 90


def home():
    return pathlib.Path(os.environ["WITH_PATRONI_HOME"])


def node_home(node):
    return home() / node


def address(node, network):
    return f"{PREFIX[network]}.{11 + NODES.index(node)}"


def port(node, network):
    """The name of the bridge's end of a node's cable."""
    return f"{node}-{network[0]}"


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def patroni_settings(node, password):
    """One node's configuration of Patroni, which reads JSON as well as YAML."""
    user = {"username": "florin", "password": password}
    return {
        "scope": "florin",
        "name": node,
        "etcd3": {"hosts": [f"{address(member, INSIDE)}:2379" for member in NODES]},
        "restapi": {"listen": "0.0.0.0:8008", "connect_address": f"{address(node, INSIDE)}:8008"},
        "bootstrap": {
            "dcs": {
                "ttl": TTL,
                "loop_wait": LOOP_WAIT,
                "retry_timeout": RETRY_TIMEOUT,
                # A commit is confirmed after a standby has it on its disk, and only such a standby is promoted. Strict:
                # without such a standby, commits wait.
                "synchronous_mode": True,
                "synchronous_mode_strict": True,
                # A leader whose server has crashed is replaced at once, instead of waiting until it has recovered.
                "primary_start_timeout": 0,
                "postgresql": {
                    "use_pg_rewind": True,
                    "use_slots": True,
                    "remove_data_directory_on_rewind_failure": True,
                    "remove_data_directory_on_diverged_timelines": True,
                    # Processes are killed, but the machine stays up, so nothing depends on fsync.
                    "parameters": {
                        "fsync": "off",
                        "full_page_writes": "off",
                        "max_connections": 100,
                        "shared_buffers": "64MB",
                        "wal_log_hints": "on",
                        # How soon a standby follows a new leader, which waits for it.
                        "wal_retrieve_retry_interval": "500ms",
                        "wal_keep_size": "256MB",
                        "max_wal_size": "512MB",
                        "log_min_messages": "warning",
                        "timezone": "UTC",
                    },
                },
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "no-sync"],
            "pg_hba": ["host all all 0.0.0.0/0 scram-sha-256", "host replication all 0.0.0.0/0 scram-sha-256"],
        },
        "postgresql": {
            "listen": "0.0.0.0:5432",
            "connect_address": f"{address(node, INSIDE)}:5432",
            "bin_dir": os.environ["WITH_PATRONI_PROGRAMS"],
            "data_dir": str(node_home(node) / "data"),
            "pgpass": str(node_home(node) / "pgpass"),
            "authentication": {"superuser": user, "replication": user, "rewind": user},
            "parameters": {"unix_socket_directories": str(node_home(node))},
        },
    }


# What runs on a node.


def as_user(*command):
    """PostgreSQL refuses to run as root. So it, and Patroni with it, run as another user of a namespace of their own."""
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = pwd.getpwnam("nobody")
    return ["unshare", "--user", f"--map-user={user.pw_uid}", f"--map-group={user.pw_gid}", "--", *command]


def start_etcd(node):
    inside = address(node, INSIDE)
    members = ",".join(f"{member}=http://{address(member, INSIDE)}:2380" for member in NODES)
    return spawn(
        node,
        "etcd",
        "--name", node,
        "--data-dir", node_home(node) / "etcd",
        "--listen-peer-urls", f"http://{inside}:2380",
        "--listen-client-urls", f"http://{inside}:2379",
        "--initial-advertise-peer-urls", f"http://{inside}:2380",
        "--advertise-client-urls", f"http://{inside}:2379",
        "--initial-cluster", members,
        "--initial-cluster-state", "new",
    )


def start_patroni(node):
    return spawn(node, *as_user("patroni", node_home(node) / "patroni.json"), name="patroni")


def spawn(node, *command, name=None):
    with open(node_home(node) / f"{name or command[0]}.log", "ab") as log:
        return subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def be_node(node):
    """The first process of a node: keeps etcd and Patroni running, and kills what it is told to kill."""
    started = {}
    start = {"etcd": start_etcd, "patroni": start_patroni}
    while True:
        for name, begin in start.items():
            is_wanted = not (home() / f"no-{name}").exists()
            if is_wanted and name not in started:
                started[name] = begin(node).pid
            if not is_wanted and name in started:
                os.kill(started[name], signal.SIGKILL)
        order = node_home(node) / "kill-postgres"
        if order.exists():
            first_line = (node_home(node) / "data" / "postmaster.pid").read_text().splitlines()[0]
            os.kill(int(first_line), signal.SIGKILL)
            order.unlink()
        # Processes whose parents have ended are children of this one.
        while True:
            try:
                ended, _status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not ended:
                break
            started = {name: pid for name, pid in started.items() if pid != ended}
        time.sleep(0.05)


# The networks.


def attach(node, network):
    run("ip", "link", "set", port(node, network), "master", network, "up")


def detach(node, network):
    """Pulls the cable out of the switch: nobody is told, and packets disappear."""
    run("ip", "link", "set", port(node, network), "nomaster")


def build_networks():
    run("ip", "link", "set", "lo", "up")
    for network in (INSIDE, CLIENTS):
        run("ip", "link", "add", network, "type", "bridge")
        run("ip", "link", "set", network, "up")
    run("ip", "address", "add", f"{PREFIX[CLIENTS]}.1/24", "dev", CLIENTS)
    for node in NODES:
        place = node_home(node) / "network"
        place.touch()
        run("unshare", f"--net={place}", "ip", "link", "set", "lo", "up")
        for network in (INSIDE, CLIENTS):
            run("ip", "link", "add", port(node, network), "type", "veth", "peer", "name", network, "netns", place)
            inside = ("nsenter", f"--net={place}", "ip")
            run(*inside, "address", "add", f"{address(node, network)}/24", "dev", network)
            run(*inside, "link", "set", network, "up")
            attach(node, network)


# Questions.


def ask(node, path):
    """Asks Patroni on a node. Returns `None` without an answer."""
    try:
        with urllib.request.urlopen(f"http://{address(node, CLIENTS)}:8008{path}", timeout=2) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


def members():
    """The members of the cluster, as the first node that answers sees them."""
    for node in NODES:
        found = ask(node, "/cluster")
        if found and found.get("members"):
            return found["members"]
    return []


def current_leader():
    for node in NODES:
        found = ask(node, "/leader")
        if found and found.get("role") in ("master", "primary"):
            return node
    return None


def command(node, path, body):
    """Gives Patroni on a node a command."""
    request = urllib.request.Request(f"http://{address(node, CLIENTS)}:8008{path}", json.dumps(body).encode())
    try:
        urllib.request.urlopen(request, timeout=60).close()
    except urllib.error.HTTPError as error:
        sys.exit(f"with-patroni: {node}: {path}: {error}: {error.read().decode()}")


def accepts_writes(node):
    found = ask(node, "/patroni")
    return bool(found) and found.get("role") in ("master", "primary")


def follows(member, leader):
    return (
        # Older versions of Patroni say "running".
        member["state"] in ("streaming", "running")
        and member.get("timeline") == leader.get("timeline")
        and ask(member["name"], "/replica?lag=1MB") is not None
    )


def missing():
    """What is missing of a leader and two standbys that follow it, one of them synchronously. Empty if nothing is."""
    found = members()
    leaders = [member for member in found if member["role"] == "leader" and member["state"] == "running"]
    if len(leaders) != 1:
        return ["leader"]
    standbys = {member["name"]: member for member in found if member["role"] in STANDBYS}
    others = [node for node in NODES if node != leaders[0]["name"]]
    late = [node for node in others if node not in standbys or not follows(standbys[node], leaders[0])]
    if not late and all(member["role"] == "replica" for member in standbys.values()):
        return ["synchronous standby"]
    return late


def is_whole():
    return not missing()


def wait_until(condition, what):
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > PATIENCE:
            sys.exit(f"with-patroni: {what}: not within {PATIENCE} s: {json.dumps(members())}")
        time.sleep(0.2)


# Commands.


def leader():
    wait_until(current_leader, "a leader")
    print(current_leader())


def whole():
    began, copied = time.monotonic(), set()

    def is_whole_or_copied():
        late = missing()
        if time.monotonic() - began > REJOIN:
            for node in set(late).intersection(NODES) - copied:
                print(f"with-patroni: {node} does not follow, and is copied from the leader", file=sys.stderr)
                command(node, "/reinitialize", {"force": True})
                copied.add(node)
        return not late

    wait_until(is_whole_or_copied, "a leader and two standbys")


def kill(node):
    """Kills the first process of PostgreSQL."""
    order = node_home(node) / "kill-postgres"
    order.touch()
    wait_until(lambda: not order.exists(), "the end of PostgreSQL")


def stop(node):
    """Powers a node off: it says no goodbye, and all of its processes end."""
    for network in (INSIDE, CLIENTS):
        detach(node, network)
    pid = node_home(node) / "pid"
    os.kill(int(pid.read_text()), signal.SIGKILL)
    pid.unlink()


def start(node):
    """Powers a node on."""
    for network in (INSIDE, CLIENTS):
        attach(node, network)
    (node_home(node) / "data" / "postmaster.pid").unlink(missing_ok=True)
    command = ["nsenter", f"--net={node_home(node) / 'network'}"]
    command += ["unshare", "--pid", "--mount-proc", "--fork", "--kill-child", sys.executable, __file__, "node", node]
    with open(node_home(node) / "node.log", "ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
        )
    (node_home(node) / "pid").write_text(str(process.pid))


def cut(node, who="all"):
    """Cuts a node from the other nodes, and, unless told otherwise, from clients."""
    for network in (INSIDE,) if who == "nodes" else (INSIDE, CLIENTS):
        detach(node, network)


def heal(node):
    for network in (INSIDE, CLIENTS):
        attach(node, network)


def switchover(node):
    """Makes a synchronous standby the leader instead of this node."""
    command(node, "/switchover", {"leader": node})


def lose_etcd():
    """Kills etcd on all nodes, and waits until the leader has stepped down."""
    (home() / "no-etcd").touch()
    wait_until(lambda: not any(accepts_writes(node) for node in NODES), "the end of the leader")


def return_etcd():
    (home() / "no-etcd").unlink()


def run_with_cluster(*command):
    """Starts the cluster, and runs a command with it. Everything ends with this process, the first of its namespace."""
    run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", home())
    password = secrets.token_hex(16)
    for node in NODES:
        node_home(node).mkdir()
        settings = node_home(node) / "patroni.json"
        settings.touch(mode=0o600)
        settings.write_text(json.dumps(patroni_settings(node, password)))
    build_networks()
    for node in NODES:
        start(node)
    wait_until(is_whole, "a leader and two standbys")
    hosts = ",".join(f"{address(node, CLIENTS)}:5432" for node in NODES)
    options = "target_session_attrs=read-write&connect_timeout=2&sslmode=disable"
    os.environ["DATABASE_URL"] = f"postgres://florin:{password}@{hosts}/postgres?{options}"
    os.environ["WITH_PATRONI"] = __file__
    sys.exit(subprocess.run(command).returncode)


COMMANDS = {
    "leader": leader,
    "whole": whole,
    "kill": kill,
    "stop": stop,
    "start": start,
    "cut": cut,
    "heal": heal,
    "switchover": switchover,
    "lose-etcd": lose_etcd,
    "return-etcd": return_etcd,
}

if __name__ == "__main__":
    OTHERS = {"run": run_with_cluster, "node": be_node}
    {**COMMANDS, **OTHERS}[sys.argv[1]](*sys.argv[2:])

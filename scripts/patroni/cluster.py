#!/usr/bin/env python3
"""Runs a cluster of three PostgreSQL servers with Patroni and etcd, in namespaces of this machine.

scripts/with-patroni starts it, and documents the commands. Each node has its own namespaces of network, processes and
shared memory. It is connected to two networks: one for replication, etcd and Patroni, and one for SQL and for these
commands. So a node can be cut from the other nodes while clients still reach it, and it can be powered off with all its
processes.
"""

import http.client
import json
import os
import pathlib
import pwd
import secrets
import signal
import subprocess
import sys
import time
import urllib.request

NODES = ("pg1", "pg2", "pg3")
# The two networks, which are also the names of their bridges. Node pg1 has the address .11 in both. Clients and these
# commands have the address .1 in the second one.
INSIDE, CLIENTS = "inside", "clients"
PREFIX = {INSIDE: "10.213.1", CLIENTS: "10.213.2"}
# The roles that Patroni reports for standbys.
STANDBYS = ("replica", "sync_standby", "quorum_standby")

# A leader that can't be reached is replaced after this time, in seconds like all times here. 20 s is Patroni's minimum.
TTL = 20
LOOP_WAIT = 2
RETRY_TIMEOUT = 5

# How long a command waits for the cluster.
PATIENCE = 600
# A standby that does not follow after this time is copied from the leader, as an operator would do: after a cut,
# PostgreSQL may wait forever for a part of the log that only the old leader had. If it does not follow after the copy,
# it is copied again after the same time.
REJOIN = 90
# Pause before the next attempt if Patroni refuses the copy, for example because there is no leader.
RETRY = 10
# Minimum time between two starts of a program on a node.
RESTART = 1
# Number of lines of each log that are shown if the command fails.
LOG_LINES = 25


def home():
    return pathlib.Path(os.environ["WITH_PATRONI_HOME"])


def node_home(node):
    return home() / node


def address(node, network):
    return f"{PREFIX[network]}.{11 + NODES.index(node)}"


def interface_name(node, network):
    """Returns the name of the network interface that connects a node to the bridge of a network."""
    return f"{node}-{network[0]}"


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def patroni_settings(node, password):
    """Returns the configuration of Patroni on a node. Patroni reads JSON as well as YAML."""
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
                # A commit is confirmed after a standby has it on its disk, and only such a standby is promoted. In
                # strict mode, commits wait while there is no such standby.
                "synchronous_mode": True,
                "synchronous_mode_strict": True,
                # A leader whose server has crashed is replaced at once: the cluster does not wait for its recovery.
                "primary_start_timeout": 0,
                "postgresql": {
                    "use_pg_rewind": True,
                    "use_slots": True,
                    "remove_data_directory_on_rewind_failure": True,
                    "remove_data_directory_on_diverged_timelines": True,
                    # Processes are killed, but the machine stays up, so nothing depends on fsync. full_page_writes is
                    # on, because a killed process may have written half a page, and because pg_rewind requires it.
                    "parameters": {
                        "fsync": "off",
                        "max_connections": 100,
                        "shared_buffers": "64MB",
                        "wal_log_hints": "on",
                        # The pause between two attempts of a standby to follow a new leader, instead of 5 s. Until it
                        # follows, commits wait.
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
            # By default, a copy waits up to five minutes for the leader's next checkpoint.
            "basebackup": {"checkpoint": "fast"},
            "parameters": {"unix_socket_directories": str(node_home(node))},
        },
    }


# What runs on a node.


def as_user(*command):
    """Returns a command that runs `command` as another user, because PostgreSQL refuses to run as root.

    The command runs in a user namespace of its own.
    """
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
        "--auto-compaction-mode", "periodic",
        "--auto-compaction-retention", "10m",
        "--logger", "zap",
        "--log-level", "warn",
    )


def start_patroni(node):
    return spawn(node, *as_user("patroni", node_home(node) / "patroni.json"), name="patroni")


def kill_postgres_on_request(node):
    """Kills PostgreSQL if the file `kill-postgres` exists, and then deletes the file.

    If PostgreSQL is not running, the file stays, and the next call tries again.
    """
    request = node_home(node) / "kill-postgres"
    if not request.exists():
        return
    try:
        first_line = (node_home(node) / "data" / "postmaster.pid").read_text().splitlines()[0]
        os.kill(int(first_line), signal.SIGKILL)
    except (OSError, ValueError, IndexError):
        return
    request.unlink()


def spawn(node, *command, name=None):
    with open(node_home(node) / f"{name or command[0]}.log", "ab") as log:
        return subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def run_as_node(node):
    """Runs as the first process of a node.

    Starts etcd and Patroni, and restarts them when they end. The commands control it with files: while `no-etcd`
    exists, etcd is killed and not restarted, and `kill-postgres` kills PostgreSQL once.
    """
    # PostgreSQL's shared memory ends with the node, and is not limited to the 64 MB of a container.
    if os.path.isdir("/dev/shm"):
        run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/dev/shm")
    started, started_at = {}, {}
    start = {"etcd": start_etcd, "patroni": start_patroni}
    while True:
        for name, begin in start.items():
            must_run = not (home() / f"no-{name}").exists()
            if must_run and name not in started and time.monotonic() - started_at.get(name, -RESTART) >= RESTART:
                started[name], started_at[name] = begin(node).pid, time.monotonic()
            if not must_run and name in started:
                os.kill(started[name], signal.SIGKILL)
        kill_postgres_on_request(node)
        # Removes ended processes, also those whose parents have ended.
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
    run("ip", "link", "set", interface_name(node, network), "master", network, "up")


def detach(node, network):
    """Disconnects a node from a network. Both ends keep their links, and packets are lost."""
    run("ip", "link", "set", interface_name(node, network), "nomaster")


def build_networks():
    run("ip", "link", "set", "lo", "up")
    for network in (INSIDE, CLIENTS):
        run("ip", "link", "add", network, "type", "bridge")
        run("ip", "link", "set", network, "up")
    run("ip", "address", "add", f"{PREFIX[CLIENTS]}.1/24", "dev", CLIENTS)
    for node in NODES:
        namespace = node_home(node) / "network"
        namespace.touch()
        run("unshare", f"--net={namespace}", "ip", "link", "set", "lo", "up")
        for network in (INSIDE, CLIENTS):
            ends = (interface_name(node, network), "type", "veth", "peer", "name", network, "netns", namespace)
            run("ip", "link", "add", *ends)
            inside = ("nsenter", f"--net={namespace}", "ip")
            run(*inside, "address", "add", f"{address(node, network)}/24", "dev", network)
            run(*inside, "link", "set", network, "up")
            attach(node, network)


# The state of the cluster.


def ask(node, path):
    """Returns the answer of Patroni on a node. `None`: it does not answer, or reports an error."""
    try:
        with urllib.request.urlopen(f"http://{address(node, CLIENTS)}:8008{path}", timeout=2) as answer:
            return json.load(answer)
    except (OSError, ValueError, http.client.HTTPException):
        return None


def members():
    """Returns the members of the cluster, as the first node that answers reports them."""
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


def send_command(node, path, body):
    """Sends a command to Patroni on a node. Returns whether it succeeded, and prints the reason if not."""
    request = urllib.request.Request(f"http://{address(node, CLIENTS)}:8008{path}", json.dumps(body).encode())
    try:
        urllib.request.urlopen(request, timeout=60).close()
        return True
    except (OSError, http.client.HTTPException) as error:
        reason = error.read().decode(errors="replace") if hasattr(error, "read") else ""
        print(f"with-patroni: {node}: {path}: {error} {reason}", file=sys.stderr)
        return False


def has_stepped_down(node):
    """Whether a node reports that it is not the leader. A node that does not answer may still be the leader."""
    found = ask(node, "/patroni")
    return bool(found) and found.get("role") not in ("master", "primary")


def follows(member, leader):
    return (
        # Older versions of Patroni say "running".
        member["state"] in ("streaming", "running")
        and member.get("timeline") == leader.get("timeline")
        and ask(member["name"], "/replica?lag=1MB") is not None
    )


def missing():
    """Returns what is missing of a leader and two standbys that follow it, one of them synchronously.

    These are the names of nodes that do not follow, or a description. An empty list: nothing is missing.
    """
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


def is_being_copied(node):
    return any(member["name"] == node and member["state"] == "creating replica" for member in members())


def wait_until(condition, what, pause=0.2):
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > PATIENCE:
            sys.exit(f"with-patroni: {what}: not within {PATIENCE} s: {json.dumps(members())}")
        time.sleep(pause)


# Commands.


def leader():
    found = None

    def is_found():
        nonlocal found
        found = current_leader()
        return found

    wait_until(is_found, "a leader")
    print(found)


def whole():
    # The time at which each standby is copied, unless it follows before.
    copy_at = dict.fromkeys(NODES, time.monotonic() + REJOIN)

    def is_whole_or_copied():
        late, now = missing(), time.monotonic()
        for node in set(late).intersection(NODES):
            # Another command would begin a copy again that is in progress.
            if now < copy_at[node] or is_being_copied(node):
                continue
            print(f"with-patroni: {node} does not follow, and is copied from the leader", file=sys.stderr)
            is_begun = send_command(node, "/reinitialize", {"force": True})
            copy_at[node] = now + (REJOIN if is_begun else RETRY)
        return not late

    wait_until(is_whole_or_copied, "a leader and two standbys", pause=0.5)


def kill(node):
    """Kills the first process of PostgreSQL on a node."""
    request = node_home(node) / "kill-postgres"
    request.touch()
    wait_until(lambda: not request.exists(), "the end of PostgreSQL")


def stop(node):
    """Powers a node off. All its processes end at once, and it closes no connection."""
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
    command += ["unshare", "--pid", "--ipc", "--mount-proc", "--fork", "--kill-child"]
    command += [sys.executable, __file__, "node", node]
    with open(node_home(node) / "node.log", "ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
        )
    (node_home(node) / "pid").write_text(str(process.pid))


def cut(node, who="all"):
    """Cuts a node from the other nodes, and also from clients if `who` is "all"."""
    for network in (INSIDE,) if who == "nodes" else (INSIDE, CLIENTS):
        detach(node, network)


def heal(node):
    for network in (INSIDE, CLIENTS):
        attach(node, network)


def switchover(node):
    """Makes a synchronous standby the leader instead of this node. Tries again if Patroni refuses."""
    wait_until(
        lambda: send_command(node, "/switchover", {"leader": node}) or current_leader() not in (node, None),
        "a switchover",
        pause=2,
    )


def lose_etcd():
    """Kills etcd on all nodes, and waits until the leader has stepped down."""
    (home() / "no-etcd").touch()
    wait_until(lambda: all(has_stepped_down(node) for node in NODES), "the end of the leader")


def return_etcd():
    (home() / "no-etcd").unlink()


def run_with_cluster(*command):
    """Starts the cluster and runs a command with it.

    This is the first process of its namespace, so all other processes end with it.
    """
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
    status = subprocess.run(command).returncode
    if status:
        show_logs()
    sys.exit(status)


def show_logs():
    """Shows the last lines of all logs: the logs are in memory, and are lost with the cluster."""
    for log in sorted(home().glob("*/*.log")):
        lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        print(f"with-patroni: the end of {log.parent.name}/{log.name}:", *lines, sep="\n", file=sys.stderr)


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
    OTHERS = {"run": run_with_cluster, "node": run_as_node}
    {**COMMANDS, **OTHERS}[sys.argv[1]](*sys.argv[2:])

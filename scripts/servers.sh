# Sourced by the scripts that run a command with temporary servers of PostgreSQL.

say() { echo "$(basename "$0"): $*" >&2; }

# Prints the folder of the server's programs, or nothing.
find_programs() {
    local folder
    for folder in "$(dirname "$(command -v postgres 2>/dev/null || echo /nowhere/x)")" \
        $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin /opt/homebrew/opt/postgresql*/bin \
            /usr/local/opt/postgresql*/bin 2>/dev/null | sort -rV); do
        if [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ] && [ -x "$folder/postgres" ]; then
            echo "$folder"
            return
        fi
    done
}

# Runs a command as the user who runs the server: the caller, or another user if the caller is root.
as_user() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
    elif command -v setpriv >/dev/null; then
        setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups -- "$@"
    elif command -v runuser >/dev/null; then
        runuser -u "$user" -- "$@"
    else
        su -s /bin/sh "$user" -c 'exec "$@"' -- sh "$@"
    fi
}

pick_user() {
    local candidate
    for candidate in postgres nobody; do
        if id -u "$candidate" >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    say "the server refuses to run as root, and there is no user postgres or nobody: call this as another user"
    exit 3
}

# Creates the server's directory. The server's user may not have access to a private TMPDIR.
make_directory() {
    local parent
    for parent in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
        directory="$(mktemp -d "$parent/florin-pg-XXXXXX")" || continue
        [ "$(id -u)" != 0 ] || chown "$user" "$directory"
        if as_user test -w "$directory" 2>/dev/null; then
            return
        fi
        rm -rf "$directory"
    done
    say "no directory for a temporary server: neither TMPDIR, /tmp nor /var/tmp can be used"
    exit 3
}

free_port() {
    local port
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    say "no free port was found"
    exit 3
}

new_password() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Arranges that remove_server runs when this process ends, even if it is killed: a helper process waits until its pipe closes.
remove_at_end() {
    mkfifo "$directory.pipe"
    (
        trap '' INT TERM HUP
        read -r _ <"$directory.pipe" || true
        remove_server
        rm -rf "$directory" "$directory.pipe"
    ) >/dev/null 2>&1 &
    remover=$!
    exec 9>"$directory.pipe"
    trap 'code=$?; trap "" INT TERM HUP; exec 9>&-; wait "$remover" || true; exit "$code"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Runs the command so that a signal sent to this script reaches all its processes. At a terminal, it stays in the foreground.
run() {
    if [ -t 0 ]; then
        "$@" 9>&-
        return
    fi
    local child
    set -m
    "$@" <&0 9>&- &
    child=$!
    set +m
    trap 'kill -TERM -- "-$child" 2>/dev/null || true; exit 129' HUP
    trap 'kill -INT -- "-$child" 2>/dev/null || true; exit 130' INT
    trap 'kill -TERM -- "-$child" 2>/dev/null || true; exit 143' TERM
    wait "$child"
}

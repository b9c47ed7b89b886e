# Sourced by the scripts of this folder: sets the working folder and the packages, and finds and installs tools.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export PATH="${CARGO_HOME:-${HOME:-}/.cargo}/bin:$PATH"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"

# Every step selects the same packages and features, so that each can use what an earlier one compiled. The only feature
# left out is florin-store-diesel/postgres-tls, which needs OpenSSL's headers on the building machine.
all=(--workspace --features florin-ports/test-support)

# Runs a command, and shows it with the time at which it begins.
step() {
    echo "==> $(date +%H:%M:%S) $*"
    "$@"
}

# Builds the programs. With examples, cargo uses the features of the dev-dependencies, as it does for tests. Without
# examples, it would compile a hundred packages a second time.
build_programs() {
    step cargo build "${all[@]}" --bins --examples "$@"
}

# Prints the command that runs apt-get without questions. Fails if apt-get may not be used.
apt_command() {
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" = 0 ]; then
        echo "env DEBIAN_FRONTEND=noninteractive apt-get"
    elif sudo -n true 2>/dev/null; then
        echo "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"
    else
        return 1
    fi
}

# Installs Debian packages, where that is allowed.
install_packages() {
    local apt_get
    apt_get="$(apt_command)" || return 1
    step $apt_get update -q && step $apt_get install -q -y --no-install-recommends "$@"
}

# Installs the packages that a file lists into an environment of Python, unless it has them: install_python FILE FOLDER
install_python() {
    # An environment stops working when Python is upgraded.
    cmp -s "$1" "$2/requirements.txt" && "$2/bin/pip" --version >/dev/null 2>&1 && return
    python3 -m venv --clear "$2" &&
        "$2/bin/pip" install --quiet --disable-pip-version-check --requirement "$1" && cp "$1" "$2/requirements.txt"
}

has_python() { python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }

# Prints what is not run and why, and exits. With CI set, that is a failure.
not_run() {
    echo "NOT RUN: $*"
    [ -z "${CI:-}" ] || exit 1
    exit 0
}

# Installs the packages that scripts/FOLDER lists for Node and Python under the target directory, and sets `tools` to
# their folder. If that fails, prints that WHAT is not run (with CI set, a failure): install_tools FOLDER WHAT
install_tools() {
    local sources="$PWD/scripts/$1" target="${CARGO_TARGET_DIR:-target}"
    mkdir -p "$target/$1"
    tools="$(cd "$target/$1" && pwd)"
    if ! install_listed_and_programs "$sources" >"$tools/install.log" 2>&1; then
        tail -n 5 "$tools/install.log" >&2
        not_run "$2, for lack of Node, npm, Python with venv, or the network"
    fi
}

# Installs the packages that a folder lists. If that fails, installs Node and Python with apt, and tries again.
install_listed_and_programs() {
    install_listed "$1" || { install_packages nodejs npm python3 python3-venv && install_listed "$1"; }
}

install_listed() {
    ensure_new_node && install_python "$1/requirements.txt" "$tools/python" &&
        cp "$1/package.json" "$1/package-lock.json" "$tools" &&
        (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts)
}

# Installs a newer Node if that of the machine is too old: Debian 12 has Node 18, which the tools refuse.
ensure_new_node() {
    [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] && return
    export PATH="$tools/node/node_modules/.bin:$PATH"
    [ -x "$tools/node/node_modules/.bin/node" ] ||
        npm install --silent --no-audit --no-fund --prefix "$tools/node" node@22.23.3
}

# Shared by the scripts of this folder, which source it: the working folder, the packages, and how tools are found.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export PATH="${CARGO_HOME:-${HOME:-}/.cargo}/bin:$PATH"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"

# Every step selects the same packages and features, so that each can use what an earlier one compiled. The only feature
# left out is florin-store-diesel/postgres-tls, which needs OpenSSL's headers on the building machine.
all=(--workspace --features florin-ports/test-support)

step() {
    echo "==> $*"
    "$@"
}

# Prints apt-get with what it takes to run it without a question; fails where it may not be used.
apt() {
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
    apt_get="$(apt)" || return 1
    step $apt_get update -q && step $apt_get install -q -y --no-install-recommends "$@"
}

has_python() { python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }

#!/usr/bin/env bash
# Makes a clone ready: installs the npm packages and, when none is reachable, a Redis server. Safe to run again; does nothing then.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }

command -v git >/dev/null || { say 'git is needed; install it with your package manager'; exit 1; }

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say 'installing the npm packages (npm ci)'
  npm ci --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi

if [ -z "${REDIS_URL:-}" ] && ! command -v redis-server >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say 'installing redis-server with apt-get'
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends redis-server >/dev/null 2>&1 ||
      { apt-get update >/dev/null && apt-get install -y --no-install-recommends redis-server >/dev/null; }
  else
    say 'no redis-server found: install it (Debian: apt-get install redis-server; macOS: brew install redis) or set REDIS_URL'
    exit 1
  fi
fi

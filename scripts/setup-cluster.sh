#!/usr/bin/env bash
# Installs what `npm run test:cluster` runs a real Kubernetes with: Debian packages where we are root, else a list of what is missing.
# Safe to run again; does nothing then. Nothing is needed where KUBECONFIG or HAKOPOD_TEST_KUBECONFIG names a cluster.
set -euo pipefail

say() { printf 'setup-cluster: %s\n' "$*" >&2; }

[ -z "${KUBECONFIG:-}${HAKOPOD_TEST_KUBECONFIG:-}" ] || exit 0
command -v go >/dev/null || say 'no Go found: Kubernetes is built from its Go modules (https://go.dev/doc/install); without it, set KUBECONFIG'

missing=()
need() { [ -x "$1" ] || command -v "$1" >/dev/null || missing+=("$2"); }
need etcd etcd-server
need openssl openssl
need containerd containerd
need runc runc
need buildah buildah
need docker-registry docker-registry
need ip iproute2
need iptables iptables
need /bin/busybox busybox-static
need /usr/lib/cni/bridge containernetworking-plugins
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  say "tests on real pods need, as root: ${missing[*]} (names of Debian packages); what can not run is skipped"
  exit 0
fi
say "installing ${missing[*]} with apt-get"
export DEBIAN_FRONTEND=noninteractive
# No service is to start by itself: the tests start private ones.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
install() { apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null; }
install 2>/dev/null || { apt-get update >/dev/null && install; }

#!/bin/sh
# Becomes one of the processes of the system, or brings the database to this release's tables.
set -eu
cd "${GATEHOUSE_ROOT:-/gatehouse}"
case "${1:-}" in
  # A larger young generation: in the two hot processes requests die young, and copying them costs latency.
  gateway | token) exec node --max-semi-space-size=64 "services/$1/src/main.ts" ;;
  client-registry | identity | events) exec node "services/$1/src/main.ts" ;;
  migrate) exec node prisma/src/migrate-command.ts ;;
esac
echo "usage: gateway, token, client-registry, identity, events or migrate" >&2
# EX_USAGE of sysexits.h
exit 64

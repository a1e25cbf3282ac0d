#!/bin/sh
# Makes up the secrets of a system in containers, once: .env beside this file, which docker compose reads.
set -eu
cd "$(dirname "$0")"
if [ -e .env ]; then
  echo ".env is there already: delete it for new secrets. The database's volume keeps its old password." >&2
  exit 1
fi
umask 077
secret() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
cat >.env <<VARIABLES
COMPOSE_PROJECT_NAME=gatehouse
OAUTH2_JWT_SECRET=$(secret)
OAUTH2_SESSION_KEY=$(secret)
OAUTH2_FACTOR_KEY=$(secret)
OAUTH2_SEED_PASSWORD=$(secret)
POSTGRES_PASSWORD=$(secret)
GRAFANA_PASSWORD=$(secret)
VARIABLES
echo "Made .env. The administrator of Gatehouse is admin, with the password OAUTH2_SEED_PASSWORD in it."

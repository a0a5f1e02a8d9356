#!/bin/sh
# Runs PostgreSQL for compose.yaml with a random password, because its port is published to this machine and every user can
# connect. The first start generates the password and stores it in a volume that only these containers mount.
# POSTGRES_PASSWORD in the environment overrides it.
#
#   postgres.sh start   creates the password and starts PostgreSQL
#   postgres.sh check   succeeds once the database accepts the broker's URL
set -eu
folder=${MERKLE_SECRETS:-/run/merkle}

case $1 in
  start)
    if [ -n "${OWN_PASSWORD:-}" ]; then
      password=$OWN_PASSWORD
    elif [ -s "$folder/password" ]; then
      password=$(cat "$folder/password")
    else
      password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
    fi
    rm -f "$folder/password" "$folder/database-url"
    printf %s "$password" > "$folder/password"
    printf 'postgres://merkle:%s@postgres:5432/merkle' "$password" > "$folder/database-url"
    # The broker runs as another user, in its own container.
    chmod 0444 "$folder/password" "$folder/database-url"
    unset OWN_PASSWORD
    export POSTGRES_PASSWORD_FILE="$folder/password"
    exec docker-entrypoint.sh postgres
    ;;
  check)
    pg_isready -q -U merkle -d merkle || exit 1
    psql -q -w -c 'SELECT 1' "$(cat "$folder/database-url")" > /dev/null 2>&1 && exit 0
    # A database created by an earlier compose.yaml still has the password from that file.
    echo "ALTER ROLE merkle PASSWORD :'password'" |
      psql -q -v ON_ERROR_STOP=1 -v password="$(cat "$folder/password")" -U merkle -d merkle
    ;;
esac

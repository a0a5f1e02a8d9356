#!/bin/sh
# PostgreSQL of compose.yaml, with a password that nobody else knows: the port is published to this machine, where every user
# may connect. It is drawn at the first start and kept in a volume that only these containers mount, unless POSTGRES_PASSWORD
# of the environment says another.
#
#   postgres.sh start   draws it and starts PostgreSQL
#   postgres.sh check   is healthy once the broker's address opens the database
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
    # The broker is another user, in its own container.
    chmod 0444 "$folder/password" "$folder/database-url"
    unset OWN_PASSWORD
    export POSTGRES_PASSWORD_FILE="$folder/password"
    exec docker-entrypoint.sh postgres
    ;;
  check)
    pg_isready -q -U merkle -d merkle || exit 1
    psql -q -w -c 'SELECT 1' "$(cat "$folder/database-url")" > /dev/null 2>&1 && exit 0
    # A database that an earlier compose.yaml made has the password that was written there.
    echo "ALTER ROLE merkle PASSWORD :'password'" |
      psql -q -v ON_ERROR_STOP=1 -v password="$(cat "$folder/password")" -U merkle -d merkle
    ;;
esac

#!/bin/sh
# Entry point of the image `postgres`, as far as the program uses that of the official image: creates the cluster in an empty PGDATA, then
# starts the server with the arguments of the container. Another command is run as it is.
set -eu
case ${1:-} in
  "" | -*) ;;
  *) exec "$@" ;;
esac
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # POSTGRES_INITDB_ARGS is a list of words.
  # shellcheck disable=SC2086
  initdb --pgdata="$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo "host all all all $POSTGRES_HOST_AUTH_METHOD" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
fi
exec postgres -D "$PGDATA" "$@"

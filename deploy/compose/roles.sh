#!/bin/sh
# Run once by the image of PostgreSQL, as the owner of the database: the role of the server's processes.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --set password="$GEM_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE gem LOGIN PASSWORD :'password';
SQL

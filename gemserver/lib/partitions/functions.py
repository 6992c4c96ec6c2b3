"""Functions and triggers that PostgreSQL keeps for a divided table.

Only the owner of a table may divide it, and workers are not the owner (`deploy/roles.sql`). So functions of the owner
make and drop partitions for them, and check what must hold: a compromised worker cannot drop what is unfinished.
"""

from __future__ import annotations

from gemserver.lib.partitions.tables import OnceOnly, PartitionedTable

REFERRED_TO = (
    "SELECT DISTINCT confrelid::regclass::text AS name FROM pg_constraint "
    "WHERE contype = 'f' AND conrelid = to_regclass(TABLE) ORDER BY 1 DESC"
)
"""The tables that foreign keys of a TABLE lead to, which are locked too; in the order in which a move locks them."""


def once_sql(table: PartitionedTable, once: OnceOnly, schema: str) -> list[str]:
    """The key table with its trigger functions. Two inserts of one key: the second waits for the first's commit.

    A row whose key is its own is one that an UPDATE of its time moves to another partition.
    """
    known = f"substr(sha256(convert_to(NEW.{once.column}, 'UTF8')), 1, 16)"
    refusal = "RETURN NULL;"
    if once.refused_as:
        refusal = (
            "RAISE unique_violation USING MESSAGE = "
            f"'duplicate key value violates unique constraint \"{once.refused_as}\"', "
            f"CONSTRAINT = '{once.refused_as}', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA;"
        )
    return [
        f"CREATE TABLE IF NOT EXISTS {once.table} "
        "(at timestamptz NOT NULL, row_id bigint NOT NULL, key bytea PRIMARY KEY)",
        # By this keys are found that are forgotten; rows lie in the order of their time.
        f"CREATE INDEX IF NOT EXISTS {once.table}_at ON {once.table} USING brin (at) WITH (autosummarize = on)",
        f"""
        CREATE OR REPLACE FUNCTION {table.name}_once() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            known bytea := {known};
        BEGIN
            INSERT INTO {schema}.{once.table} (at, row_id, key) VALUES (NEW.{table.column}, NEW.id, known)
                ON CONFLICT DO NOTHING;
            IF NOT FOUND AND NOT EXISTS (
                SELECT FROM {schema}.{once.table} keys WHERE keys.key = known AND keys.row_id = NEW.id
            ) THEN
                {refusal}
            END IF;
            RETURN NEW;
        END $$
        """,
        # Whoever empties the table as a whole, as tests do, means to begin anew.
        f"""
        CREATE OR REPLACE FUNCTION {table.name}_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            TRUNCATE {schema}.{once.table};
            RETURN NULL;
        END $$
        """,
    ]


def once_trigger(table: PartitionedTable) -> str:
    return (
        f"CREATE TRIGGER {table.name}_once BEFORE INSERT ON {table.name} "
        f"FOR EACH ROW EXECUTE FUNCTION {table.name}_once()"
    )


def emptied_trigger(table: PartitionedTable) -> str:
    return (
        f"CREATE TRIGGER {table.name}_emptied AFTER TRUNCATE ON {table.name} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table.name}_emptied()"
    )


def upkeep_sql(table: PartitionedTable, schema: str) -> list[str]:
    """The owner's functions, which nobody may call who was not given the right."""
    make = f"{table.name}_make(text, {table.step.sql_type}, {table.step.sql_type}, bigint)"
    drop = f"{table.name}_drop(text)"
    return [
        _make_function(table, schema),
        _drop_function(table, schema),
        f"REVOKE ALL ON FUNCTION {make} FROM PUBLIC",
        f"REVOKE ALL ON FUNCTION {drop} FROM PUBLIC",
        f"REVOKE ALL ON FUNCTION {table.name}_analyze() FROM PUBLIC",
    ]


def _lock_referred(table: PartitionedTable, mode: str) -> str:
    """Locks that foreign keys need, before those that more people wait for."""
    tables = REFERRED_TO.replace("TABLE", f"'{table.name}'")
    return f"FOR given IN {tables} LOOP EXECUTE 'LOCK TABLE ' || given.name || ' IN {mode} MODE'; END LOOP;"


def _make_function(table: PartitionedTable, schema: str) -> str:
    """Makes a partition and moves rows of its range there from the default one, whose users wait meanwhile.

    So it moves `most` rows at most, else it raises program_limit_exceeded. Returns how many it moved, or -1 if there
    is such a partition.
    """
    within = f"{table.column} >= lower_bound AND {table.column} < upper_bound"
    return f"""
        CREATE OR REPLACE FUNCTION {table.name}_make(
            part text, lower_bound {table.step.sql_type}, upper_bound {table.step.sql_type}, most bigint
        ) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
        DECLARE
            moved bigint;
            options text;
            given record;
        BEGIN
            {_lock_referred(table, "SHARE ROW EXCLUSIVE")}
            LOCK TABLE ONLY {table.name} IN SHARE UPDATE EXCLUSIVE MODE;
            IF part !~ '^{table.name}_[0-9_]+$' THEN
                RAISE invalid_name USING MESSAGE = part;
            ELSIF to_regclass(part) IS NOT NULL THEN
                RETURN -1;
            END IF;
            EXECUTE format('CREATE TABLE %I (LIKE {table.default} INCLUDING ALL EXCLUDING IDENTITY)', part);
            SELECT array_to_string(reloptions, ', ') INTO options
                FROM pg_class WHERE oid = '{table.default}'::regclass;
            IF options IS NOT NULL THEN
                EXECUTE format('ALTER TABLE %I SET (%s)', part, options);
            END IF;
            FOR given IN SELECT privilege_type AS what, pg_get_userbyid(grantee) AS whom
                FROM pg_class, aclexplode(relacl)
                WHERE pg_class.oid = '{table.default}'::regclass AND grantee NOT IN (relowner, 0)
            LOOP
                EXECUTE format('GRANT %s ON %I TO %I', given.what, part, given.whom);
            END LOOP;
            LOCK TABLE {table.default} IN ACCESS EXCLUSIVE MODE;
            SELECT count(*) INTO moved FROM (
                SELECT FROM {table.default} WHERE {within} LIMIT most + 1
            ) found;
            IF moved > most THEN
                RAISE program_limit_exceeded USING MESSAGE = format('more than %s rows to be moved', most);
            ELSIF moved > 0 THEN
                EXECUTE format(
                    'WITH gone AS (DELETE FROM {table.default} WHERE {table.column} >= $1 AND {table.column} < $2 '
                    'RETURNING *) INSERT INTO %I SELECT * FROM gone', part
                ) USING lower_bound, upper_bound;
            END IF;
            EXECUTE format(
                'ALTER TABLE {table.name} ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                part, lower_bound, upper_bound
            );
            RETURN moved;
        END $$;
        CREATE OR REPLACE FUNCTION {table.name}_analyze() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = {schema}, pg_temp AS $$
        BEGIN
            ANALYZE {table.name};
        END $$
    """


def _drop_function(table: PartitionedTable, schema: str) -> str:
    """Drops a partition; false if there is no such one, or something in it is unfinished.

    Nothing can change between the look and the end of the transaction. DETACH … CONCURRENTLY, which would not need
    the lock, is refused for a table with a default partition, and cannot be part of a function.
    """
    unfinished = table.unfinished.format(partition="%1$I").replace("'", "''")
    return f"""
        CREATE OR REPLACE FUNCTION {table.name}_drop(part text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = {schema}, pg_temp AS $$
        DECLARE
            is_needed boolean;
            given record;
        BEGIN
            {_lock_referred(table, "ACCESS EXCLUSIVE")}
            LOCK TABLE ONLY {table.name} IN ACCESS EXCLUSIVE MODE;
            IF part = '{table.default}' OR NOT EXISTS (
                SELECT FROM pg_inherits WHERE inhparent = '{table.name}'::regclass AND inhrelid = to_regclass(part)
            ) THEN
                RETURN false;
            END IF;
            EXECUTE format('SELECT EXISTS ({unfinished})', part) INTO is_needed;
            IF is_needed THEN
                RETURN false;
            END IF;
            EXECUTE format('ALTER TABLE {table.name} DETACH PARTITION %I', part);
            EXECUTE format('DROP TABLE %I', part);
            RETURN true;
        END $$
    """

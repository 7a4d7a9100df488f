package org.pgconcord.config.catalog;

import java.util.List;

/**
 * The tables of schema {@code pgconcord}. Format 5; a change of it raises the number, but for a new
 * table that an older daemon can do without. Format 1 lacked the tables of two-phase commit: a
 * daemon that does not know them would leave prepared transactions for ever; and the marks of
 * copies, which decide what routers read. Format 2 knew no participant that leads a reference
 * table, which commits last. Format 3 lacked fences and the leases of routers: a daemon that does
 * not know them would take a step without waiting for other routers. Format 4 did not know on which
 * servers the indexes stand: who does not would read one after a failover that has lost entries.
 */
final class CatalogSql {
  static final int FORMAT = 5;

  /** The channel that is notified, with the new revision, by each change of routing. */
  static final String CHANNEL = "pgconcord_catalog";

  private CatalogSql() {}

  /** On the authoritative shard, in the catalog database. */
  static final List<String> CATALOG_TABLES =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS pgconcord.cluster (
            singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
            id text NOT NULL,
            format integer NOT NULL,
            revision bigint NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now())
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.topology (
            revision bigint PRIMARY KEY,
            document text NOT NULL,
            comment text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now())
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.report (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            kind text NOT NULL CHECK (kind IN ('gsi', 'reference')),
            subject text NOT NULL,
            clean boolean NOT NULL,
            revision bigint NOT NULL,
            stored_at timestamptz NOT NULL DEFAULT now(),
            document jsonb NOT NULL)
          """,
          "CREATE INDEX IF NOT EXISTS report_by_subject ON pgconcord.report (kind, subject, id)",
          """
          CREATE TABLE IF NOT EXISTS pgconcord.gsi (
            database text NOT NULL,
            name text NOT NULL,
            state text NOT NULL CHECK (state IN ('declared', 'filling', 'tailing', 'write_only',
                                                 'enabled', 'blocked', 'needs_resync')),
            reason text NOT NULL,
            epoch bigint NOT NULL,
            report_id bigint REFERENCES pgconcord.report,
            changed_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.step (
            revision bigint PRIMARY KEY,
            database text NOT NULL,
            name text NOT NULL,
            from_state text NOT NULL,
            to_state text NOT NULL,
            reason text NOT NULL,
            epoch bigint NOT NULL,
            report_id bigint,
            taken_at timestamptz NOT NULL DEFAULT now())
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.conflict (
            database text NOT NULL,
            name text NOT NULL,
            key text NOT NULL,
            shard text NOT NULL,
            shard_key text NOT NULL,
            primary_key text NOT NULL,
            found_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name, key, shard, shard_key, primary_key))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.suspect (
            database text NOT NULL,
            name text NOT NULL,
            key text NOT NULL,
            added_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name, key))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.server (
            shard text PRIMARY KEY,
            system_identifier bigint NOT NULL,
            timeline integer NOT NULL,
            version integer NOT NULL,
            seen_at timestamptz NOT NULL DEFAULT now(),
            settled integer NOT NULL)
          """,
          // What indexes stand on is the server that is known: nothing else was ever written down.
          """
          DO $$
          BEGIN
            IF EXISTS (SELECT FROM pgconcord.cluster WHERE format < 5) THEN
              ALTER TABLE pgconcord.server ADD COLUMN IF NOT EXISTS settled integer;
              UPDATE pgconcord.server SET settled = timeline WHERE settled IS NULL;
              ALTER TABLE pgconcord.server ALTER COLUMN settled SET NOT NULL;
            END IF;
          END
          $$
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.table_version (
            database text NOT NULL,
            name text NOT NULL,
            shard text NOT NULL,
            table_name text NOT NULL,
            version bigint NOT NULL,
            digest text NOT NULL,
            lsn pg_lsn NOT NULL,
            seen_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name, shard, table_name))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.partition (
            database text NOT NULL,
            name text NOT NULL,
            shard text NOT NULL,
            part text NOT NULL,
            seen_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name, shard, part))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.atomic_transaction (
            id text PRIMARY KEY,
            router text NOT NULL,
            registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            finished_at timestamptz)
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.prepared (
            gid text PRIMARY KEY,
            transaction text NOT NULL REFERENCES pgconcord.atomic_transaction,
            part text NOT NULL CHECK (part IN ('pre', 'main', 'lead', 'post')),
            shard text NOT NULL,
            database text NOT NULL,
            role text NOT NULL)
          """,
          "CREATE INDEX IF NOT EXISTS prepared_by_transaction ON pgconcord.prepared (transaction)",
          """
          DO $$
          BEGIN
            IF EXISTS (SELECT FROM pgconcord.cluster WHERE format < 3) THEN
              ALTER TABLE pgconcord.prepared DROP CONSTRAINT IF EXISTS prepared_part_check,
                ADD CONSTRAINT prepared_part_check CHECK (part IN ('pre', 'main', 'lead', 'post'));
            END IF;
          END
          $$
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.decision (
            transaction text PRIMARY KEY REFERENCES pgconcord.atomic_transaction,
            decision text NOT NULL CHECK (decision IN ('commit', 'abort')),
            decided_by text NOT NULL CHECK (decided_by IN ('router', 'resolver', 'operator')),
            decided_at timestamptz NOT NULL DEFAULT clock_timestamp())
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.partial_commit (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            ended_at timestamptz NOT NULL,
            database text NOT NULL,
            role text NOT NULL,
            shards text[] NOT NULL,
            outcomes text[] NOT NULL,
            cause text NOT NULL)
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.copy (
            database text NOT NULL,
            schema text NOT NULL,
            name text NOT NULL,
            shard text NOT NULL,
            state text NOT NULL CHECK (state IN ('equal', 'unequal')),
            reason text NOT NULL,
            version bigint NOT NULL,
            changed_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, schema, name, shard))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.run (
            singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
            clean boolean NOT NULL,
            changed_at timestamptz NOT NULL DEFAULT now())
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.fence (
            database text NOT NULL,
            schema text NOT NULL,
            name text NOT NULL,
            epoch bigint NOT NULL,
            raised_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, schema, name, epoch))
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.router (
            id text PRIMARY KEY,
            address text NOT NULL,
            acknowledged_revision bigint NOT NULL,
            lease_until timestamptz NOT NULL)
          """,
          """
          CREATE TABLE IF NOT EXISTS pgconcord.progress_now (
            database text NOT NULL,
            name text NOT NULL,
            shard text NOT NULL,
            phase text NOT NULL,
            rows bigint NOT NULL,
            rows_estimated bigint NOT NULL,
            percent double precision NOT NULL,
            rows_per_second bigint NOT NULL,
            eta_seconds bigint,
            lag_bytes bigint NOT NULL,
            lag_seconds double precision NOT NULL,
            wal_retained_bytes bigint NOT NULL,
            updated_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, name, shard))
          """,
          // Not OR REPLACE: that waits for everybody who is reading the view.
          """
          DO $$
          BEGIN
            IF pg_catalog.to_regclass('pgconcord.gsi_progress') IS NULL THEN
              CREATE VIEW pgconcord.gsi_progress AS
              SELECT p.database || '.' || p.name AS gsi, g.state, p.shard, p.phase, p.rows,
                p.rows_estimated, p.percent, p.rows_per_second, p.eta_seconds, p.lag_bytes,
                p.lag_seconds, p.wal_retained_bytes, p.updated_at
              FROM pgconcord.progress_now p
              JOIN pgconcord.gsi g USING (database, name)
              ORDER BY 1, 3;
            END IF;
          END
          $$
          """);

  /** Twelve hexadecimal digits: part of every slot's and publication's name. */
  static final String FIRST_CLUSTER =
      """
      INSERT INTO pgconcord.cluster (id, format, revision)
      VALUES (left(replace(gen_random_uuid()::text, '-', ''), 12), %d, 0)
      ON CONFLICT (singleton) DO NOTHING
      """
          .formatted(FORMAT);

  /** What earlier formats lack has been created by then. */
  static final String NEWEST_FORMAT =
      "UPDATE pgconcord.cluster SET format = %1$d WHERE format < %1$d".formatted(FORMAT);

  /** On each shard, in each logical database. */
  static final List<String> SHARD_TABLES =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS pgconcord.progress (
            stream text NOT NULL,
            target text NOT NULL,
            commit_lsn pg_lsn NOT NULL,
            epoch bigint NOT NULL,
            updated_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (stream, target))
          """,
          // Used on the authoritative shard alone: the next number of a sharded table's sequence.
          """
          CREATE TABLE IF NOT EXISTS pgconcord.sequence (
            schema_name text NOT NULL,
            name text NOT NULL,
            next numeric NOT NULL,
            given bigint NOT NULL DEFAULT 0,
            increment bigint NOT NULL,
            minimum bigint NOT NULL,
            maximum bigint NOT NULL,
            PRIMARY KEY (schema_name, name))
          """);

  /**
   * The fence that every write of a fenced table passes: the shared lock of (table, epoch) first,
   * then the sequence, so that whoever raises the sequence and then takes the lock exclusively
   * waits for every writer that has passed. {@code pg_sequence_last_value} reads the sequence
   * itself and no snapshot. It may be open to everybody: all it does is to take a shared lock that
   * ends with the caller's transaction, on behalf of a caller who could take any advisory lock.
   */
  static final List<String> FENCE_FUNCTION =
      List.of(
          """
          CREATE OR REPLACE FUNCTION pgconcord.fence(pgc_fence text, pgc_epoch bigint)
          RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER
          SET search_path = pg_catalog, pg_temp AS $fence$
          DECLARE
            pgc_sequence oid := to_regclass('pgconcord.' || quote_ident(pgc_fence));
            pgc_least bigint;
          BEGIN
            IF pgc_sequence IS NULL OR pgc_epoch IS NULL THEN
              RAISE EXCEPTION 'there is no fence %', pgc_fence USING ERRCODE = 'PGC01';
            END IF;
            PERFORM pg_advisory_xact_lock_shared(
              pgc_sequence::bigint::bit(32)::integer, (pgc_epoch & 2147483647)::integer);
            pgc_least := coalesce(pg_sequence_last_value(pgc_sequence), 0);
            IF pgc_epoch < pgc_least THEN
              RAISE EXCEPTION 'epoch % of % has passed, the fence is at %',
                pgc_epoch, pgc_fence, pgc_least USING ERRCODE = 'PGC01';
            END IF;
          END $fence$\
          """,
          "GRANT USAGE ON SCHEMA pgconcord TO PUBLIC",
          "GRANT EXECUTE ON FUNCTION pgconcord.fence(text, bigint) TO PUBLIC");
}

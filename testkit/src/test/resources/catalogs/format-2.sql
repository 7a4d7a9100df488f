-- The catalog as versions of format 2 made it.

CREATE TABLE IF NOT EXISTS pgconcord.cluster (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  id text NOT NULL,
  format integer NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now())
;;
CREATE TABLE IF NOT EXISTS pgconcord.topology (
  revision bigint PRIMARY KEY,
  document text NOT NULL,
  comment text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())
;;
CREATE TABLE IF NOT EXISTS pgconcord.report (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('gsi', 'reference')),
  subject text NOT NULL,
  clean boolean NOT NULL,
  revision bigint NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  document jsonb NOT NULL)
;;
CREATE INDEX IF NOT EXISTS report_by_subject ON pgconcord.report (kind, subject, id)
;;
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
;;
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
;;
CREATE TABLE IF NOT EXISTS pgconcord.conflict (
  database text NOT NULL,
  name text NOT NULL,
  key text NOT NULL,
  shard text NOT NULL,
  shard_key text NOT NULL,
  primary_key text NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (database, name, key, shard, shard_key, primary_key))
;;
CREATE TABLE IF NOT EXISTS pgconcord.suspect (
  database text NOT NULL,
  name text NOT NULL,
  key text NOT NULL,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (database, name, key))
;;
CREATE TABLE IF NOT EXISTS pgconcord.server (
  shard text PRIMARY KEY,
  system_identifier bigint NOT NULL,
  timeline integer NOT NULL,
  version integer NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now())
;;
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
;;
CREATE TABLE IF NOT EXISTS pgconcord.atomic_transaction (
  id text PRIMARY KEY,
  router text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz)
;;
CREATE TABLE IF NOT EXISTS pgconcord.prepared (
  gid text PRIMARY KEY,
  transaction text NOT NULL REFERENCES pgconcord.atomic_transaction,
  part text NOT NULL CHECK (part IN ('pre', 'main', 'post')),
  shard text NOT NULL,
  database text NOT NULL,
  role text NOT NULL)
;;
CREATE INDEX IF NOT EXISTS prepared_by_transaction ON pgconcord.prepared (transaction)
;;
CREATE TABLE IF NOT EXISTS pgconcord.decision (
  transaction text PRIMARY KEY REFERENCES pgconcord.atomic_transaction,
  decision text NOT NULL CHECK (decision IN ('commit', 'abort')),
  decided_by text NOT NULL CHECK (decided_by IN ('router', 'resolver', 'operator')),
  decided_at timestamptz NOT NULL DEFAULT clock_timestamp())
;;
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
;;
CREATE TABLE IF NOT EXISTS pgconcord.run (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  clean boolean NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now())
;;
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
;;
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

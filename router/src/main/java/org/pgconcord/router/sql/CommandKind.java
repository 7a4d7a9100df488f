package org.pgconcord.router.sql;

/** What a statement is, as its first words tell. */
public enum CommandKind {
  /** SELECT, VALUES, TABLE, WITH ... SELECT, or one of them in parentheses. */
  QUERY,
  INSERT,
  UPDATE,
  DELETE,
  MERGE,
  EXPLAIN,
  BEGIN,
  COMMIT,
  ROLLBACK,
  /** SAVEPOINT, RELEASE, ROLLBACK TO. */
  SAVEPOINT,
  /** PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED. */
  TWO_PHASE,
  SET,
  RESET,
  SHOW,
  DISCARD,
  COPY,
  /** PREPARE, EXECUTE, DEALLOCATE. */
  PREPARED,
  /** DECLARE, FETCH, MOVE, CLOSE. */
  CURSOR,
  /** LISTEN, UNLISTEN, NOTIFY. */
  LISTEN,
  LOCK,
  /** DO, CALL. */
  PROCEDURE,
  TRUNCATE,
  /** VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT, REFRESH. */
  MAINTENANCE,
  /** CREATE, ALTER, DROP, COMMENT, GRANT, REVOKE and the like. */
  DEFINITION,
  OTHER
}

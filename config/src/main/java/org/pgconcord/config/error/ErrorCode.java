package org.pgconcord.config.error;

/**
 * Every error that pgConcord raises itself. The {@link #id} is stable: scripts and alerts may match
 * it. Keep entries inside the section of their area, sorted by name; docs/errors.md follows this
 * order.
 */
public enum ErrorCode {
  // --- configuration -----------------------------------------------------------------------
  CONFIG_INVALID(
      "config/invalid",
      "F0000",
      ErrorCategory.USER,
      "The configuration cannot be used.",
      "Correct the named field; docs/formats.md lists all of them."),
  CONFIG_ADDRESS_TAKEN(
      "config/address-taken",
      "F0000",
      ErrorCategory.USER,
      "An address to listen on is in use or cannot be opened.",
      "Stop the program that holds it, or choose another with the named flag."),
  ADMIN_NOT_LOOPBACK(
      "config/admin-not-loopback",
      "F0000",
      ErrorCategory.USER,
      "The admin address can be reached from other machines, which is not supported yet.",
      "Use 127.0.0.1, ::1 or localhost for admin.listen."),
  // --- topology ----------------------------------------------------------------------------
  TOPOLOGY_INVALID(
      "topology/invalid",
      "22023",
      ErrorCategory.USER,
      "The topology document has errors.",
      "Run \"pgconcord topology check FILE\" and correct the findings it lists."),
  TOPOLOGY_NOT_ACKNOWLEDGED(
      "topology/not-acknowledged",
      "55006",
      ErrorCategory.REFUSED,
      "A router may still work under an earlier revision than the one that would be replaced.",
      "End the transactions that are open there since before it; a router that is gone loses its"
          + " lease after 10 s."),
  TOPOLOGY_REVISION_CHANGED(
      "topology/revision-changed",
      "40001",
      ErrorCategory.USER,
      "The catalog is not at the expected revision.",
      "Look at \"pgconcord topology show\" and apply again with its revision."),
  TOPOLOGY_NO_SUCH_REVISION(
      "topology/no-such-revision",
      "42704",
      ErrorCategory.USER,
      "No document was applied as that revision.",
      "Run \"pgconcord topology history\" for the revisions; steps of index states have numbers"
          + " between them."),
  // --- catalog and shards ------------------------------------------------------------------
  CATALOG_NEWER_FORMAT(
      "catalog/newer-format",
      "55000",
      ErrorCategory.REFUSED,
      "A later version of pgConcord has written the catalog.",
      "Run that version or a later one."),
  CATALOG_NOT_INSTALLED(
      "catalog/not-installed",
      "42501",
      ErrorCategory.SHARD,
      "The system's own schema cannot be created on a shard.",
      "Grant what \"pgconcord doctor --print-grants\" prints."),
  CATALOG_STEP_LOST(
      "catalog/step-lost",
      "40001",
      ErrorCategory.REFUSED,
      "The index's state has changed since it was looked at.",
      "Look at \"pgconcord gsi status NAME\" and decide again."),
  CATALOG_UNAVAILABLE(
      "catalog/unavailable",
      "57P03",
      ErrorCategory.SHARD,
      "The catalog on the authoritative shard cannot be used.",
      "Check the authoritative shard; what was being changed may or may not have been stored."),
  SHARD_CONNECTION_LOST(
      "shard/connection-lost",
      "08006",
      ErrorCategory.SHARD,
      "The connection to a shard ended before it answered.",
      "Whether the statement had an effect is unknown: look before repeating it."),
  SHARD_LOGIN(
      "shard/login",
      "08004",
      ErrorCategory.SHARD,
      "A shard did not let the router log in.",
      "Under trust the shards must trust the router's host; under scram a role needs one verifier"
          + " on all shards."),
  SHARD_PROTOCOL(
      "shard/protocol",
      "08P01",
      ErrorCategory.SHARD,
      "A shard sent what the protocol does not allow.",
      "Check that the address is that of a PostgreSQL server."),
  SHARD_SILENT(
      "shard/silent",
      "08006",
      ErrorCategory.SHARD,
      "A shard kept its connection and did not answer in time.",
      "Whether the statement had an effect is unknown: look before repeating it. Look at the shard"
          + " and the network; router.answer_timeout is the limit."),
  SHARD_UNREACHABLE(
      "shard/unreachable",
      "08001",
      ErrorCategory.SHARD,
      "A shard cannot be reached.",
      "Check the shard's address in the configuration and that its server runs."),
  SHARD_ENCODING(
      "shard/encoding",
      "0A000",
      ErrorCategory.SHARD,
      "A shard's database is not encoded in UTF-8.",
      "Use a database that was created with ENCODING 'UTF8'."),
  SHARD_VERSION(
      "shard/version",
      "0A000",
      ErrorCategory.SHARD,
      "A shard runs a version of PostgreSQL that is not supported.",
      "Use PostgreSQL 15 to 18."),
  SHARD_WRONG_SERVER(
      "shard/wrong-server",
      "08001",
      ErrorCategory.SHARD,
      "The server at a shard's address is not the one known as this shard.",
      "Correct the address; a server with another identifier or an older timeline is never used."),
  SHARD_NO_PRIMARY(
      "shard/no-primary",
      "57P03",
      ErrorCategory.SHARD,
      "No server of a shard is known to be its primary, and none became so in time.",
      "Nothing was sent to the shard: repeat the transaction when it has a primary. The detail says"
          + " what each host answered; router.failover_wait is how long statements wait."),
  SHARD_UNPROVEN(
      "shard/unproven",
      "08001",
      ErrorCategory.SHARD,
      "A shard's server did not say which one it is.",
      "GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_insert_lsn(),"
          + " pg_walfile_name(pg_lsn) TO the role, as it is by default."),
  // --- sql: what the router cannot read or refuses -----------------------------------------
  ROUTING_NOT_OF_TYPE(
      "routing/not-of-type",
      "22P02",
      ErrorCategory.USER,
      "A key's text is not a value of its column's type.",
      "Send the value in a form that PostgreSQL itself prints."),
  EXPLAIN_NEEDS_ROUTER(
      "explain/needs-router",
      "0A000",
      ErrorCategory.REFUSED,
      "The statement is carried out by the router, which a shard cannot explain.",
      "Use EXPLAIN (ROUTER), or EXPLAIN (ROUTER, ANALYZE) to run it."),
  EXPLAIN_OPTION(
      "explain/option",
      "22023",
      ErrorCategory.USER,
      "EXPLAIN (ROUTER) does not take this option, or not with this value.",
      "It takes ANALYZE, VERBOSE, and FORMAT with TEXT, JSON or YAML."),
  COPIES_DIFFER(
      "reference/copies-differ",
      "55000",
      ErrorCategory.SHARD,
      "A write of a reference table met other rows on another copy; nothing was changed.",
      "Run \"pgconcord reference repair NAME\", then write again."),
  COPY_UNEQUAL(
      "reference/copy-unequal",
      "55000",
      ErrorCategory.REFUSED,
      "A statement needs a copy of a reference table that may differ from the others.",
      "Run \"pgconcord reference verify NAME\", or repair it by \"pgconcord reference repair"
          + " NAME\"."),
  FUNCTION_NOT_KNOWN(
      "function/not-known",
      "0A000",
      ErrorCategory.REFUSED,
      "A function is called that may write, or may read rows that are not all on one shard.",
      "Pin the statement to one shard by its shard key, or leave the function out."),
  FUNCTION_SESSION_STATE(
      "function/session-state",
      "0A000",
      ErrorCategory.REFUSED,
      "The function depends on a session on one server, or runs SQL that the router cannot see.",
      "Use another way; advisory locks and pg_notify are called in queries on no declared table."),
  FUNCTION_READS_TABLES(
      "function/reads-tables",
      "0A000",
      ErrorCategory.REFUSED,
      "Code of a user's that the statement runs may read tables of which one shard has not all"
          + " rows.",
      "Read the tables in the statement itself. Where the code reads only rows of the statement's"
          + " own shard key: SET pgconcord.functions = local. A function that reads nothing is"
          + " declared IMMUTABLE."),
  FUNCTION_WRITES_COPY(
      "function/writes-copy",
      "0A000",
      ErrorCategory.REFUSED,
      "A function may write a reference table: it would change one copy of several.",
      "Write the reference table by a statement of its own."),
  QUERY_CROSS_SHARD(
      "query/cross-shard",
      "0A000",
      ErrorCategory.REFUSED,
      "The statement needs tables together that are not on one shard.",
      "Pin the sharded tables by their shard keys, or declare the small table a reference table."),
  FAN_OUT(
      "query/fan-out",
      "0A000",
      ErrorCategory.REFUSED,
      "The statement needs more shards than pgconcord.fanout allows.",
      "Add an equality on the shard key, or SET pgconcord.fanout = scatter."),
  QUERY_LOCKING(
      "query/locking",
      "0A000",
      ErrorCategory.REFUSED,
      "FOR UPDATE and FOR SHARE lock rows where each of them is, not what is made of them here.",
      "Add an equality on the shard key, or lock the sharded rows alone, by OF."),
  QUERY_NEEDS_MERGE(
      "query/needs-merge",
      "0A000",
      ErrorCategory.REFUSED,
      "The result would have to be merged from several shards.",
      "Add an equality on the shard key, or send the parts separately."),
  QUERY_SYSTEM_COLUMN(
      "query/system-column",
      "0A000",
      ErrorCategory.REFUSED,
      "System columns mean something only within one shard.",
      "Add an equality on the shard key, or leave the column out."),
  QUERY_TOO_LARGE(
      "query/too-large",
      "54000",
      ErrorCategory.RESOURCES,
      "A query over several shards needs more of their rows in one place than the router holds.",
      "Add conditions or a LIMIT that the shards can apply, aggregate more, or pin the tables by their shard keys."),
  QUERY_UNKNOWN_COLUMN(
      "query/unknown-column",
      "0A000",
      ErrorCategory.REFUSED,
      "The name is no column of its table; it could be a function.",
      "Name a column of the table."),
  SCHEMA_NOT_READ(
      "schema/not-read",
      "55000",
      ErrorCategory.REFUSED,
      "A declared table is not on the shards as the topology says.",
      "Run \"pgconcord topology check\" against the shards and create what is missing."),
  SCHEMA_DIFFERS(
      "schema/tables-differ",
      "55000",
      ErrorCategory.REFUSED,
      "The shards define the table otherwise, and the statement would mean other things on them.",
      "Make the table equal on all shards; \"pgconcord topology check\" lists what differs."),
  SQL_COMMAND(
      "sql/command",
      "0A000",
      ErrorCategory.REFUSED,
      "The command is not supported through the router.",
      "Connect to the shard directly."),
  SQL_COPY(
      "sql/copy",
      "0A000",
      ErrorCategory.REFUSED,
      "A form or option of COPY is not supported through the router.",
      "Use another form; docs/sql.md says what is taken."),
  SQL_COPY_SERVER(
      "sql/copy-server",
      "0A000",
      ErrorCategory.REFUSED,
      "COPY would read or write a file, or run a program, on a server.",
      "Use STDIN or STDOUT; in psql that is \\copy."),
  WRITE_NUMBER(
      "write/number",
      "0A000",
      ErrorCategory.REFUSED,
      "A sequence behind a sharded table would count on each shard by itself.",
      "Use INSERT ... VALUES, which the router numbers, or take numbers by SELECT nextval(...)."),
  WRITE_NUMBER_START(
      "write/number-start",
      "55000",
      ErrorCategory.SHARD,
      "A sequence is used for the first time, and a shard does not tell what it has given.",
      "Every shard must answer once, and let the service role read the table and its sequence."),
  WRITE_NUMBER_NOT_GIVEN(
      "write/number-not-given",
      "55000",
      ErrorCategory.USER,
      "currval is asked for a number, and the session has not been given any.",
      "Call nextval, or insert a row, in the same session first."),
  WRITE_NUMBERS_EXHAUSTED(
      "write/numbers-exhausted",
      "2200H",
      ErrorCategory.USER,
      "The sequence behind a sharded table has no numbers left.",
      "Widen the column and its sequence on every shard, and maximum in pgconcord.sequence."),
  WRITE_COPY_INDEXED(
      "write/copy-indexed",
      "0A000",
      ErrorCategory.REFUSED,
      "COPY FROM into the owner of a global secondary index in strict mode.",
      "Set the index's gsi_mode to extended, use INSERT with many rows, or load the table before"
          + " the index is built."),
  SQL_CURSOR(
      "sql/cursor",
      "0A000",
      ErrorCategory.REFUSED,
      "The cursor is of a kind that is not supported.",
      "Declare it for a query, and without BINARY over several shards and WITH HOLD."),
  SQL_DEFINITION(
      "sql/definition",
      "0A000",
      ErrorCategory.REFUSED,
      "Definitions that touch declared tables or whole schemas are not carried out by the router.",
      "Run the command on each shard directly."),
  SQL_LOCK_TABLE(
      "sql/lock-table",
      "0A000",
      ErrorCategory.REFUSED,
      "LOCK TABLE is not supported on declared tables.",
      "Lock rows by SELECT ... FOR UPDATE."),
  SQL_MAINTENANCE(
      "sql/maintenance",
      "0A000",
      ErrorCategory.REFUSED,
      "VACUUM, ANALYZE and their kin are not carried out by the router.",
      "Run the command on each shard directly."),
  SQL_MERGE(
      "sql/merge",
      "0A000",
      ErrorCategory.REFUSED,
      "MERGE is supported on a sharded table where it stays on one shard, without strict indexes.",
      "Pin target and source by the shard key; else use INSERT, UPDATE and DELETE."),
  SQL_MISPLACED_TABLE(
      "sql/misplaced-table",
      "0A000",
      ErrorCategory.REFUSED,
      "An undeclared table has rows on a shard where the defaults do not place it.",
      "Declare the table in the topology, or move its rows; \"pgconcord topology check\" names"
          + " it."),
  SQL_PREPARED_STATEMENT(
      "sql/prepared-statement",
      "0A000",
      ErrorCategory.REFUSED,
      "PREPARE and EXECUTE are not supported as SQL.",
      "Prepare by the protocol: drivers do."),
  SQL_PROCEDURE(
      "sql/procedure",
      "0A000",
      ErrorCategory.REFUSED,
      "DO and CALL run code that the router cannot see.",
      "Connect to the shard directly."),
  SQL_SYNTAX(
      "sql/syntax",
      "42601",
      ErrorCategory.USER,
      "The statement's text is not SQL.",
      "Correct the statement."),
  SQL_SYSTEM_SCHEMA(
      "sql/system-schema",
      "0A000",
      ErrorCategory.REFUSED,
      "The schema pgconcord belongs to the system.",
      "Use the command line: pgconcord topology, gsi, reference."),
  SQL_TEMPORARY(
      "sql/temporary",
      "0A000",
      ErrorCategory.REFUSED,
      "Temporary tables are not supported.",
      "Use an ordinary table, or a WITH query."),
  SQL_TRANSACTION_FORM(
      "sql/transaction-form",
      "0A000",
      ErrorCategory.REFUSED,
      "This form of a transaction command is not supported.",
      "Use BEGIN, COMMIT and ROLLBACK without AND CHAIN and without PREPARE TRANSACTION."),
  SQL_TRUNCATE(
      "sql/truncate",
      "0A000",
      ErrorCategory.REFUSED,
      "TRUNCATE is not supported on declared tables.",
      "Use DELETE."),
  SQL_UNREADABLE(
      "sql/unreadable",
      "0A000",
      ErrorCategory.REFUSED,
      "The statement uses a construct that the router cannot read.",
      "Rewrite the named construct, or connect to the shard directly."),
  TABLE_GSI_LOOKUP(
      "table/gsi-lookup",
      "0A000",
      ErrorCategory.REFUSED,
      "The lookup table of a global secondary index cannot be named by clients.",
      "Query the owner table; the router uses the index by itself."),
  WRITE_CTE(
      "write/cte",
      "0A000",
      ErrorCategory.REFUSED,
      "A statement with WITH that writes cannot go to one shard, or changes entries unseen.",
      "Write the parts as separate statements."),
  WRITE_DECLARED_COLUMN(
      "write/declared-column",
      "0A000",
      ErrorCategory.REFUSED,
      "A column of a global secondary index can be updated in one row at a time only.",
      "Assign it alone, WHERE names shard key and a unique key by equalities; or set gsi_mode"
          + " extended."),
  WRITE_DELETE_USING(
      "write/delete-using",
      "0A000",
      ErrorCategory.REFUSED,
      "DELETE ... USING is not supported on the owner of a global secondary index.",
      "Name the rows in the WHERE clause."),
  WRITE_ROW_APPEARED(
      "write/row-appeared",
      "40001",
      ErrorCategory.USER,
      "A row in the way of an INSERT ... ON CONFLICT keeps changing.",
      "Run the transaction again."),
  WRITE_ROW_SECURITY(
      "write/row-security",
      "0A000",
      ErrorCategory.REFUSED,
      "A write that reads no column would see other rows than it writes, under row security.",
      "Add a condition on a column that holds for every row, or RETURNING."),
  WRITE_FROM_QUERY(
      "write/from-query",
      "0A000",
      ErrorCategory.REFUSED,
      "The shards of the rows of an INSERT ... SELECT cannot be told.",
      "Give the shard key as a constant or as a plain column of the rows read; or INSERT by"
          + " VALUES."),
  WRITE_GSI_COLUMN_MISSING(
      "write/gsi-column-missing",
      "0A000",
      ErrorCategory.REFUSED,
      "A required column of a global secondary index is not given.",
      "Name the column in the INSERT."),
  WRITE_KEY_NOT_CONSTANT(
      "write/key-not-constant",
      "0A000",
      ErrorCategory.REFUSED,
      "A shard key's value is not a constant or parameter.",
      "Compute the value before and pass it as a parameter."),
  WRITE_KEY_NOT_CONVERTIBLE(
      "write/key-not-convertible",
      "0A000",
      ErrorCategory.REFUSED,
      "A shard key's value cannot be converted as the server would.",
      "Give the shard key as a constant or parameter of the column's own type."),
  WRITE_NO_SHARD_KEY(
      "write/no-shard-key",
      "0A000",
      ErrorCategory.REFUSED,
      "A write must give the whole shard key.",
      "Add the shard key: a column in INSERT, an equality in UPDATE and DELETE."),
  WRITE_NULL_KEY(
      "write/null-key",
      "23502",
      ErrorCategory.USER,
      "A shard key or a required indexed column would be NULL.",
      "Give the column a value."),
  WRITE_ON_CONFLICT(
      "write/on-conflict",
      "0A000",
      ErrorCategory.REFUSED,
      "ON CONFLICT cannot be decided by the shards of this table.",
      "Name a unique constraint with the shard key in it; or INSERT, and handle the unique"
          + " violation."),
  WRITE_REFERENCE_FORM(
      "write/reference-form",
      "0A000",
      ErrorCategory.REFUSED,
      "A reference table cannot be written in this form.",
      "The message says what is in the way; a primary key changes by DELETE and INSERT."),
  WRITE_REFERENCE_READS(
      "write/reference-reads",
      "0A000",
      ErrorCategory.REFUSED,
      "A reference table cannot be written from a sharded table.",
      "Fetch the rows and write them by VALUES."),
  WRITE_REFERENCE_SIZE(
      "write/reference-size",
      "54000",
      ErrorCategory.RESOURCES,
      "One statement changes more of a reference table than the router holds.",
      "Change the rows in parts, by several statements."),
  WRITE_REFERENCE_SNAPSHOT(
      "write/reference-snapshot",
      "0A000",
      ErrorCategory.REFUSED,
      "Reference tables are written in READ COMMITTED only.",
      "Write them in a transaction of READ COMMITTED."),
  WRITE_ROW_TWICE(
      "write/row-twice",
      "21000",
      ErrorCategory.USER,
      "Two rows of an INSERT ... ON CONFLICT DO UPDATE have one key of its arbiter.",
      "Ensure that no rows within one statement have duplicate constrained values."),
  WRITE_SEVERAL_SHARDS(
      "write/several-shards",
      "0A000",
      ErrorCategory.REFUSED,
      "The rows of one write are on several shards, where this form of it cannot go.",
      "Write the rows of each shard key by a statement of their own."),
  WRITE_SHARD_KEY_COLUMN(
      "write/shard-key-column",
      "0A000",
      ErrorCategory.REFUSED,
      "A row's shard key cannot be updated.",
      "DELETE the row and INSERT it anew."),
  WRITE_THROUGH_GSI(
      "write/through-gsi",
      "0A000",
      ErrorCategory.REFUSED,
      "UPDATE and DELETE are not routed through a global secondary index.",
      "Add an equality on the shard key, or set the index's gsi_mode to extended."),
  WRITE_TOO_MANY_ENTRIES(
      "write/too-many-entries",
      "54000",
      ErrorCategory.RESOURCES,
      "A transaction changes more entries of global secondary indexes than the router remembers.",
      "Write the rows in portions, each in a transaction of its own."),
  WRITE_UPDATE_FROM(
      "write/update-from",
      "0A000",
      ErrorCategory.REFUSED,
      "UPDATE ... FROM is not supported on the owner of a global secondary index in strict mode.",
      "Fetch the values and UPDATE by shard key, or set the index's gsi_mode to extended."),
  // --- session and protocol ----------------------------------------------------------------
  COPY_REFUSED(
      "session/copy",
      "0A000",
      ErrorCategory.REFUSED,
      "A statement that is no COPY has started one on a shard.",
      "Use INSERT, or COPY on each shard directly."),
  DATABASE_UNKNOWN(
      "session/unknown-database",
      "3D000",
      ErrorCategory.USER,
      "The database is not a logical database of the topology.",
      "Connect to one that the topology declares."),
  ENCODING_REFUSED(
      "session/encoding",
      "0A000",
      ErrorCategory.REFUSED,
      "The router speaks UTF8 with standard_conforming_strings = on only.",
      "Leave client_encoding at UTF8 and standard_conforming_strings on."),
  FUNCTION_CALL_REFUSED(
      "protocol/function-call",
      "0A000",
      ErrorCategory.REFUSED,
      "The function call message is not supported.",
      "Call the function in a SELECT."),
  LEASE_LAPSED(
      "router/lease-lapsed",
      "57P03",
      ErrorCategory.SHARD,
      "The router's lease has lapsed; until it is renewed no statement starts on tables with"
          + " indexes or copies.",
      "Try again in a moment; if it lasts, look whether the router reaches the authoritative"
          + " shard."),
  LISTEN_FAILED(
      "router/listen-failed",
      "F0000",
      ErrorCategory.USER,
      "The router cannot listen on its address.",
      "Free the port, or choose another with --port or router.listen."),
  LOGIN_FAILED(
      "session/login-failed",
      "28P01",
      ErrorCategory.USER,
      "The client could not log in.",
      "Check role and password; each role needs the same verifier on all shards."),
  LOGIN_UNAVAILABLE(
      "session/login-unavailable",
      "57P03",
      ErrorCategory.RESOURCES,
      "The router cannot read the roles' verifiers.",
      "Try again when the authoritative shard answers; router.users_file serves without it."),
  LOGIN_REFUSED(
      "session/login-refused",
      "28000",
      ErrorCategory.USER,
      "This way of logging in is not offered.",
      "Connect with a role and SCRAM-SHA-256."),
  LOGIN_TIMEOUT(
      "session/login-timeout",
      "08006",
      ErrorCategory.USER,
      "The client did not log in within the time allowed.",
      "Check the network between client and router."),
  MESSAGE_TOO_LONG(
      "protocol/message-too-long",
      "54000",
      ErrorCategory.RESOURCES,
      "A message is over the limit.",
      "Send less at once."),
  PROTOCOL_VERSION(
      "protocol/version",
      "0A000",
      ErrorCategory.USER,
      "The client speaks a protocol version that the router does not.",
      "Use a driver that speaks protocol 3."),
  PROTOCOL_VIOLATION(
      "protocol/violation",
      "08P01",
      ErrorCategory.USER,
      "The client broke the wire protocol.",
      "Update the driver; the detail names the message."),
  REPLICATION_REFUSED(
      "session/replication",
      "0A000",
      ErrorCategory.REFUSED,
      "Replication connections do not pass through the router.",
      "Connect to the shard directly."),
  ROUTER_NO_CATALOG(
      "router/no-catalog",
      "55000",
      ErrorCategory.REFUSED,
      "There is no catalog yet that a router could follow.",
      "Start the daemon first: \"pgconcord serve\" without --role router."),
  SESSION_LIMIT(
      "session/too-many",
      "53300",
      ErrorCategory.RESOURCES,
      "The router has as many sessions as it may have.",
      "Close sessions, or put a connection pool in front of the application."),
  SETTING_PINNED(
      "session/pinned",
      "0A000",
      ErrorCategory.REFUSED,
      "Reads are pinned to one shard by pgconcord.shard, where this statement cannot run.",
      "RESET pgconcord.shard."),
  SETTING_REFUSED(
      "session/setting-refused",
      "0A000",
      ErrorCategory.REFUSED,
      "The setting cannot be changed through the router.",
      "Leave it out; the detail says why."),
  SETTING_UNKNOWN(
      "session/unknown-setting",
      "42704",
      ErrorCategory.USER,
      "No setting of the router has this name.",
      "Correct the name; docs/formats.md lists the router's settings."),
  SETTING_VALUE(
      "session/setting-value",
      "22023",
      ErrorCategory.USER,
      "A setting of the router cannot have this value.",
      "Use one of the values that the message lists."),
  SHUTTING_DOWN(
      "session/shutting-down",
      "57P01",
      ErrorCategory.RESOURCES,
      "The router is stopping.",
      "Connect again later, or to another router."),
  // --- transactions and entries ------------------------------------------------------------
  GSI_DUPLICATE_KEY(
      "gsi/duplicate-key",
      "23505",
      ErrorCategory.USER,
      "Another row already has this value in a unique global secondary index.",
      "Use another value, or change the row that holds it."),
  GSI_CONTENDED(
      "gsi/contended",
      "55P03",
      ErrorCategory.REFUSED,
      "Other transactions kept changing an entry for too long.",
      "Run the transaction again."),
  GSI_COVERING_ROW_SECURITY(
      "gsi/covering-row-security",
      "0A000",
      ErrorCategory.REFUSED,
      "A covering read would go past row security that the owner table has and its lookup table has not.",
      "SET pgconcord.covering = off reads the owner row; or give both tables row security, or neither."),
  GSI_MAPPING_MISSING(
      "gsi/mapping-missing",
      "23503",
      ErrorCategory.USER,
      "A row refers to a mapping of another table's index that is not there.",
      "Write the owner row first, or give the column a value that the index has."),
  GSI_MAPPING_HELD(
      "gsi/mapping-held",
      "23503",
      ErrorCategory.USER,
      "A row of this transaction refers to the owner row that it would remove.",
      "Remove the owner row in a transaction of its own, or write the referring row after it."),
  GSI_MOVE_NEEDS_ATOMIC(
      "gsi/move-needs-atomic",
      "0A000",
      ErrorCategory.REFUSED,
      "A unique key would change its shard key within one transaction, which two-phase commit alone"
          + " orders.",
      "Set max_prepared_transactions on the shards, or commit the DELETE first, then INSERT in a"
          + " transaction of its own."),
  GSI_NULL_KEY(
      "gsi/null-key",
      "23502",
      ErrorCategory.USER,
      "A row of an indexed table lacks a value that its index needs.",
      "Give the column a value, or declare the index with ignore_null."),
  GSI_UNUSABLE(
      "gsi/unusable",
      "55000",
      ErrorCategory.REFUSED,
      "The index cannot be used with the tables as they are on the shards.",
      "Correct what the message names; \"pgconcord topology check\" lists all such findings."),
  SCATTER_SHARDS_DIFFER(
      "exec/shards-differ",
      "55000",
      ErrorCategory.SHARD,
      "Shards answer the same statement with different columns.",
      "Make the table equal on all shards; the message names shards and column."),
  TARGET_CHANGED(
      "target/changed",
      "25001",
      ErrorCategory.USER,
      "pgconcord.target cannot change after a transaction's first statement on a shard.",
      "Set it before the first statement, or after the transaction."),
  TARGET_NO_REPLICA(
      "target/no-replica",
      "57P03",
      ErrorCategory.RESOURCES,
      "No replica of a shard is fresh enough to be read, or none answers.",
      "Mend what the detail names, raise pgconcord.max_replica_lag, or SET pgconcord.target ="
          + " primary."),
  TARGET_READ_ONLY(
      "target/read-only",
      "25006",
      ErrorCategory.REFUSED,
      "On replicas nothing is written, and nothing is locked.",
      "SET pgconcord.target = primary."),
  TX_ATOMIC_REFUSED(
      "tx/atomic-refused",
      "0A000",
      ErrorCategory.REFUSED,
      "The transaction cannot be committed in two phases.",
      "Mend what the message names, or use tx_mode multi, whose shards commit one after the"
          + " other."),
  TX_COMMIT_PENDING(
      "tx/commit-pending",
      "08007",
      ErrorCategory.SHARD,
      "The transaction is decided to commit, but a shard of it has not been reached yet.",
      "Do not run it again: it is committed as a whole when that shard answers. \"pgconcord tx"
          + " list\" shows it until then."),
  TX_CONTRADICTS_DECISION(
      "tx/contradicts-decision",
      "55000",
      ErrorCategory.REFUSED,
      "The transaction has been decided the other way.",
      "Run the command without --commit and --abort: it ends the transaction as it was decided."),
  TX_DEADLOCK(
      "tx/deadlock",
      "40P01",
      ErrorCategory.USER,
      "Sessions of routers waited for each other over several shards.",
      "Run the transaction again; write rows in the same order everywhere."),
  TX_EPOCH_PASSED(
      "tx/epoch-passed",
      "40001",
      ErrorCategory.USER,
      "An index of the table has changed its state since the transaction began.",
      "Run the transaction again."),
  TX_NEEDS_CHOICE(
      "tx/needs-choice",
      "55000",
      ErrorCategory.REFUSED,
      "The catalog does not know the transaction, so that only a person can say how it ends.",
      "Compare its rows with other shards and the application, then add --commit or --abort."),
  TX_NOT_PREPARED(
      "tx/not-prepared",
      "55000",
      ErrorCategory.REFUSED,
      "A transaction cannot be committed before all its participants are prepared.",
      "Wait, or roll it back with --abort."),
  TX_OTHER_CLUSTER(
      "tx/other-cluster",
      "55000",
      ErrorCategory.REFUSED,
      "The transaction belongs to another cluster that shares a server with this one.",
      "Use the daemon of that cluster."),
  TX_OUTCOME_UNKNOWN(
      "tx/outcome-unknown",
      "08007",
      ErrorCategory.SHARD,
      "The connection to a shard ended while it committed: the outcome is not known.",
      "Read the rows back before running the transaction again."),
  TX_PARTIAL_COMMIT(
      "tx/partial-commit",
      "2D000",
      ErrorCategory.SHARD,
      "A transaction has committed on some of its shards and was rolled back on others.",
      "The detail names each shard's outcome; complete or undo the rows by hand."),
  TX_ROLLED_BACK(
      "tx/rolled-back",
      "40000",
      ErrorCategory.SHARD,
      "A shard rolled the transaction back instead of committing it.",
      "Run the transaction again."),
  TX_SECOND_SHARD(
      "tx/second-shard",
      "0A000",
      ErrorCategory.REFUSED,
      "Under pgconcord.tx_mode = single a transaction may write rows of one shard only.",
      "Write the rows of the other shard in a transaction of their own, or use multi."),
  TX_UNKNOWN(
      "tx/unknown",
      "42704",
      ErrorCategory.USER,
      "There is no such transaction.",
      "\"pgconcord tx list\" names those that have not ended."),
  // --- sync engine and gate ----------------------------------------------------------------
  BACKFILL_FAILED(
      "backfill/failed",
      "58000",
      ErrorCategory.SHARD,
      "A build could not go on.",
      "Remove the cause; the build continues where it was."),
  BACKFILL_SNAPSHOT_LOST(
      "backfill/snapshot-lost",
      "55000",
      ErrorCategory.SHARD,
      "A shard's exported snapshot is gone.",
      "The shard is read again from a new slot; nothing has to be done."),
  BACKFILL_SUPERSEDED(
      "backfill/superseded",
      "55000",
      ErrorCategory.REFUSED,
      "Another build has taken the lookup table over.",
      "Let one daemon alone build an index."),
  BACKFILL_TYPE_UNSUPPORTED(
      "backfill/type-unsupported",
      "0A000",
      ErrorCategory.REFUSED,
      "An indexed column's type cannot be sorted here.",
      "Use one of the types that docs/routing.md lists for indexed columns."),
  GATE_REFUSED(
      "gsi/gate-refused",
      "55000",
      ErrorCategory.REFUSED,
      "The index cannot be enabled: not every condition is met.",
      "Meet the listed conditions; \"pgconcord gsi check NAME\" prints them."),
  // --- embedded shards and the demo --------------------------------------------------------
  EMBEDDED_DIRECTORY_TAKEN(
      "embedded/directory-taken",
      "55006",
      ErrorCategory.USER,
      "The directory for the embedded shards cannot be used.",
      "Name another directory with --dir, or end the process that uses it."),
  EMBEDDED_NEEDS_USER(
      "embedded/needs-user",
      "42501",
      ErrorCategory.USER,
      "The embedded PostgreSQL cannot be run as root.",
      "Run the command as an ordinary user."),
  EMBEDDED_START_FAILED(
      "embedded/start-failed",
      "58000",
      ErrorCategory.RESOURCES,
      "The embedded PostgreSQL could not be started.",
      "Read the server's log lines in the message; free memory, disk or the port they name."),
  GSI_AMBIGUOUS(
      "gsi/ambiguous-name",
      "42P09",
      ErrorCategory.USER,
      "Several logical databases have a global secondary index of this name.",
      "Write the name with its database, as in app.by_email."),
  GSI_BUSY(
      "gsi/busy",
      "55006",
      ErrorCategory.REFUSED,
      "Another operation on this index is running.",
      "Wait until it has ended; \"pgconcord gsi status NAME\" shows it."),
  GSI_PRECONDITIONS(
      "gsi/preconditions-unmet",
      "55000",
      ErrorCategory.REFUSED,
      "The index cannot be built: its owner table lacks what that needs.",
      "Run the printed statements on the named shards, then build again."),
  GSI_STEP_FAILED(
      "gsi/step-failed",
      "58000",
      ErrorCategory.SHARD,
      "A step in the life of an index failed; what was done before stays done.",
      "Remove the named cause and give the same command again: it continues."),
  GSI_TIMED_OUT(
      "gsi/timed-out",
      "57014",
      ErrorCategory.RESOURCES,
      "A step in the life of an index waited longer than it may; what was done before stays done.",
      "End what it waits for, then give the same command again: it continues."),
  GSI_STOPPED(
      "gsi/stopped",
      "57P01",
      ErrorCategory.RESOURCES,
      "The operation was cut short by the end of the daemon.",
      "Start the daemon again: it continues."),
  GSI_UNKNOWN(
      "gsi/unknown",
      "42704",
      ErrorCategory.USER,
      "The applied topology declares no such global secondary index.",
      "Run \"pgconcord topology show\" for the names, or apply a topology that declares it."),
  GSI_WRONG_STATE(
      "gsi/wrong-state",
      "55000",
      ErrorCategory.REFUSED,
      "The index is not in a state from which this can be done.",
      "\"pgconcord gsi status NAME\" shows the state and what it waits for."),
  REFERENCE_BUSY(
      "reference/busy",
      "55P03",
      ErrorCategory.RESOURCES,
      "A reference table stays locked by a writer.",
      "Try again when the writer's transaction has ended."),
  REFERENCE_REPAIR_CASCADES(
      "reference/repair-cascades",
      "55000",
      ErrorCategory.REFUSED,
      "A repair would delete rows on which rows of other tables depend by a cascading foreign key.",
      "Look at the rows with --dry-run and settle the dependent rows first, or name another"
          + " source."),
  REFERENCE_REPAIR_FAILED(
      "reference/repair-failed",
      "58000",
      ErrorCategory.SHARD,
      "The copies of a reference table could not be made equal.",
      "Remove the cause and repair again; no copy is left half repaired."),
  REFERENCE_UNKNOWN(
      "reference/unknown",
      "42704",
      ErrorCategory.USER,
      "The applied topology declares no such reference table.",
      "Run \"pgconcord topology show\" for the names."),
  PORT_TAKEN(
      "demo/port-taken",
      "55006",
      ErrorCategory.USER,
      "A port that is to be opened is taken.",
      "End the process that listens there, or name another port."),
  TOPOLOGY_NEEDS_DISABLE(
      "topology/needs-disable-gsi",
      "55000",
      ErrorCategory.REFUSED,
      "The document would end or change an index that routers maintain.",
      "Name each index with --disable-gsi, or leave its declaration as it is."),
  // --- administration ----------------------------------------------------------------------
  ADMIN_REQUEST_INVALID(
      "admin/request-invalid",
      "22023",
      ErrorCategory.USER,
      "The request to the admin API cannot be used.",
      "Use the command line of the same version as the daemon."),
  ADMIN_TIMED_OUT(
      "admin/timed-out",
      "57014",
      ErrorCategory.RESOURCES,
      "The operation did not end in the time given.",
      "It may go on in the daemon; ask again, or give a longer --timeout."),
  ADMIN_UNREACHABLE(
      "admin/unreachable",
      "08001",
      ErrorCategory.RESOURCES,
      "No daemon answers at the admin address.",
      "Start one with \"pgconcord serve\" or \"pgconcord demo\", or name it with --admin."),
  DAEMON_ALREADY_RUNNING(
      "daemon/already-running",
      "55006",
      ErrorCategory.REFUSED,
      "Another daemon serves this catalog.",
      "Stop it first; one daemon per catalog is supported."),
  CHANGE_UNREADABLE(
      "cdc/change-unreadable",
      "22P02",
      ErrorCategory.SHARD,
      "A change of an owner row cannot be read exactly.",
      "The detail names table and column; see docs/routing.md for the types that an index may"
          + " use."),
  SLOT_LOST(
      "cdc/slot-lost",
      "55000",
      ErrorCategory.SHARD,
      "A replication slot is gone or has lost the log that it needs.",
      "Raise max_slot_wal_keep_size, then run \"pgconcord gsi build NAME\" again."),
  SLOT_BUSY(
      "cdc/slot-busy",
      "55006",
      ErrorCategory.SHARD,
      "Another process reads this replication slot.",
      "Stop the other daemon; the detail names its backend."),
  STREAM_FAILED(
      "cdc/stream-failed",
      "08006",
      ErrorCategory.SHARD,
      "The change stream of an owner shard ended.",
      "It is started again by itself; the cause is in the log."),
  ENGINE_FENCED(
      "cdc/engine-fenced",
      "55000",
      ErrorCategory.REFUSED,
      "Another engine has taken over this stream.",
      "Run one daemon per cluster; stop this one."),
  REPLICA_IDENTITY(
      "cdc/replica-identity",
      "55000",
      ErrorCategory.REFUSED,
      "The owner table's replica identity does not carry what the index needs.",
      "Run the ALTER TABLE of the detail on the named shard."),
  STATE_LOCKED(
      "state/locked",
      "55006",
      ErrorCategory.RESOURCES,
      "The state directory is in use by another process.",
      "Stop the other daemon, or give this one a state_dir of its own."),
  STATE_UNUSABLE(
      "state/unusable",
      "58030",
      ErrorCategory.RESOURCES,
      "The state directory cannot be used.",
      "Check the disk and its permissions; the directory may be deleted while the daemon is down."),
  VERIFY_FAILED(
      "verify/failed",
      "58000",
      ErrorCategory.SHARD,
      "A verification could not be carried out.",
      "Remove the cause and verify again."),
  VERIFY_NOT_FILLED(
      "verify/not-filled",
      "55000",
      ErrorCategory.REFUSED,
      "The index has no entries that could be verified.",
      "Build it first: \"pgconcord gsi build NAME\"."),
  VERIFY_REPORT_UNREADABLE(
      "verify/report-unreadable",
      "58P01",
      ErrorCategory.BUG,
      "A stored verification report cannot be read.",
      "Verify again; the new report replaces it."),
  // --- bugs --------------------------------------------------------------------------------
  INTERNAL(
      "internal",
      "XX000",
      ErrorCategory.BUG,
      "pgConcord broke one of its own promises.",
      "Please report it with the log lines around it.");

  private final String id;
  private final String sqlState;
  private final ErrorCategory category;
  private final String sentence;
  private final String remedy;

  ErrorCode(String id, String sqlState, ErrorCategory category, String sentence, String remedy) {
    this.id = id;
    this.sqlState = sqlState;
    this.category = category;
    this.sentence = sentence;
    this.remedy = remedy;
  }

  /** Stable, of the form {@code area/slug}. */
  public String id() {
    return id;
  }

  /** Five characters (PostgreSQL manual, appendix "PostgreSQL Error Codes"). */
  public String sqlState() {
    return sqlState;
  }

  public ErrorCategory category() {
    return category;
  }

  public String sentence() {
    return sentence;
  }

  public String remedy() {
    return remedy;
  }

  /** The error with this stable code. */
  public static java.util.Optional<ErrorCode> byId(String id) {
    return java.util.Arrays.stream(values()).filter(c -> c.id.equals(id)).findFirst();
  }

  /** An exception with this code; {@code message} says what and where. */
  public ConcordException because(String message) {
    return new ConcordException(this, message);
  }
}

package org.pgconcord.config.topology;

import org.pgconcord.config.topology.Finding.Severity;

/**
 * Every finding that a check of a topology can make: its stable id, severity and remedy. The rules
 * about a document alone come first, then those that compare it with the shards.
 */
public enum Rule {
  // --- form of a document --------------------------------------------------------------------
  JSON_SYNTAX("json/syntax", "Write one JSON object; comments and trailing commas are not JSON"),
  JSON_DUPLICATE_KEY("json/duplicate-key", "Keep one of the two"),
  JSON_UNKNOWN_KEY("json/unknown-key", "Remove the key or correct its spelling"),
  JSON_WRONG_TYPE("json/wrong-type", "Write a value of the expected type"),
  JSON_MISSING_KEY("json/missing-key", "Add the key"),
  NAME_INVALID("name/invalid", "Use a name of 1 to 63 bytes, as PostgreSQL stores it"),
  // --- groups, ranges, indexes ---------------------------------------------------------------
  TOPOLOGY_AUTHORITATIVE(
      "topology/authoritative-group", "Name a group with one key range and no bounds"),
  TOPOLOGY_DEFAULT(
      "topology/default-group", "Omit default_shard_group or name the authoritative group"),
  GROUP_UNKNOWN("group/unknown", "Name a group of shard_groups"),
  GROUP_DUPLICATE_UID("group/duplicate-uid", "Give each group a uid of its own"),
  SHARD_UID(
      "shard/uid-too-long",
      "Use a shard_uid of at most 137 bytes: names of prepared transactions hold it"),
  GROUP_NO_RANGES("group/no-key-ranges", "List at least one key range"),
  RANGE_BOUND(
      "range/bad-bound", "Write hexadecimal digits as the type of the index reads them, or none"),
  RANGE_EMPTY("range/empty", "Make the end greater than the start"),
  RANGE_GAP("range/gap", "Let the ranges cover all values: omit the first start and the last end"),
  RANGE_OVERLAP("range/overlap", "Let each range end where the next one starts"),
  INDEX_UNKNOWN("index/unknown", "Name an index of shard_indexes"),
  INDEX_UNKNOWN_TYPE("index/unknown-type", "Use xxhash, range or modulo"),
  INDEX_COLUMNS("index/columns", "Name the columns once each; exactly one for range and modulo"),
  INDEX_MODULUS("index/modulus", "Set index_params.modulus above 0 for modulo, omit it elsewhere"),
  INDEX_EXPRESSION(
      "index/expression", "Name a column, or for xxhash lower(column) or upper(column)"),
  // --- databases and tables ------------------------------------------------------------------
  DATABASE_RESERVED("database/reserved", "Choose another name: pgconcord is the admin database"),
  TABLE_SYSTEM_SCHEMA("table/system-schema", "Declare only tables of your own schemas"),
  TABLE_TWICE("table/two-kinds", "Declare it under tables or under reference_tables, not both"),
  TABLE_NO_GROUP(
      "table/no-group", "Name a shard_group, or set a default for the schema or database"),
  TABLE_NO_INDEX(
      "table/no-shard-index",
      "Give the table or its group a shard index, or use a one-shard group"),
  TABLE_INDEX_MISFIT(
      "table/index-misfit", "Use a group whose key ranges are bounds of this kind of index"),
  SEQUENCE_GROUP("sequence/group", "Name a group of one shard"),
  // --- global secondary indexes --------------------------------------------------------------
  GSI_UNKNOWN("gsi/unknown", "Declare it under the database's global_secondary_indexes"),
  GSI_TWICE("gsi/activated-twice", "Keep one secondary_indexes entry for each index"),
  GSI_NOT_ACTIVATED(
      "gsi/not-activated", "Add it to secondary_indexes of its owner table, with the same columns"),
  GSI_COLUMNS("gsi/columns", "Name each column once, the owner's entry as in the declaration"),
  GSI_SCHEMA("gsi/schema-ambiguous", "Name the schema of the lookup table"),
  GSI_LOOKUP_NOT_BOUND("gsi/lookup-not-bound", "Declare the lookup table under tables as well"),
  GSI_LOOKUP_SHARED("gsi/lookup-shared", "Give each index a lookup table of its own"),
  GSI_LOOKUP_IS_OWNER("gsi/lookup-is-owner", "Name a table of its own for the entries"),
  GSI_LOOKUP_SHARD_KEY(
      "gsi/lookup-shard-key", "Shard the lookup table by indexed columns, or bind it to one shard"),
  GSI_OWNER_NOT_BOUND("gsi/owner-not-bound", "Declare the owner table under tables"),
  GSI_OWNER_NOT_SHARDED(
      "gsi/owner-not-sharded", "Index a sharded table; others are found without an index"),
  GSI_SHARD_KEY(
      "gsi/owner-shard-key", "Omit owner_sk_columns or name the owner's shard-key columns"),
  GSI_INDEXES_SHARD_KEY(
      "gsi/indexes-shard-key", "Index another column; the shard key routes by itself"),
  GSI_NO_PRIMARY_KEY("gsi/no-owner-pk", "Name owner_pk_columns"),
  GSI_MODE("gsi/mode", "Use the mode strict or extended"),
  GSI_REFERRER_COLUMNS(
      "gsi/referrer-columns",
      "Name as many columns as the index has, or name the owner in owner_table"),
  GSI_REFERRER_NOT_SHARDED(
      "gsi/referrer-not-sharded",
      "List another table's index only for sharded tables, or name the owner in owner_table"),
  GSI_COVERING("gsi/covering-not-unique", "Make the index unique, or omit covering"),
  // --- the document and the shards -----------------------------------------------------------
  SHARD_NOT_CONFIGURED(
      "shard/not-configured", "Add the shard's hosts to the configuration, or correct its uid"),
  SHARD_NOT_USED(
      "shard/not-used", Severity.WARNING, "Name the shard in a group, or remove its configuration"),
  SCHEMA_TABLE_MISSING("schema/table-missing", "Create the table on the named shards"),
  SCHEMA_NOT_A_TABLE("schema/not-a-table", "Declare only ordinary and partitioned tables"),
  SCHEMA_SHARDS_DIFFER("schema/shards-differ", "Bring the table to one definition on all shards"),
  SCHEMA_UNDECLARED_ROWS(
      "schema/undeclared-rows", "Declare the table; statements on it are refused until then"),
  SCHEMA_MISPLACED_ROWS(
      "schema/misplaced-rows",
      "Move the rows to the shards of their keys, correct the shard index, or force the change"),
  SCHEMA_SHARD_KEY_MISSING(
      "schema/shard-key-missing", "Add the column, or shard the table by another index"),
  SCHEMA_SHARD_KEY_TYPE(
      "schema/shard-key-type", "Use a type that docs/routing.md lists as a shard key"),
  SCHEMA_SHARD_KEY_COLLATION(
      "schema/shard-key-collation", "Use a deterministic collation for the shard key"),
  SCHEMA_SHARD_KEY_EXPRESSION(
      "schema/shard-key-expression",
      "Give the column COLLATE \"C\" or \"POSIX\", or shard by the column itself"),
  SCHEMA_SHARD_KEY_NULL(
      "schema/shard-key-nullable",
      Severity.WARNING,
      "Declare the shard key NOT NULL; a row without it has no shard"),
  SCHEMA_SHARD_KEY_GENERATED(
      "schema/shard-key-generated",
      "Shard by an ordinary column; the value of this one follows from others that may change"),
  SCHEMA_CHILDREN(
      "schema/inheritance",
      "Keep the rows in the table itself, or make it a partitioned one; plain children are not"
          + " supported"),
  SCHEMA_SEQUENCE(
      "schema/sequence",
      Severity.WARNING,
      "Make the column's default one sequence with NO CYCLE and the same INCREMENT, MINVALUE and"
          + " MAXVALUE on every shard, or use uuid"),
  SCHEMA_SEQUENCE_AHEAD(
      "schema/sequence-ahead",
      Severity.WARNING,
      "Write through routers alone, or move them past it by the statement in the message"),
  SCHEMA_NO_PRIMARY_KEY(
      "schema/no-primary-key",
      Severity.WARNING,
      "Add a primary key; differences between copies cannot be named without one"),
  GSI_REFERRER_COLUMN(
      "gsi/referrer-column",
      "Give the referring table these columns, of the same types as the index's"),
  GSI_COVERING_TYPE(
      "gsi/covering-type",
      "Omit covering, or index columns of integer, text, varchar, character, uuid or boolean types"),
  GSI_COVERING_COLUMN(
      "gsi/covering-column",
      Severity.WARNING,
      "Run gsi build: it adds the column to a lookup table that lacks it"),
  GSI_COLUMN_MISSING("gsi/column-missing", "Add the column, or index another one"),
  GSI_COLUMN_TYPE("gsi/column-type", "Use a type that docs/routing.md lists for indexes"),
  GSI_COLUMN_COLLATION("gsi/column-collation", "Use a deterministic collation"),
  GSI_COLUMN_GENERATED(
      "gsi/column-generated",
      "Index an ordinary column, such as one that a BEFORE trigger fills; a change of a generated"
          + " one is in no statement and, before PostgreSQL 18, in no stream"),
  GSI_OWNER_STORAGE(
      "gsi/owner-storage",
      "Make these tables logged ones of the server's own; changes of others are in no stream"),
  GSI_OWNER_UNIQUE(
      "gsi/owner-unique-index",
      "Create a unique index over the indexed columns and the shard key, or name owner_pk_columns"),
  GSI_OWNER_INDEX(
      "gsi/owner-index",
      "Create an index that starts with the indexed columns, or with the shard key and them"),
  GSI_REPLICA_IDENTITY(
      "gsi/replica-identity",
      "Run ALTER TABLE ... REPLICA IDENTITY FULL on the named shards, for each partition by its own"
          + " name"),
  GSI_LOOKUP_PRIMARY_KEY(
      "gsi/lookup-primary-key",
      "Make it the indexed columns, followed by the other stored ones if the index is not unique"),
  GSI_LOOKUP_COLUMNS(
      "gsi/lookup-columns",
      "Give the lookup table the owner's indexed, shard-key and owner_pk_columns columns");

  private final String id;
  private final Severity severity;
  private final String remedy;

  Rule(String id, String remedy) {
    this(id, Severity.ERROR, remedy);
  }

  Rule(String id, Severity severity, String remedy) {
    this.id = id;
    this.severity = severity;
    this.remedy = remedy;
  }

  /** Stable, of the form {@code area/slug}. */
  public String id() {
    return id;
  }

  /** Whether a document alone can break it; the others need a look at the shards. */
  public boolean aboutDocument() {
    return compareTo(SHARD_NOT_CONFIGURED) < 0;
  }

  public Severity severity() {
    return severity;
  }

  public String remedy() {
    return remedy;
  }

  /** The finding of this rule at a place. */
  public Finding at(String path, String message) {
    return new Finding(id, severity, path, message, remedy + ".");
  }
}

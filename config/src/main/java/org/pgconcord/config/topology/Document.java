package org.pgconcord.config.topology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A document as written: names not resolved, nothing checked but the form. Every part keeps its
 * JSON path for the findings of later stages.
 */
record Document(
    String authoritativeGroup,
    Optional<String> defaultGroup,
    List<Group> groups,
    Map<String, Index> indexes,
    Map<String, Database> databases) {

  record Group(String path, String uid, Optional<String> defaultIndex, List<Range> ranges) {}

  /** Bounds as written; absent, null and empty are all the empty text. */
  record Range(String path, String shard, String start, String end) {}

  record Index(String path, String type, List<String> columns, OptionalLong modulus) {}

  record Database(
      String path,
      Optional<String> defaultGroup,
      Map<String, Schema> schemas,
      Map<String, Secondary> secondaries) {}

  record Schema(
      String path,
      Optional<String> defaultGroup,
      Map<String, Table> tables,
      Map<String, Reference> references,
      Map<String, Sequence> sequences) {}

  record Table(
      String path, Optional<String> group, Optional<String> index, List<Activation> activations) {}

  /** An entry of a table's {@code secondary_indexes}. */
  record Activation(String path, String name, List<String> columns) {}

  record Reference(String path, Optional<List<String>> groups) {}

  record Sequence(String path, Optional<String> group) {}

  /** A database-level GSI entry. */
  record Secondary(
      String path,
      Optional<String> schema,
      String lookup,
      String owner,
      List<String> columns,
      Optional<List<String>> ownerShardKey,
      List<String> ownerPrimaryKey,
      boolean unique,
      boolean ignoreNull,
      boolean enabled,
      String mode,
      boolean covering) {}
}

package org.pgconcord.config.topology;

import java.util.Locale;

/**
 * One finding about a document or about the shards it describes.
 *
 * @param id stable, {@code area/slug}
 * @param path JSON path into the document ({@code $.shard_groups[1].uid}) or the shard and table
 * @param message what is wrong, one sentence
 * @param remedy what to do, one line
 */
public record Finding(String id, Severity severity, String path, String message, String remedy) {
  /** An error refuses the document; a warning does not. */
  public enum Severity {
    ERROR,
    WARNING
  }

  /** The finding on one line: {@code error range/gap at $.shard_groups[1]...: message. Remedy.} */
  public String line() {
    return severity.name().toLowerCase(Locale.ROOT)
        + " "
        + id
        + " at "
        + path
        + ": "
        + message
        + ". "
        + remedy;
  }
}

package org.pgconcord.config.json;

/**
 * One fault of a document's form.
 *
 * @param path JSON path, {@code $.shard_groups[1].uid}
 * @param message one sentence
 */
public record JsonProblem(Kind kind, String path, String message) {
  /** What is wrong with the form. */
  public enum Kind {
    SYNTAX,
    DUPLICATE_KEY,
    UNKNOWN_KEY,
    WRONG_TYPE,
    MISSING_KEY
  }
}

package org.pgconcord.daemon.doctor;

/**
 * One thing that was looked at.
 *
 * @param id stable, {@code area/slug}
 * @param where the shard, with the table where there is one
 * @param message what was seen, one sentence
 * @param remedy what to do, SQL where SQL does it; empty when nothing is to be done
 */
public record Check(String id, Level level, String where, String message, String remedy) {
  /** How bad it is. */
  public enum Level {
    OK,
    WARNING,
    FAILED
  }

  static Check ok(String id, Object where, String message) {
    return new Check(id, Level.OK, where.toString(), message, "");
  }

  static Check warning(String id, Object where, String message, String remedy) {
    return new Check(id, Level.WARNING, where.toString(), message, remedy);
  }

  static Check failed(String id, Object where, String message, String remedy) {
    return new Check(id, Level.FAILED, where.toString(), message, remedy);
  }

  /** OK with {@code message} when {@code met}, else failed with {@code problem}. */
  static Check require(
      boolean met, String id, Object where, String message, String problem, String remedy) {
    return met ? ok(id, where, message) : failed(id, where, problem, remedy);
  }

  public boolean failed() {
    return level == Level.FAILED;
  }
}

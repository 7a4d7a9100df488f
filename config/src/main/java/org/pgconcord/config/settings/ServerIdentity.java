package org.pgconcord.config.settings;

/**
 * Which server answers at a shard's address.
 *
 * @param systemIdentifier made by initdb, shared by a primary and its standbys
 * @param timeline raised by each promotion
 * @param version {@code server_version_num}
 */
public record ServerIdentity(long systemIdentifier, int timeline, int version) {

  /** Whether this server may take the place of the one remembered. */
  public boolean continues(ServerIdentity remembered) {
    return systemIdentifier == remembered.systemIdentifier && timeline >= remembered.timeline;
  }

  /** As people compare it with {@code pg_controldata}; the identifier is unsigned. */
  @Override
  public String toString() {
    return "system identifier %s, timeline %d, server version %d"
        .formatted(Long.toUnsignedString(systemIdentifier), timeline, version);
  }
}

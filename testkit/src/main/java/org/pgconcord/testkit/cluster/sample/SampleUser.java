package org.pgconcord.testkit.cluster.sample;

/**
 * One generated row of {@code users}, values as PostgreSQL text. None needs escaping in COPY.
 *
 * @param email ends with the row's number before the {@code @}, so that no two are equal
 */
public record SampleUser(
    long tenantId, long userId, String email, String name, String countryCode, String createdAt) {

  /** The row as a line of COPY's text format. */
  void appendTo(StringBuilder copy) {
    copy.append(tenantId)
        .append('\t')
        .append(userId)
        .append('\t')
        .append(email)
        .append('\t')
        .append(name)
        .append('\t')
        .append(countryCode)
        .append('\t')
        .append(createdAt)
        .append('\n');
  }
}

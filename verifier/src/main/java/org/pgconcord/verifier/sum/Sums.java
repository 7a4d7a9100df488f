package org.pgconcord.verifier.sum;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.pgconcord.gsi.Entry;

/**
 * Counts and sums over sets of entries, all of one expression: the key's text output with its
 * length in front, then the shard key's, hashed with two seeds. The lengths keep {@code ('ab',
 * 'c')} and {@code ('a', 'bc')} apart. Seeds are drawn for each verification, after the data are
 * what they are, so nobody can have prepared two sets with one sum.
 */
public final class Sums {
  private static final int FETCH = 2_000;
  private static final int SAMPLES_PER_PART = 100;

  private static final String TEXT =
      "(octet_length(k::text) || ':' || k::text || octet_length(s::text) || ':' || s::text) COLLATE"
          + " \"C\" AS t";

  private final long firstSeed;
  private final long secondSeed;
  private final boolean here;

  private Sums(SecureRandom random, boolean here) {
    this.firstSeed = random.nextLong();
    this.secondSeed = random.nextLong();
    this.here = here;
  }

  /** Servers hash and add; they must be of one major version. */
  public static Sums byServers(SecureRandom random) {
    return new Sums(random, false);
  }

  /** Servers send the texts, which are hashed here: slower, for any versions. */
  public static Sums here(SecureRandom random) {
    return new Sums(random, true);
  }

  /**
   * The sums of a set's parts.
   *
   * @param cuts ascending; part {@code i} is below cut {@code i}, the last one is the rest
   */
  public List<Digest> parts(Connection connection, EntrySet set, List<String> cuts)
      throws SQLException {
    String bucket = set.types().part() + " AS b, ";
    return here
        ? addedHere(connection, set, cuts, "SELECT " + bucket + TEXT)
        : addedByServer(connection, set, cuts, bucket + TEXT);
  }

  /** OFFSET 0 keeps the text from being computed once for each hash. */
  private List<Digest> addedByServer(
      Connection connection, EntrySet set, List<String> cuts, String columns) throws SQLException {
    String select =
        "SELECT b, count(*), sum(hashtextextended(t, %d))::text, sum(hashtextextended(t, %d))::text FROM (SELECT %s"
            .formatted(firstSeed, secondSeed, columns);
    List<Digest> parts = new ArrayList<>(Collections.nCopies(cuts.size() + 1, Digest.EMPTY));
    try (PreparedStatement statement =
            set.prepare(connection, select, cuts, "OFFSET 0) x GROUP BY b");
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        Digest digest =
            new Digest(
                row.getLong(2), new BigInteger(row.getString(3)), new BigInteger(row.getString(4)));
        parts.set(row.getInt(1), digest);
      }
    }
    return parts;
  }

  private List<Digest> addedHere(
      Connection connection, EntrySet set, List<String> cuts, String select) throws SQLException {
    List<SeededSum> sums = new ArrayList<>();
    for (int i = 0; i <= cuts.size(); i++) {
      sums.add(new SeededSum(firstSeed, secondSeed));
    }
    try (PreparedStatement statement = set.prepare(connection, select, cuts, "")) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          sums.get(row.getInt(1)).add(row.getString(2).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    return sums.stream().map(SeededSum::digest).toList();
  }

  /** Hands over a set's entries in no order, at most {@code limit}. */
  public static void fetch(Connection connection, EntrySet set, int limit, Consumer<Entry> reader)
      throws SQLException {
    try (PreparedStatement statement =
        set.prepare(connection, "SELECT k::text, s::text", null, "LIMIT " + limit)) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          reader.accept(new Entry(row.getString(1), row.getString(2)));
        }
      }
    }
  }

  /**
   * Keys that cut a set into about even parts, ascending and distinct: every n-th of a sample in
   * the order of ranges.
   *
   * @param rows about how many the set has
   */
  public static List<String> cuts(Connection connection, EntrySet set, long rows, int parts)
      throws SQLException {
    String order = "k" + set.types().collation();
    double share = Math.min(1.0, (double) SAMPLES_PER_PART * parts / Math.max(1, rows));
    String select =
        "SELECT (array_agg(k ORDER BY %s))[1]::text FROM (SELECT k, ntile(%d) OVER (ORDER BY %s) AS n"
            .formatted(order, parts, order);
    String rest = "WHERE random() < %s) q GROUP BY n HAVING n > 1 ORDER BY n".formatted(share);
    List<String> keys = new ArrayList<>();
    try (PreparedStatement statement = set.prepare(connection, select, null, rest);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        String key = row.getString(1);
        if (keys.isEmpty() || !keys.get(keys.size() - 1).equals(key)) {
          keys.add(key);
        }
      }
    }
    return keys;
  }
}

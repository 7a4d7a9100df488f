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
import java.util.stream.Collectors;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;

/**
 * Counts and sums over sets of entries, all of one expression: the text output of each column with
 * its length in front, hashed with two seeds. The lengths keep {@code ('ab', 'c')} and {@code ('a',
 * 'bc')} apart. Seeds are drawn for each verification, after the data are what they are, so nobody
 * can have prepared two sets with one sum.
 */
public final class Sums {
  private static final int FETCH = 2_000;
  private static final int SAMPLES_PER_PART = 100;

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
  public List<Digest> parts(Connection connection, EntrySet set, List<Tuple> cuts)
      throws SQLException {
    String bucket = set.types().part() + " AS b, ";
    return here
        ? addedHere(connection, set, cuts, "SELECT " + bucket + text(set))
        : addedByServer(connection, set, cuts, bucket + text(set));
  }

  private static String text(EntrySet set) {
    return set.types().columns().stream()
        .map(c -> "octet_length(" + c + "::text) || ':' || " + c + "::text")
        .collect(Collectors.joining(" || ", "(", ") COLLATE \"C\" AS t"));
  }

  /** OFFSET 0 keeps the text from being computed once for each hash. */
  private List<Digest> addedByServer(
      Connection connection, EntrySet set, List<Tuple> cuts, String columns) throws SQLException {
    String select =
        "SELECT b, count(*), sum(hashtextextended(t, %d))::text, sum(hashtextextended(t, %d))::text FROM (SELECT %s"
            .formatted(firstSeed, secondSeed, columns);
    List<Digest> parts = new ArrayList<>(Collections.nCopies(cuts.size() + 1, Digest.EMPTY));
    try (PreparedStatement statement =
            set.prepare(connection, select, set.identities(cuts), "OFFSET 0) x GROUP BY b");
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
      Connection connection, EntrySet set, List<Tuple> cuts, String select) throws SQLException {
    List<SeededSum> sums = new ArrayList<>();
    for (int i = 0; i <= cuts.size(); i++) {
      sums.add(new SeededSum(firstSeed, secondSeed));
    }
    try (PreparedStatement statement = set.prepare(connection, select, set.identities(cuts), "")) {
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
        set.prepare(connection, "SELECT " + texts(set), List.of(), "LIMIT " + limit)) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          reader.accept(set.index().entry(tuple(row, set.types().names().size())));
        }
      }
    }
  }

  private static String texts(EntrySet set) {
    return set.types().columns().stream().map(c -> c + "::text").collect(Collectors.joining(", "));
  }

  private static Tuple tuple(ResultSet row, int width) throws SQLException {
    List<String> values = new ArrayList<>(width);
    for (int column = 1; column <= width; column++) {
      values.add(row.getString(column));
    }
    return new Tuple(values);
  }

  /**
   * Identities that cut a set into about even parts, ascending and distinct: every n-th of a sample
   * in the order of ranges.
   *
   * @param rows about how many the set has
   */
  public static List<Tuple> cuts(Connection connection, EntrySet set, long rows, int parts)
      throws SQLException {
    String order = set.types().order();
    double share = Math.min(1.0, (double) SAMPLES_PER_PART * parts / Math.max(1, rows));
    String select =
        "SELECT DISTINCT ON (n) %s FROM (SELECT *, ntile(%d) OVER (ORDER BY %s) AS n"
            .formatted(texts(set), parts, order);
    String rest =
        "WHERE random() < %s) q WHERE n > 1 ORDER BY n, %s"
            .formatted(share, set.types().order("q."));
    List<Tuple> cuts = new ArrayList<>();
    try (PreparedStatement statement = set.prepare(connection, select, List.of(), rest);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        Tuple cut = tuple(row, set.types().identity());
        if (cuts.isEmpty() || !cuts.get(cuts.size() - 1).equals(cut)) {
          cuts.add(cut);
        }
      }
    }
    return cuts;
  }
}

package org.pgconcord.router.exec;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.plan.NumberedSequence;
import org.pgconcord.router.tx.Failures;

/**
 * Reserves blocks of numbers on the authoritative shard (docs/decisions/0015). The statement
 * commits by itself and durably, outside the client's transaction, before any number of the block
 * is used: after a crash the rest of a block is lost, and no number comes twice.
 */
final class BlockReservation {
  /** As many numbers as {@code wanted}, at most what is left; no row for a new or used up one. */
  private static final String RESERVE =
      """
      WITH wanted AS MATERIALIZED (
        SELECT schema_name, name, least(
                 greatest($3::pg_catalog.int8,
                   least(%d, pg_catalog.div(maximum - minimum::numeric, 10000 * abs(increment)))),
                 CASE WHEN increment > 0 THEN pg_catalog.div(maximum - next, increment)
                      ELSE pg_catalog.div(next - minimum, -increment::numeric) END + 1
               )::pg_catalog.int8 AS count,
               pg_catalog.set_config('synchronous_commit',
                 CASE pg_catalog.current_setting('synchronous_commit')
                   WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) AS durable
        FROM pgconcord.sequence WHERE schema_name = $1 AND name = $2 FOR UPDATE)
      UPDATE pgconcord.sequence s
         SET next = s.next + s.increment::numeric * w.count, given = w.count
        FROM wanted w
       WHERE s.schema_name = w.schema_name AND s.name = w.name AND w.count > 0
         AND w.durable IS NOT NULL
      RETURNING s.next - s.increment::numeric * s.given, s.increment, s.given
      """
          .formatted(1_000);

  private static final String LIMITS =
      "SELECT increment, minimum, maximum FROM pgconcord.sequence"
          + " WHERE schema_name = $1 AND name = $2";

  private static final String BEGIN =
      """
      INSERT INTO pgconcord.sequence (schema_name, name, next, increment, minimum, maximum)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
      """;

  /** What the sequence gives next on one shard, and its limits. */
  private static final String SURVEY =
      """
      SELECT CASE WHEN q.is_called THEN q.last_value::numeric + s.seqincrement
                  ELSE q.last_value END, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle
        FROM pg_catalog.pg_sequence s CROSS JOIN %s q
       WHERE s.seqrelid = %s::pg_catalog.regclass
      """;

  private final ShardId home;
  private final ServiceSessions sessions;

  /** Numbers that are this router's alone. */
  record Reserved(long first, long increment, long count) {}

  BlockReservation(ShardId home, ServiceSessions sessions) {
    this.home = home;
    this.sessions = sessions;
  }

  /** A block of at least one number, as near to {@code wanted} as there are. */
  CompletableFuture<Reserved> reserve(NumberedSequence sequence, int wanted) {
    return once(sequence.name(), wanted)
        .thenCompose(
            block ->
                block
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(
                        () ->
                            begin(sequence)
                                .thenCompose(begun -> once(sequence.name(), wanted))
                                .thenApply(again -> again.orElseThrow(BlockReservation::noBlock))));
  }

  private CompletableFuture<Optional<Reserved>> once(TableName name, int wanted) {
    return query(RESERVE, List.of(name.schema(), name.name(), Integer.toString(wanted)))
        .thenApply(
            result ->
                result.rows().stream()
                    .findFirst()
                    .map(row -> new Reserved(number(row, 0), number(row, 1), number(row, 2))));
  }

  private static RuntimeException noBlock() {
    return ErrorCode.CATALOG_UNAVAILABLE.because("no block of numbers could be reserved");
  }

  private CompletableFuture<QueryResult> query(String sql, List<String> values) {
    return sessions
        .acquire(home, BackendRole.SERVICE)
        .thenCompose(backend -> backend.query(sql, new ArrayList<@Nullable String>(values)));
  }

  private static long number(List<@Nullable String> row, int column) {
    return decimal(row, column).longValueExact();
  }

  private static BigDecimal decimal(List<@Nullable String> row, int column) {
    return new BigDecimal(String.valueOf(row.get(column)));
  }

  // --- the first block -------------------------------------------------------------------------

  /** No number was left: the sequence is used up, or not known to the catalog yet. */
  private CompletableFuture<Void> begin(NumberedSequence sequence) {
    TableName name = sequence.name();
    return query(LIMITS, List.of(name.schema(), name.name()))
        .thenCompose(
            known -> {
              if (!known.rows().isEmpty()) {
                throw exhausted(name, known.rows().get(0));
              }
              return first(sequence);
            });
  }

  private static RuntimeException exhausted(TableName name, List<@Nullable String> limits) {
    boolean up = number(limits, 0) > 0;
    return ErrorCode.WRITE_NUMBERS_EXHAUSTED.because(
        "nextval: reached %s value of sequence \"%s\" (%s)"
            .formatted(up ? "maximum" : "minimum", name.name(), limits.get(up ? 2 : 1)));
  }

  /** Begins past everything that any shard has, or its sequence has given. */
  private CompletableFuture<Void> first(NumberedSequence sequence) {
    Map<ShardId, List<NumberedSequence.Use>> shards = new TreeMap<>();
    sequence
        .uses()
        .forEach(
            use ->
                use.shards()
                    .forEach(s -> shards.computeIfAbsent(s, k -> new ArrayList<>()).add(use)));
    List<CompletableFuture<Found>> asked = new ArrayList<>();
    shards.forEach((shard, uses) -> asked.add(survey(shard, sequence.name(), uses)));
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenCompose(all -> store(sequence.name(), asked.stream().map(a -> a.join()).toList()));
  }

  private CompletableFuture<Void> store(TableName name, List<Found> found) {
    Found one = found.get(0);
    if (found.stream().anyMatch(f -> !f.limits().equals(one.limits()))) {
      throw ErrorCode.WRITE_NUMBER.because(
          "sequence %s has other limits on some shards, or would begin again".formatted(name));
    }
    boolean up = one.up();
    BigDecimal next =
        found.stream().map(Found::next).reduce((a, b) -> up ? a.max(b) : a.min(b)).orElseThrow();
    List<String> values = new ArrayList<>(List.of(name.schema(), name.name(), next.toString()));
    values.addAll(one.limits().subList(0, 3));
    return query(BEGIN, values).thenAccept(begun -> {});
  }

  /**
   * What one shard has.
   *
   * @param next the number that comes after all of its own
   * @param limits increment, minimum, maximum, cycle
   */
  private record Found(BigDecimal next, List<String> limits) {
    boolean up() {
      return !limits.get(0).startsWith("-");
    }
  }

  private CompletableFuture<Found> survey(
      ShardId shard, TableName sequence, List<NumberedSequence.Use> uses) {
    String name = sequence.quoted();
    return sessions
        .acquire(shard, BackendRole.SERVICE)
        .thenCompose(
            backend ->
                backend
                    .query(SURVEY.formatted(name, Identifiers.literal(name)), List.of())
                    .thenCompose(
                        own -> {
                          List<@Nullable String> row = own.rows().get(0);
                          boolean up = decimal(row, 1).signum() > 0;
                          return backend
                              .query(extremes(uses, up, number(row, 1)), List.of())
                              .thenApply(rows -> found(row, rows, up));
                        }))
        .exceptionally(
            failure -> {
              throw ErrorCode.WRITE_NUMBER_START
                  .because("the numbers of %s on shard %s cannot be read".formatted(name, shard))
                  .withDetail(String.valueOf(Failures.fields(failure).field('M')))
                  .withCause(failure);
            });
  }

  /** The greatest number in the columns, or the least, and one step more. */
  private static String extremes(List<NumberedSequence.Use> uses, boolean up, long increment) {
    String function = up ? "max" : "min";
    return uses.stream()
        .map(
            use ->
                "SELECT %s(%s)::numeric + (%d) FROM %s"
                    .formatted(
                        function, Identifiers.quote(use.column()), increment, use.table().quoted()))
        .collect(Collectors.joining(" UNION ALL "));
  }

  private static Found found(List<@Nullable String> own, QueryResult rows, boolean up) {
    BigDecimal next = decimal(own, 0);
    for (List<@Nullable String> row : rows.rows()) {
      if (row.get(0) != null) {
        BigDecimal theirs =
            decimal(row, 0).setScale(0, up ? RoundingMode.CEILING : RoundingMode.FLOOR);
        next = up ? next.max(theirs) : next.min(theirs);
      }
    }
    List<String> limits =
        Arrays.asList(own.subList(1, 5).stream().map(String::valueOf).toArray(String[]::new));
    return new Found(next, List.copyOf(limits));
  }
}

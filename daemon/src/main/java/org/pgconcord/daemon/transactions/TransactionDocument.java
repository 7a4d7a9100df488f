package org.pgconcord.daemon.transactions;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.AtomicTransaction;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.Sight;

/**
 * A transaction over several shards as people see it.
 *
 * @param known false for one that the catalog does not know; its participants are what was seen
 * @param decision {@code commit}, {@code abort}, or null
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record TransactionDocument(
    String transaction,
    boolean known,
    String router,
    boolean routerAlive,
    double ageSeconds,
    @Nullable String decision,
    @Nullable String decidedBy,
    boolean finished,
    List<ParticipantDocument> participants) {
  public TransactionDocument {
    participants = List.copyOf(participants);
  }

  /**
   * One participant.
   *
   * @param state {@code prepared}, {@code committed}, {@code rolled_back}, {@code not_prepared} or
   *     {@code unreachable}
   */
  public record ParticipantDocument(
      String shard, String part, String database, String role, String state) {}

  static TransactionDocument of(AtomicTransaction transaction, Sight sight) {
    Optional<Decision> decision = transaction.decided().map(AtomicTransaction.Decided::decision);
    return new TransactionDocument(
        transaction.id(),
        true,
        transaction.router(),
        transaction.routerAlive(),
        seconds(transaction.age()),
        decision.map(Decision::word).orElse(null),
        transaction.decided().map(AtomicTransaction.Decided::by).orElse(null),
        transaction.finished().isPresent(),
        transaction.participants().stream()
            .sorted(Comparator.comparing(Participant::part).thenComparing(Participant::shard))
            .map(
                p ->
                    new ParticipantDocument(
                        p.shard().uid(),
                        p.part().word(),
                        p.database(),
                        p.role(),
                        sight.state(p, decision).name().toLowerCase(Locale.ROOT)))
            .toList());
  }

  /**
   * Of prepared transactions with one id, of which the catalog has no row; {@code ended} by a
   * person.
   */
  static TransactionDocument unknown(List<PreparedTransaction> prepared, Optional<Decision> ended) {
    PreparedTransaction first = prepared.get(0);
    return new TransactionDocument(
        first.gid().transaction(),
        false,
        first.gid().router(),
        false,
        prepared.stream()
            .map(PreparedTransaction::age)
            .mapToDouble(TransactionDocument::seconds)
            .max()
            .orElse(0),
        ended.map(Decision::word).orElse(null),
        ended.map(decision -> "operator").orElse(null),
        ended.isPresent(),
        prepared.stream()
            .map(
                p ->
                    new ParticipantDocument(
                        p.gid().shard().uid(),
                        p.gid().part().word(),
                        p.database(),
                        p.owner().orElse(""),
                        ended.map(TransactionDocument::done).orElse("prepared")))
            .toList());
  }

  private static String done(Decision decision) {
    return decision == Decision.COMMIT ? "committed" : "rolled_back";
  }

  private static double seconds(Duration age) {
    return age.toMillis() / 1000.0;
  }
}

package org.pgconcord.daemon.transactions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.atomic.AtomicTransaction;
import org.pgconcord.config.atomic.CommitOrder;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.Sight;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/** {@code tx list} and {@code tx resolve}. Blocks; called by admin threads. */
public final class TransactionOperations {
  private static final String BY = "operator";

  private final Resolver.Services services;
  private static final int PARTIAL_SHOWN = 20;

  private final Resolver resolver;
  private final PartialCommits partial;

  public TransactionOperations(
      Resolver.Services services, Resolver resolver, PartialCommits partial) {
    this.services = services;
    this.resolver = resolver;
    this.partial = partial;
  }

  /**
   * What has not ended, and what ended unevenly.
   *
   * @param partialCommits the newest first
   * @param unreachable shard -> why it did not answer
   */
  public record Listing(
      List<TransactionDocument> transactions,
      List<PartialCommitDocument> partialCommits,
      Map<String, String> unreachable) {
    public Listing {
      transactions = List.copyOf(transactions);
      partialCommits = List.copyOf(partialCommits);
      unreachable = Map.copyOf(unreachable);
    }
  }

  /** Open transactions, oldest first; then prepared ones of which the catalog knows nothing. */
  public Listing list() {
    List<AtomicTransaction> open = services.log().open();
    try (ShardSessions sessions = services.sessions()) {
      Sight sight = sessions.look(new TreeSet<>(services.shards()));
      List<TransactionDocument> documents = new ArrayList<>();
      open.forEach(transaction -> documents.add(TransactionDocument.of(transaction, sight)));
      rest(open, sight).forEach(documents::add);
      Map<String, String> unreachable = new LinkedHashMap<>();
      sessions.silent().forEach((shard, cause) -> unreachable.put(shard.uid(), cause));
      return new Listing(
          documents,
          partial.newest(PARTIAL_SHOWN).stream().map(PartialCommitDocument::of).toList(),
          unreachable);
    }
  }

  /** What is prepared, but not of an open transaction: finished too early, or unknown. */
  private List<TransactionDocument> rest(List<AtomicTransaction> open, Sight sight) {
    Map<String, List<PreparedTransaction>> byId = new LinkedHashMap<>();
    for (PreparedTransaction prepared : sight.all()) {
      if (prepared.gid().cluster().equals(services.clusterId())) {
        byId.computeIfAbsent(prepared.gid().transaction(), id -> new ArrayList<>()).add(prepared);
      }
    }
    open.forEach(transaction -> byId.remove(transaction.id()));
    List<TransactionDocument> rest = new ArrayList<>();
    byId.forEach(
        (id, prepared) ->
            rest.add(
                services
                    .log()
                    .find(id)
                    .map(known -> TransactionDocument.of(known, sight))
                    .orElseGet(() -> TransactionDocument.unknown(prepared, Optional.empty()))));
    return rest;
  }

  /**
   * Ends a transaction now: as its decision says, or, where there is none, as {@code wanted}, or by
   * abort.
   *
   * @param name its id, or the name of one of its prepared transactions
   * @throws ConcordException {@code tx/contradicts-decision}, {@code tx/other-cluster}, {@code
   *     tx/not-prepared}, {@code tx/needs-choice}, {@code tx/unknown}, or {@code shard/unreachable}
   *     when it is decided but cannot be ended everywhere yet
   */
  public TransactionDocument resolve(String name, Optional<Decision> wanted) {
    String id = id(name);
    Optional<AtomicTransaction> known = services.log().find(id);
    return known.isPresent() ? known(known.get(), wanted) : unknown(id, wanted);
  }

  private String id(String name) {
    return GlobalId.parse(name)
        .map(
            gid -> {
              requireOurs(gid);
              return gid.transaction();
            })
        .orElse(name);
  }

  private void requireOurs(GlobalId gid) {
    if (!gid.cluster().equals(services.clusterId())) {
      throw ErrorCode.TX_OTHER_CLUSTER
          .because("transaction " + gid.transaction() + " belongs to another cluster")
          .withDetail(
              "It is of cluster %s, this is %s.".formatted(gid.cluster(), services.clusterId()));
    }
  }

  // --- with a row ------------------------------------------------------------------------------

  private TransactionDocument known(AtomicTransaction transaction, Optional<Decision> wanted) {
    if (transaction.decided().isEmpty()) {
      decide(transaction, wanted.orElse(Decision.ABORT));
    }
    Decision stored = services.log().decision(transaction.id()).orElse(Decision.ABORT);
    if (wanted.isPresent() && wanted.get() != stored) {
      throw ErrorCode.TX_CONTRADICTS_DECISION
          .because("transaction " + transaction.id() + " is decided: " + stored.word())
          .withDetail("Some of its participants may have ended so.");
    }
    resolver.settleNow(Set.of(transaction.id()), BY);
    return ended(transaction.id());
  }

  private void decide(AtomicTransaction transaction, Decision wanted) {
    if (wanted == Decision.COMMIT) {
      requireAllPrepared(transaction);
    }
    services.log().decide(transaction.id(), wanted, BY);
  }

  private void requireAllPrepared(AtomicTransaction transaction) {
    try (ShardSessions sessions = services.sessions()) {
      Sight sight = sessions.look(new TreeSet<>(services.shards()));
      List<Participant> missing =
          transaction.participants().stream().filter(p -> sight.prepared(p).isEmpty()).toList();
      if (!missing.isEmpty()) {
        throw ErrorCode.TX_NOT_PREPARED
            .because("not all participants of transaction " + transaction.id() + " are prepared")
            .withDetail(
                "Missing: "
                    + String.join(
                        ", ",
                        missing.stream().map(p -> p.part().word() + " on " + p.shard()).toList()));
      }
    }
  }

  private TransactionDocument ended(String id) {
    AtomicTransaction transaction =
        services
            .log()
            .find(id)
            .orElseThrow(() -> ErrorCode.TX_UNKNOWN.because("transaction " + id + " is forgotten"));
    try (ShardSessions sessions = services.sessions()) {
      TransactionDocument document =
          TransactionDocument.of(transaction, sessions.look(new TreeSet<>(services.shards())));
      if (!document.finished()) {
        throw unfinished(document, sessions.silent());
      }
      return document;
    }
  }

  private static ConcordException unfinished(
      TransactionDocument document, Map<ShardId, String> silent) {
    return ErrorCode.SHARD_UNREACHABLE
        .because(
            "transaction "
                + document.transaction()
                + " is decided ("
                + document.decision()
                + ") but not ended everywhere yet")
        .withDetail(silent.isEmpty() ? document.participants().toString() : silent.toString())
        .withHint("It ends by itself when the shards answer and let the service role end it.");
  }

  // --- without a row ---------------------------------------------------------------------------

  private TransactionDocument unknown(String id, Optional<Decision> wanted) {
    try (ShardSessions sessions = services.sessions()) {
      Sight sight = sessions.look(new TreeSet<>(services.shards()));
      List<PreparedTransaction> found =
          sight.all().stream()
              .filter(p -> p.gid().transaction().equals(id))
              .sorted(Comparator.comparing(PreparedTransaction::gid, CommitOrder.BY_NAME))
              .toList();
      if (found.isEmpty()) {
        throw ErrorCode.TX_UNKNOWN.because("there is no transaction " + id);
      }
      found.forEach(p -> requireOurs(p.gid()));
      Decision decision = wanted.orElseThrow(() -> needsChoice(id));
      if (!sessions.silent().isEmpty()) {
        throw ErrorCode.SHARD_UNREACHABLE
            .because("a shard that does not answer may hold a part of transaction " + id)
            .withDetail(sessions.silent().toString());
      }
      for (PreparedTransaction prepared : found) {
        end(prepared, decision, sessions);
      }
      return TransactionDocument.unknown(found, Optional.of(decision));
    }
  }

  private static ConcordException needsChoice(String id) {
    return ErrorCode.TX_NEEDS_CHOICE
        .because("the catalog does not know how transaction " + id + " was decided")
        .withDetail("It may be committed on other shards already.");
  }

  private void end(PreparedTransaction prepared, Decision decision, ShardSessions sessions) {
    ShardId shard = prepared.gid().shard();
    String database = services.logicalDatabase(shard, prepared.database());
    if (sessions
        .end(shard, database, prepared.gid(), prepared.owner().orElse(""), decision)
        .isEmpty()) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("prepared transaction " + prepared.gid() + " was not ended")
          .withDetail(sessions.silent().toString());
    }
  }
}

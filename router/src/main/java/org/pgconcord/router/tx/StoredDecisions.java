package org.pgconcord.router.tx;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.PartialCommit;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decisions in the catalog, written by threads of their own. One router's sessions share it: their
 * writes go one after the other over one session with the catalog.
 */
public final class StoredDecisions implements Decisions, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoredDecisions.class);
  private static final String BY = "router";

  private final Names names;
  private final DecisionLog log;
  private final PartialCommitLog partial;
  private final HandOvers handOvers;
  private final Supplier<Set<ShardId>> refusing;
  private final Duration limit;
  private final SecureRandom random = new SecureRandom();
  private final ExecutorService writer =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "decisions");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * What goes into gids.
   *
   * @param router as {@code RouterPresence} shows it
   */
  public record Names(String cluster, String router, String serviceRole) {}

  /**
   * @param log over connections that show the router; closed with this
   * @param partial closed with this
   * @param handOvers closed with this
   * @param refusing shards that are known to take no prepared transactions
   * @param limit how long an answer of the catalog is waited for; what was asked may happen later
   */
  public StoredDecisions(
      Names names,
      DecisionLog log,
      PartialCommitLog partial,
      HandOvers handOvers,
      Supplier<Set<ShardId>> refusing,
      Duration limit) {
    this.names = names;
    this.log = log;
    this.partial = partial;
    this.handOvers = handOvers;
    this.refusing = refusing;
    this.limit = limit;
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public Set<ShardId> refusing() {
    return refusing.get();
  }

  @Override
  public String serviceRole() {
    return names.serviceRole();
  }

  @Override
  public String newTransaction() {
    return GlobalId.random(random);
  }

  @Override
  public GlobalId name(String transaction, Part part, ShardId shard) {
    return new GlobalId(names.cluster(), names.router(), transaction, part, shard);
  }

  @Override
  public CompletableFuture<Void> register(
      String transaction, List<Participant> all, Executor loop) {
    return on(
        loop,
        () -> {
          log.register(transaction, names.router(), all);
          return null;
        });
  }

  @Override
  public CompletableFuture<Boolean> decide(String transaction, Decision decision, Executor loop) {
    return on(loop, () -> log.decide(transaction, decision, BY));
  }

  @Override
  public CompletableFuture<Decision> settle(String transaction, Executor loop) {
    return on(loop, () -> log.settle(transaction, BY));
  }

  @Override
  public void finished(String transaction) {
    writer.execute(
        () -> {
          try {
            log.finish(List.of(transaction));
          } catch (RuntimeException e) {
            LOG.warn("the end of a transaction was not stored transaction={}", transaction, e);
          }
        });
  }

  @Override
  public void ended(PartialCommit commit) {
    partial.add(commit);
  }

  @Override
  public CompletableFuture<HandOvers.Rest> handOver(String transaction, Executor loop) {
    return handOvers.add(transaction).whenCompleteAsync((rest, failure) -> {}, loop);
  }

  private <T> CompletableFuture<T> on(Executor loop, Callable<T> work) {
    Supplier<T> unchecked =
        () -> {
          try {
            return work.call();
          } catch (RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        };
    // The last stage hops back, after success and failure alike.
    return CompletableFuture.supplyAsync(unchecked, writer)
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .handle(this::answered)
        .whenCompleteAsync((value, failure) -> {}, loop);
  }

  private <T> T answered(T value, @Nullable Throwable failure) {
    if (failure == null) {
      return value;
    }
    Throwable cause = Failures.cause(failure);
    throw cause instanceof TimeoutException
        ? ErrorCode.CATALOG_UNAVAILABLE.because(
            "the catalog has not answered for %s ms".formatted(limit.toMillis()))
        : new CompletionException(cause);
  }

  @Override
  public void close() {
    writer.shutdown();
    handOvers.close();
    log.close();
    partial.close();
  }
}

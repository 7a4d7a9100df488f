package org.pgconcord.router.tx;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.SettingsRecorder;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.entries.Suspects;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.CommitMode;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.session.ReadTarget;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.session.SessionSettings;
import org.pgconcord.router.session.SettingCall;
import org.pgconcord.router.session.SettingCommand;

/** A session that writes users through a {@link Transaction}, from any test thread. */
final class WriterSession implements AutoCloseable, Suspects {
  private final EventLoop loop;
  private final Backends backends;
  private final Transaction tx;
  final TreeSet<String> suspects = new TreeSet<>();

  WriterSession(Shards shards, String name, Duration lockTimeout, UnaryOperator<Backends> between) {
    this.loop = shards.loop();
    SettingsRecorder recorder = new SettingsRecorder();
    this.backends = between.apply(shards.backends(loop, name, recorder));
    this.tx =
        new Transaction(
            backends,
            new RecordedSettings(recorder),
            new ServiceSessions(backends, lockTimeout, () -> Duration.ZERO),
            this,
            TransactionMetrics.NONE,
            (table, copies, reason) -> CompletableFuture.completedFuture(null));
  }

  @Override
  public synchronized void record(GsiName gsi, Collection<Tuple> identities) {
    identities.forEach(identity -> suspects.add(identity.stored()));
  }

  void begin() {
    onLoop(
        () -> {
          tx.begin(Transaction.Scope.EXPLICIT, TransactionModes.NONE);
          return done();
        });
  }

  void insert(String tenant, long user, String email) {
    write(
        tenant,
        "INSERT INTO users (tenant_id, user_id, email) VALUES ($1, $2, $3)",
        List.of(tenant, Long.toString(user), email),
        true);
  }

  /** One statement with the users from {@code first} to {@code last}, emails m1 and so on. */
  void insertMany(String tenant, int first, int last) {
    write(
        tenant,
        "INSERT INTO users (tenant_id, user_id, email) SELECT $1::bigint, i, 'm' || i"
            + " FROM generate_series($2::int, $3::int) AS i",
        List.of(tenant, Integer.toString(first), Integer.toString(last)),
        true);
  }

  int deleteMany(String tenant, int first, int last) {
    return write(
        tenant,
        "DELETE FROM users WHERE tenant_id = $1 AND user_id BETWEEN $2 AND $3",
        List.of(tenant, Integer.toString(first), Integer.toString(last)),
        false);
  }

  /** The number of rows that it deleted. */
  int delete(String tenant, String email) {
    return write(
        tenant,
        "DELETE FROM users WHERE tenant_id = $1 AND email = $2",
        List.of(tenant, email),
        false);
  }

  private int write(String tenant, String sql, List<String> values, boolean adds) {
    ShardId shard = UsersIndex.INDEX.shardOf(Tuple.of(tenant));
    return onLoop(
        () -> {
          tx.write(shard);
          return tx.backend(shard)
              .thenCompose(
                  main ->
                      main.query(sql + " RETURNING email, tenant_id", List.copyOf(values))
                          .thenCompose(result -> maintain(main, result, adds)));
        });
  }

  private CompletableFuture<Integer> maintain(
      BackendConnection main, QueryResult result, boolean adds) {
    ReturnedRows rows =
        new ReturnedRows(main.shard(), List.of(UsersIndex.INDEX), List.of("email", "tenant_id"));
    result.rows().forEach(rows::add);
    CompletableFuture<Void> secured =
        adds
            ? tx.entries().add(Map.of(main.shard(), main), rows.found())
            : tx.entries().remove(Map.of(main.shard(), main), rows.found());
    return secured.thenApply(done -> result.rows().size());
  }

  void savepoint(String name) {
    onLoop(
        () -> {
          tx.savepoint(name);
          return done();
        });
  }

  void rollbackTo(String name) {
    onLoop(() -> tx.rollbackTo(name));
  }

  void release(String name) {
    onLoop(() -> tx.release(name));
  }

  void commit() {
    onLoop(tx::commit);
  }

  void rollback() {
    onLoop(tx::rollback);
  }

  /** Insert in a transaction of its own: empty when committed, else the SQLSTATE. */
  String tryInsert(String tenant, long user, String email) {
    return attempt(() -> insert(tenant, user, email));
  }

  String tryDelete(String tenant, String email) {
    return attempt(() -> delete(tenant, email));
  }

  String attempt(Runnable work) {
    begin();
    try {
      work.run();
      commit();
      return "";
    } catch (CompletionException e) {
      rollback();
      return sqlState(Failures.cause(e));
    }
  }

  static String sqlState(Throwable failure) {
    if (failure instanceof ShardErrorException error) {
      return error.fields().sqlState();
    }
    if (failure instanceof ConcordException error) {
      return error.code().sqlState();
    }
    throw new IllegalStateException("not an error for a client", failure);
  }

  private <T> T onLoop(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            var unused =
                work.get()
                    .whenComplete(
                        (value, failure) -> {
                          if (failure == null) {
                            result.complete(value);
                          } else {
                            result.completeExceptionally(failure);
                          }
                        });
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
    return result.orTimeout(60, java.util.concurrent.TimeUnit.SECONDS).join();
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    loop.execute(backends::close);
  }

  /** Settings of a session that sets nothing. */
  private record RecordedSettings(SettingsRecorder recorder) implements SessionSettings {
    @Override
    public void run(BackendConnection home, SettingCommand command, String sql, ResultSink sink) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void refuse(SettingCommand command) {}

    @Override
    public CompletableFuture<?> accepted(
        BackendConnection home, List<SettingCall> calls, boolean inside) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void refuse(String name) {}

    @Override
    public void savepoint(String name) {}

    @Override
    public void rolledBackTo(String name) {}

    @Override
    public void released(String name) {}

    @Override
    public CommitMode commitMode() {
      return CommitMode.MULTI;
    }

    @Override
    public FanOut fanOut() {
      return FanOut.SCATTER;
    }

    @Override
    public String shard() {
      return "";
    }

    @Override
    public ReadTarget target() {
      return ReadTarget.PRIMARY;
    }

    @Override
    public Duration maxReplicaLag() {
      return Duration.ZERO;
    }

    @Override
    public Duration lockTimeout() {
      return Duration.ZERO;
    }

    @Override
    public Duration statementTimeout() {
      return Duration.ZERO;
    }

    @Override
    public void committed() {
      recorder.committed();
    }

    @Override
    public void rolledBack() {
      recorder.rolledBack();
    }

    @Override
    public List<String> searchPath() {
      return List.of("public");
    }

    @Override
    public String currentUser() {
      return "demo";
    }

    @Override
    public boolean fixedSnapshot() {
      return false;
    }

    @Override
    public boolean readsStaleCopies() {
      return false;
    }

    @Override
    public boolean readsCovering() {
      return true;
    }

    @Override
    public boolean trustsFunctions() {
      return false;
    }

    @Override
    public long version() {
      return 0;
    }
  }
}

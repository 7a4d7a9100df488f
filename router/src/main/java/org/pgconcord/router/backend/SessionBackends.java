package org.pgconcord.router.backend;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * The session-owned backends: opened at the first need, closed with the session. A client backend
 * leaves here only after it has answered to every setting it had missed; a setting that it refuses
 * closes it, so that no statement runs under other settings than the client's.
 */
public final class SessionBackends implements Backends {

  /** {@code server}: the replica; the primary is looked for. */
  private record SlotKey(ShardId shard, BackendRole role, Optional<InetSocketAddress> server) {
    SlotKey(ShardId shard, BackendRole role) {
      this(shard, role, Optional.empty());
    }

    static SlotKey replica(ShardId shard, InetSocketAddress server) {
      return new SlotKey(shard, BackendRole.REPLICA, Optional.of(server));
    }
  }

  /** A backend that is there or on its way. */
  private static final class Slot {
    final SettingsRecorder.Cursor cursor;
    final CompletableFuture<Slot> ready = new CompletableFuture<>();
    @Nullable NettyBackendConnection connection;

    Slot(SettingsRecorder.Cursor cursor) {
      this.cursor = cursor;
    }
  }

  private final EventLoop loop;
  private final ShardId home;
  private final BackendConnector connector;
  private final BiFunction<ShardId, BackendRole, BackendTarget> targets;
  private final BackendEvents events;
  private final SettingsRecorder settings;
  private final SessionMark mark;
  private final Map<SlotKey, Slot> slots = new HashMap<>();
  private final KeptHome kept;
  private final Silence silence;
  private Traffic traffic = Traffic.NONE;
  private final Set<PrimaryWaits.Wait> waits = new HashSet<>();
  private boolean patience = true;
  private boolean reading = true;
  private boolean closed;

  public SessionBackends(
      EventLoop loop,
      ShardId home,
      BackendConnector connector,
      BiFunction<ShardId, BackendRole, BackendTarget> targets,
      BackendEvents events,
      SettingsRecorder settings) {
    this.loop = loop;
    this.home = home;
    this.connector = connector;
    this.targets = targets;
    this.events = events;
    this.settings = settings;
    this.mark = connector.mark();
    this.kept = new KeptHome(loop, events);
    this.silence =
        new Silence(
            loop,
            connector.answerTimeout(),
            () -> reading ? open() : List.of(),
            shard -> slot(new SlotKey(shard, BackendRole.WATCH)).thenApply(this::connection));
  }

  @Override
  public ShardId home() {
    return home;
  }

  @Override
  public SessionMark mark() {
    return mark;
  }

  // --- opening and keeping in step -------------------------------------------------------------

  @Override
  public CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role) {
    return slot(new SlotKey(shard, role)).thenCompose(slot -> inStep(slot, role));
  }

  @Override
  public CompletableFuture<BackendConnection> acquireReplica(
      ShardId shard, InetSocketAddress server) {
    return slot(SlotKey.replica(shard, server))
        .thenCompose(slot -> inStep(slot, BackendRole.REPLICA));
  }

  private CompletableFuture<BackendConnection> inStep(Slot slot, BackendRole role) {
    NettyBackendConnection connection = connection(slot);
    if (role.service()) {
      return CompletableFuture.completedFuture(connection);
    }
    return slot.cursor.inTransaction() ? catchUpInside(slot) : catchUpOutside(slot);
  }

  @Override
  public CompletableFuture<BackendConnection> enlist(
      ShardId shard, BackendRole role, String begin) {
    return enlist(new SlotKey(shard, role), begin);
  }

  @Override
  public CompletableFuture<BackendConnection> enlistReplica(
      ShardId shard, InetSocketAddress server, String begin) {
    return enlist(SlotKey.replica(shard, server), begin);
  }

  private CompletableFuture<BackendConnection> enlist(SlotKey key, String begin) {
    return slot(key)
        .thenCompose(
            slot -> {
              if (slot.cursor.inTransaction()) {
                return catchUpInside(stillOpen(slot));
              }
              return key.role().service()
                  ? begin(slot, begin)
                  : catchUpOutside(slot).thenCompose(c -> begin(slot, begin));
            });
  }

  /** A backend that counts as begun but is not would commit each statement by itself. */
  private Slot stillOpen(Slot slot) {
    NettyBackendConnection connection = connection(slot);
    if (!connection.busy() && connection.status() == TransactionStatus.IDLE) {
      connection.close();
      throw ErrorCode.INTERNAL.because("A backend left the transaction without the session.");
    }
    return slot;
  }

  private CompletableFuture<BackendConnection> begin(Slot slot, String begin) {
    NettyBackendConnection connection = connection(slot);
    settings.begun(slot.cursor);
    // Not waited for: it travels with the statement that follows, and a lost one ends both.
    connection.send(new BackendRequest.Begin(begin), new BeginListener(connection));
    return catchUpInside(slot);
  }

  /** A BEGIN that failed leaves a backend that would commit each statement by itself. */
  private record BeginListener(NettyBackendConnection connection) implements BackendListener {
    @Override
    public void ready(TransactionStatus status) {
      if (status != TransactionStatus.OPEN) {
        connection.close();
      }
    }

    @Override
    public void lost(org.pgconcord.config.error.ConcordException cause) {}
  }

  private CompletableFuture<BackendConnection> catchUpOutside(Slot slot) {
    List<String> missing = settings.missing(slot.cursor);
    return repeat(connection(slot), missing)
        .thenApply(
            done -> {
              settings.caughtUp(slot.cursor);
              return connection(slot);
            });
  }

  private CompletableFuture<BackendConnection> catchUpInside(Slot slot) {
    boolean client = !connection(slot).role().service();
    List<String> missing = settings.missingInTransaction(slot.cursor, client);
    return repeat(connection(slot), missing)
        .thenApply(
            done -> {
              settings.caughtUpInTransaction(slot.cursor);
              return connection(slot);
            });
  }

  // --- savepoints ------------------------------------------------------------------------------

  @Override
  public void savepoint(String name) {
    settings.savepoint(name);
  }

  @Override
  public CompletableFuture<Void> rollbackTo(String name) {
    return tellThoseWhoHeard(name, "ROLLBACK TO SAVEPOINT " + name)
        .thenRun(() -> settings.rolledBackTo(name));
  }

  @Override
  public CompletableFuture<Void> release(String name) {
    return tellThoseWhoHeard(name, "RELEASE SAVEPOINT " + name)
        .thenRun(() -> settings.released(name));
  }

  private CompletableFuture<Void> tellThoseWhoHeard(String savepoint, String command) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Slot slot : slots.values()) {
      if (slot.connection != null && settings.heard(slot.cursor, savepoint)) {
        CollectingListener answer = new CollectingListener(slot.connection.shard());
        slot.connection.send(new BackendRequest.Query(command), answer);
        answers.add(answer.result());
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
  }

  // --- repeating -------------------------------------------------------------------------------

  private CompletableFuture<?> repeat(NettyBackendConnection connection, List<String> statements) {
    CompletableFuture<?> last = CompletableFuture.completedFuture(null);
    if (statements.isEmpty()) {
      return last;
    }
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (String statement : statements) {
      CollectingListener answer = new CollectingListener(connection.shard());
      connection.send(new BackendRequest.Query(statement), answer);
      answers.add(answer.result());
      if (statement.regionMatches(true, 0, "DISCARD", 0, "DISCARD".length())) {
        connection.forgetPrepared();
        mark.show(connection);
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .whenComplete(
            (done, refused) -> {
              if (refused != null) {
                connection.close();
              }
            });
  }

  private NettyBackendConnection connection(Slot slot) {
    NettyBackendConnection connection = slot.connection;
    if (connection == null) {
      throw ErrorCode.INTERNAL.because("A backend is used before it is open.");
    }
    return connection;
  }

  private CompletableFuture<Slot> slot(SlotKey key) {
    if (closed) {
      return CompletableFuture.failedFuture(
          ErrorCode.SHARD_CONNECTION_LOST.because("The session is closed."));
    }
    Slot slot = slots.get(key);
    if (slot != null && slot.connection != null && !slot.connection.open()) {
      if (slot.cursor.inTransaction()) {
        return CompletableFuture.failedFuture(
            ErrorCode.SHARD_CONNECTION_LOST.because(
                "The transaction's connection to shard " + key.shard() + " has ended."));
      }
      forget(key, slot);
      slot = null;
    }
    return slot == null ? open(key).ready : slot.ready;
  }

  private Slot open(SlotKey key) {
    Slot slot = new Slot(settings.open());
    slots.put(key, slot);
    var unused =
        connect(key, targets.apply(key.shard(), key.role()))
            .whenComplete((connection, failure) -> opened(key, slot, connection, failure));
    return slot;
  }

  private CompletableFuture<NettyBackendConnection> connect(SlotKey key, BackendTarget target) {
    if (key.server().isPresent()) {
      return connector.open(loop, target, key.server().get(), events);
    } else if (!patience || key.role() == BackendRole.WATCH) {
      return connector.open(loop, target, events);
    }
    PrimaryWaits.Wait wait = connector.await(loop, target, events);
    waits.add(wait);
    return wait.result().whenComplete((connection, failure) -> waits.remove(wait));
  }

  @Override
  public void awaitPrimaries(boolean on) {
    patience = on;
  }

  @Override
  public boolean awaited(ShardId shard) {
    return connector.awaited(shard);
  }

  private void endWaits(Throwable why) {
    List.copyOf(waits).forEach(wait -> wait.end(why));
  }

  private void opened(
      SlotKey key,
      Slot slot,
      @Nullable NettyBackendConnection connection,
      @Nullable Throwable failure) {
    if (connection == null) {
      forget(key, slot);
      slot.ready.completeExceptionally(failure);
      return;
    }
    slot.connection = connection;
    mark.show(connection);
    if (key.equals(new SlotKey(home, BackendRole.CLIENT))) {
      kept.opened(connection);
    }
    connection.seenBy(() -> traffic);
    connection.reading(reading || key.role() == BackendRole.WATCH);
    if (closed) {
      connection.close();
    }
    slot.ready.complete(slot);
  }

  private void forget(SlotKey key, Slot slot) {
    slots.remove(key, slot);
    settings.close(slot.cursor);
  }

  // --- the session's own questions ---------------------------------------------------------------

  /** The record position of the home backend; it must be open. */
  public SettingsRecorder.Cursor homeCursor() {
    Slot slot = slots.get(new SlotKey(home, BackendRole.CLIENT));
    if (slot == null) {
      throw ErrorCode.INTERNAL.because("The home backend is not open.");
    }
    return slot.cursor;
  }

  /** What the home backend has reported of its parameters; empty before it is open. */
  public Map<String, String> homeParameters() {
    Slot slot = slots.get(new SlotKey(home, BackendRole.CLIENT));
    return slot == null || slot.connection == null ? Map.of() : slot.connection.parameters();
  }

  @Override
  public void keepHome() {
    kept.keep(true);
  }

  @Override
  public boolean keepsHome() {
    return kept.kept();
  }

  /** DISCARD ALL ran on the home backend: its statements and its locks are gone. */
  public void discardedAtHome() {
    kept.keep(false);
    Slot slot = slots.get(new SlotKey(home, BackendRole.CLIENT));
    if (slot != null && slot.connection != null) {
      slot.connection.forgetPrepared();
      mark.show(slot.connection);
    }
  }

  /**
   * Back-pressure: no backend is read while the client does not read. Those that only ask are: a
   * session may ask for others, whose deadlock would last as long as its client does not read.
   */
  public void reading(boolean on) {
    reading = on;
    slots.values().stream()
        .map(s -> s.connection)
        .filter(c -> c != null && c.role() != BackendRole.WATCH)
        .forEach(c -> c.reading(on));
  }

  @Override
  public Collection<BackendConnection> connections() {
    return List.copyOf(open());
  }

  private List<NettyBackendConnection> open() {
    List<NettyBackendConnection> open = new ArrayList<>();
    for (Slot slot : slots.values()) {
      if (slot.connection != null && slot.connection.open()) {
        open.add(slot.connection);
      }
    }
    return open;
  }

  @Override
  public void watch(Traffic seeing) {
    traffic = seeing;
  }

  @Override
  public void cancelRunning() {
    endWaits(
        new ShardErrorException(
            home, ErrorFields.plain("ERROR", "57014", "canceling statement due to user request")));
    connections().stream().filter(BackendConnection::busy).forEach(BackendConnection::cancel);
  }

  @Override
  public void attend() {
    silence.attend();
  }

  @Override
  public void hurry(Duration most) {
    silence.hurry(most);
  }

  @Override
  public void patient() {
    silence.end();
  }

  @Override
  public void close() {
    closed = true;
    kept.keep(false);
    silence.end();
    endWaits(ErrorCode.SHARD_CONNECTION_LOST.because("The session is closed."));
    connections().forEach(BackendConnection::close);
  }
}

package org.pgconcord.router.tx;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.PartialCommit;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.Fences.Fence;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.entries.Suspects;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.CommitMode;
import org.pgconcord.router.session.ReadTarget;
import org.pgconcord.router.session.SessionSettings;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A session's transaction. It reads and writes any shard; on each it begins when a statement first
 * needs the shard, in the modes that the client gave. {@link CommitSequence} ends it; its
 * savepoints hold on all its backends and for its entries.
 */
public final class Transaction {
  /** What holds the statements together. */
  public enum Scope {
    /** Nothing: a statement on one shard commits by itself there. */
    NONE,
    /** One statement that needs several steps. */
    SINGLE,
    /** The statements of one simple Query, or of the extended protocol up to Sync. */
    IMPLICIT,
    /** From BEGIN to COMMIT or ROLLBACK. */
    EXPLICIT
  }

  private final Backends backends;
  private final SessionSettings settings;
  private final ServiceSessions services;
  private final Suspects suspects;
  private final TransactionMetrics metrics;
  private final CopyMarker marker;
  private final TwoPhase twoPhase;
  private final ReplicaReads replicas;
  private final BooleanSupplier defers;
  private final Map<ShardId, BackendConnection> enlisted = new LinkedHashMap<>();
  private final List<ShardId> written = new ArrayList<>();
  private final Set<ShardId> locked = new HashSet<>();
  private final WrittenCopies copies = new WrittenCopies();
  private final Savepoints savepoints = new Savepoints();
  private final PassedFences fences = new PassedFences();
  private final IndexGround ground;
  private Scope scope = Scope.NONE;
  private TransactionModes modes = TransactionModes.NONE;
  private boolean failed;
  private @Nullable ReadTarget target;
  private @Nullable CommitSteps ending;
  private @Nullable EntryTransaction entries;

  /** One that cannot commit in two phases, and has no replicas to read. */
  public Transaction(
      Backends backends,
      SessionSettings settings,
      ServiceSessions services,
      Suspects suspects,
      TransactionMetrics metrics,
      CopyMarker marker) {
    this(
        backends,
        settings,
        services,
        suspects,
        metrics,
        marker,
        TwoPhase.NONE,
        ReplicaReads.none(backends, settings),
        () -> true,
        () -> Stands.NONE);
  }

  /**
   * @param defers some constraint of the database may wait for COMMIT
   * @param stands the servers of the state that is current
   */
  public Transaction(
      Backends backends,
      SessionSettings settings,
      ServiceSessions services,
      Suspects suspects,
      TransactionMetrics metrics,
      CopyMarker marker,
      TwoPhase twoPhase,
      ReplicaReads replicas,
      BooleanSupplier defers,
      Supplier<Stands> stands) {
    this.backends = backends;
    this.settings = settings;
    this.services = services;
    this.suspects = suspects;
    this.metrics = metrics;
    this.marker = marker;
    this.twoPhase = twoPhase;
    this.replicas = replicas;
    this.defers = defers;
    this.ground = new IndexGround(stands, fences);
  }

  // --- where it stands -------------------------------------------------------------------------

  public Scope scope() {
    return scope;
  }

  public boolean failed() {
    return failed;
  }

  /** A part of it may be committed already: too late to cancel. */
  public boolean committing() {
    return ending != null && ending.underWay();
  }

  /** What ReadyForQuery says: only an explicit transaction shows. */
  public TransactionStatus status() {
    if (scope != Scope.EXPLICIT) {
      return TransactionStatus.IDLE;
    }
    return failed ? TransactionStatus.FAILED : TransactionStatus.OPEN;
  }

  public TransactionModes modes() {
    return modes;
  }

  /** No shard has been touched yet, so that modes may still change. */
  public boolean untouched() {
    return enlisted.isEmpty() && replicas.shards().isEmpty();
  }

  /** An earlier statement of it may have written something. */
  public boolean wrote() {
    return !written.isEmpty() || entries != null;
  }

  /** The shards that it has begun on, where its statements go now. */
  public Set<ShardId> shards() {
    return readsReplicas() ? replicas.shards() : enlisted.keySet();
  }

  /** Somebody waits for the shard's primary just now. */
  public boolean awaits(ShardId shard) {
    return !readsReplicas() && backends.awaited(shard);
  }

  /** Statements go to replicas. */
  public boolean readsReplicas() {
    return settings.target() == ReadTarget.REPLICA;
  }

  /** The entries that it has changed so far, if any. */
  public Optional<EntryTransaction> changedEntries() {
    return Optional.ofNullable(entries);
  }

  /** The version that a server of this session says it has; of the oldest, where they differ. */
  public String serverVersion() {
    return backends.connections().stream()
        .map(backend -> backend.parameter("server_version"))
        .filter(version -> !version.isEmpty())
        .min(String::compareTo)
        .orElse("");
  }

  // --- statements ------------------------------------------------------------------------------

  /** Opens it; an implicit one becomes explicit and keeps what it has done. */
  public void begin(Scope newScope, TransactionModes newModes) {
    scope = newScope;
    modes = newModes;
  }

  public void setModes(TransactionModes newModes) {
    modes = newModes;
  }

  /**
   * A client backend for a statement on the shard, inside this transaction when one is open: on the
   * primary, or on a replica that has proved to be fresh enough.
   */
  public CompletableFuture<BackendConnection> backend(ShardId shard) {
    if (scope != Scope.NONE) {
      requireOneTarget();
    }
    if (!readsReplicas()) {
      return primary(shard);
    }
    return scope == Scope.NONE
        ? replicas.backend(shard)
        : replicas.backend(
            shard,
            beginStatement(),
            modes
                .isolation()
                .map(TransactionModes.Isolation::fixedSnapshot)
                .orElseGet(settings::fixedSnapshot));
  }

  /** The session's home, where settings live: always the primary. */
  public CompletableFuture<BackendConnection> home() {
    return primary(backends.home());
  }

  /** Two targets would show one transaction two moments of the same shard. */
  private void requireOneTarget() {
    if (target == null) {
      target = settings.target();
    } else if (target != settings.target()) {
      throw ErrorCode.TARGET_CHANGED.because(
          "this transaction has begun on the shards with pgconcord.target = " + target.word());
    }
  }

  private CompletableFuture<BackendConnection> primary(ShardId shard) {
    if (scope == Scope.NONE) {
      return backends.acquire(shard, BackendRole.CLIENT).thenApply(ground::checked);
    }
    return backends
        .enlist(shard, BackendRole.CLIENT, beginStatement())
        .thenApply(ground::checked)
        .thenApply(
            backend -> {
              enlisted.put(shard, backend);
              if (written.contains(shard)) {
                fences.pass(backend);
              }
              return backend;
            });
  }

  // --- fences ----------------------------------------------------------------------------------

  /** The statement that begins now writes fenced tables, under these epochs. */
  public void fence(List<Fence> wanted) {
    fences.want(wanted);
    ground.leave();
  }

  /** What the statement that runs has been led by. */
  public IndexGround ground() {
    return ground;
  }

  /** What a write that no transaction holds together has to send before itself. */
  public List<Fence> fences() {
    return fences.wanted();
  }

  /** A fence did not let the statement through. */
  public void fenced(Frame error) {
    fences.failed(error);
  }

  /** A fence did not let the statement through: whatever else it fails with says nothing. */
  public boolean stoppedByFence() {
    return fences.failure() != null;
  }

  /** Why; whoever takes it sees to it. */
  public ErrorFields takeFenceFailure() {
    return fences.takeFailure();
  }

  /** Nothing has been done in it that a new transaction of the same modes would lack. */
  public boolean fresh() {
    return untouched() && savepoints.isEmpty();
  }

  /** Rolls back and begins again as it was, when {@link #fresh} held before this statement. */
  public CompletableFuture<Void> startOver() {
    Scope again = scope == Scope.SINGLE ? Scope.NONE : scope;
    TransactionModes same = modes;
    return rollback().thenRun(() -> begin(again, same));
  }

  /** A statement is about to write rows of the shard. */
  public void write(ShardId shard) {
    if (scope == Scope.NONE || readsReplicas() || written.contains(shard)) {
      return;
    }
    if (!written.isEmpty() && settings.commitMode() == CommitMode.SINGLE) {
      throw ErrorCode.TX_SECOND_SHARD
          .because(
              "this transaction has written rows of shard %s already".formatted(written.get(0)))
          .withDetail("The statement would write rows of shard %s.".formatted(shard));
    }
    if (!written.isEmpty() && settings.commitMode() == CommitMode.ATOMIC) {
      requirePrepared(shard);
    }
    written.add(shard);
  }

  /** A statement is about to lock rows of the shard, to keep them until the transaction ends. */
  public void lock(ShardId shard) {
    if (scope == Scope.NONE) {
      return;
    }
    if (settings.commitMode() == CommitMode.ATOMIC
        && twoPhase.decisions().refusing().contains(shard)) {
      throw ErrorCode.TX_ATOMIC_REFUSED
          .because("shard " + shard + " takes no prepared transactions")
          .withDetail(
              "The statement would lock rows of shard %s for what the transaction writes elsewhere."
                  .formatted(shard));
    }
    locked.add(shard);
  }

  /** What COMMIT would refuse is refused where the second shard comes in. */
  private void requirePrepared(ShardId second) {
    Set<ShardId> refusing = twoPhase.decisions().refusing();
    for (ShardId shard : List.of(written.get(0), second)) {
      if (refusing.contains(shard)) {
        throw ErrorCode.TX_ATOMIC_REFUSED
            .because("shard " + shard + " takes no prepared transactions")
            .withDetail(
                "An earlier statement has written rows of shard %s, this one would write rows of shard %s. max_prepared_transactions is 0 on %s."
                    .formatted(written.get(0), second, shard));
      }
    }
  }

  /** A statement is about to write all copies of a reference table. */
  public void writeCopies(CopiedTable table, ShardId leader, List<ShardId> others) {
    write(leader);
    others.forEach(this::write);
    copies.add(table, leader, others);
  }

  /** Marks copies; completes on the session's loop, when the client may be told. */
  public CompletableFuture<Void> markCopies(CopiedTable table, Set<ShardId> marked, String reason) {
    return marker.mark(table, marked, reason);
  }

  /** The entries of this transaction, to be changed. */
  public EntryTransaction entries() {
    if (entries == null) {
      entries =
          new EntryTransaction(
              services,
              twoPhase.decisions().available() && twoPhase.decisions().refusing().isEmpty(),
              () -> settings.commitMode() == CommitMode.ATOMIC);
      if (!savepoints.isEmpty()) {
        entries.mark();
      }
    }
    return entries;
  }

  /** A statement failed: nothing but the end is accepted any more. */
  public void fail() {
    failed = scope != Scope.NONE;
  }

  private String beginStatement() {
    StringBuilder begin = new StringBuilder("BEGIN");
    modes.isolation().ifPresent(i -> begin.append(" ISOLATION LEVEL ").append(i.sql()));
    if (readsReplicas() && modes.readOnly().equals(Optional.of(false))) {
      throw ErrorCode.TARGET_READ_ONLY.because(
          "pgconcord.target is replica, and the transaction is to be READ WRITE");
    }
    modes.readOnly().ifPresent(r -> begin.append(r ? " READ ONLY" : " READ WRITE"));
    modes.deferrable().ifPresent(d -> begin.append(d ? " DEFERRABLE" : " NOT DEFERRABLE"));
    return begin.toString();
  }

  // --- savepoints ------------------------------------------------------------------------------

  /** No message: each backend hears of it before its next statement. */
  public void savepoint(String name) {
    String own = savepoints.set(name, entries == null ? 0 : entries.mark(), written.size());
    backends.savepoint(own);
    settings.savepoint(own);
  }

  public boolean hasSavepoint(String name) {
    return savepoints.find(name).isPresent();
  }

  /** How many savepoints this transaction has set. */
  public long savepointsSet() {
    return savepoints.count();
  }

  /** Which of them this one was, from 1. */
  public long savepointNumber(String name) {
    return savepoints.find(name).orElseThrow().number();
  }

  /** Undoes what was done since the savepoint, which stays; a failed transaction goes on. */
  public CompletableFuture<Void> rollbackTo(String name) {
    Savepoints.Savepoint savepoint = savepoints.find(name).orElseThrow();
    return backends
        .rollbackTo(savepoint.own())
        .thenRun(
            () -> {
              savepoints.dropAfter(savepoint);
              settings.rolledBackTo(savepoint.own());
              services.limitsForgotten();
              fences.forget();
              if (entries != null) {
                entries.rollbackTo(savepoint.entriesMark());
              }
              written.subList(savepoint.written(), written.size()).clear();
              failed = false;
            });
  }

  /** Forgets the savepoint and those after it. */
  public CompletableFuture<Void> release(String name) {
    Savepoints.Savepoint savepoint = savepoints.find(name).orElseThrow();
    return backends
        .release(savepoint.own())
        .thenRun(
            () -> {
              savepoints.drop(savepoint);
              settings.released(savepoint.own());
            });
  }

  // --- the end ---------------------------------------------------------------------------------

  /** Commits; after a failure everything that could still be rolled back is. */
  public CompletableFuture<Void> commit() {
    List<BackendConnection> mains = new ArrayList<>();
    written.stream().map(enlisted::get).filter(Objects::nonNull).forEach(mains::add);
    Set<BackendConnection> readers = new HashSet<>(enlisted.values());
    readers.addAll(replicas.begun());
    mains.forEach(readers::remove);
    List<BackendConnection> keepers = new ArrayList<>();
    if (!mains.isEmpty() || entries != null) {
      readers.stream().filter(reader -> locked.contains(reader.shard())).forEach(keepers::add);
      keepers.forEach(readers::remove);
    }
    CommitSteps steps;
    try {
      steps = steps(readers, mains, keepers);
    } catch (ConcordException e) {
      return rollback().thenCompose(done -> CompletableFuture.failedFuture(e));
    }
    ending = steps;
    backends.awaitPrimaries(false);
    backends.attend();
    return steps
        .run()
        .handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return committed();
              }
              return steps.pending() ? pending(failure) : notCommitted(failure, steps);
            });
  }

  private CommitSteps steps(
      Set<BackendConnection> readers,
      List<BackendConnection> mains,
      List<BackendConnection> keepers) {
    if (!needsTwoPhases(mains)) {
      return new CommitSequence(
          new CommitSequence.Work(
              readers, copies.inOrder(mains), keepers, entries, defers.getAsBoolean()),
          suspects,
          metrics,
          this::remember,
          backends::hurry);
    }
    Map<ShardId, BackendConnection> byShard = new LinkedHashMap<>();
    Set<ShardId> late = new HashSet<>(copies.leaders());
    mains.forEach(main -> byShard.put(main.shard(), main));
    keepers.forEach(
        keeper -> {
          byShard.put(keeper.shard(), keeper);
          late.add(keeper.shard());
        });
    return new AtomicCommit(
        new AtomicCommit.Work(readers, byShard, late, entries), twoPhase, metrics, backends::hurry);
  }

  private void remember(Outcomes outcomes, Throwable cause) {
    twoPhase
        .decisions()
        .ended(
            new PartialCommit(
                Instant.now(),
                twoPhase.database(),
                twoPhase.user(),
                outcomes.byShard(),
                String.valueOf(cause.getMessage())));
  }

  /**
   * A moved key always does: it has no safe order of commits. One MAIN without entries elsewhere is
   * atomic by itself.
   */
  private boolean needsTwoPhases(List<BackendConnection> mains) {
    if (entries != null && entries.moves()) {
      return true;
    }
    return settings.commitMode() == CommitMode.ATOMIC
        && (mains.size() > 1 || (entries != null && entries.apart()));
  }

  private CompletableFuture<Void> committed() {
    if (entries != null) {
      entries.committed();
    }
    return left();
  }

  /** What was set in it stays. */
  private CompletableFuture<Void> left() {
    settings.committed();
    return leave(touched());
  }

  /** Copies that some shards show and others do not yet are marked before the client hears. */
  private CompletableFuture<Void> pending(Throwable failure) {
    return mark(copies.others(), "a committed write is not visible on every copy yet")
        .thenCompose(marked -> left())
        .thenCompose(done -> CompletableFuture.failedFuture(failure));
  }

  /**
   * A backend that has committed its part has kept settings which the session counts as undone: it
   * goes.
   */
  private CompletableFuture<Void> notCommitted(Throwable failure, CommitSteps steps) {
    steps.committed().forEach(BackendConnection::close);
    if (entries != null) {
      entries.suspectMarked(suspects);
    }
    return mark(copies.uneven(steps.outcomes()), "a commit did not reach all copies")
        .thenCompose(marked -> rollback())
        .thenCompose(done -> CompletableFuture.failedFuture(failure));
  }

  /** Before anything is let go: a leader that has not committed keeps the next writer waiting. */
  private CompletableFuture<Void> mark(Map<CopiedTable, Set<ShardId>> unequal, String reason) {
    return CompletableFuture.allOf(
        unequal.entrySet().stream()
            .map(table -> marker.mark(table.getKey(), table.getValue(), reason))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Rolls back whatever is open; never fails. */
  public CompletableFuture<Void> rollback() {
    settings.rolledBack();
    return leave(touched());
  }

  private Collection<BackendConnection> touched() {
    List<BackendConnection> touched = new ArrayList<>(enlisted.values());
    touched.addAll(replicas.begun());
    if (entries != null) {
      touched.addAll(entries.backends());
    }
    return touched;
  }

  /** Each backend is outside any transaction by its own word, or closed. */
  private CompletableFuture<Void> leave(Collection<BackendConnection> touched) {
    enlisted.clear();
    replicas.left();
    target = null;
    entries = null;
    written.clear();
    locked.clear();
    copies.clear();
    savepoints.clear();
    fences.forget();
    services.limitsForgotten();
    failed = false;
    ending = null;
    scope = Scope.NONE;
    modes = TransactionModes.NONE;
    backends.awaitPrimaries(true);
    backends.hurry(CommitSteps.ANY);
    return CompletableFuture.allOf(
            touched.stream().map(Transaction::end).toArray(CompletableFuture<?>[]::new))
        .thenRun(backends::patient);
  }

  private static CompletableFuture<Void> end(BackendConnection backend) {
    if (!backend.open() || (!backend.busy() && backend.status() == TransactionStatus.IDLE)) {
      return CompletableFuture.completedFuture(null);
    }
    return backend
        .query("ROLLBACK", List.of())
        .handle(
            (result, failure) -> {
              if (failure != null || backend.status() != TransactionStatus.IDLE) {
                backend.close();
              }
              return null;
            });
  }
}

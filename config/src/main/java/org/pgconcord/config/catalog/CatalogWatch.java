package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a consumer of each new routing state. One thread of its own waits for the catalog's
 * notification, a second at most, then compares the stored revision with the one it knows; every
 * {@link #SCHEMA_EVERY} it reads the shards' schemas again, since DDL that bypasses the router
 * changes no revision. The consumer is called on that thread, first with the state at the start,
 * never twice with equal states; states come in the order of their revisions.
 *
 * <p>While the catalog does not answer, the last state stays in use and {@link #failure} says why;
 * the next try is a second later. While another shard does not answer, changes of the catalog still
 * come through, over the schemas known before.
 */
public final class CatalogWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogWatch.class);
  static final Duration POLL_EVERY = Duration.ofSeconds(1);
  static final Duration SCHEMA_EVERY = Duration.ofSeconds(10);

  private final Catalog catalog;
  private final RoutingStates states;
  private final Supplier<Connection> source;
  private final Consumer<RoutingState> consumer;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable RoutingState> current = new AtomicReference<>();
  private final Thread thread;
  private volatile boolean refreshWanted;
  private long schemasReadAt;

  /**
   * A watch that does not run yet.
   *
   * @param source opens connections to the catalog, for LISTEN
   */
  public CatalogWatch(
      Catalog catalog,
      RoutingStates states,
      Supplier<Connection> source,
      Consumer<RoutingState> consumer) {
    this.catalog = catalog;
    this.states = states;
    this.source = source;
    this.consumer = consumer;
    this.thread = new Thread(this::run, "catalog-watch");
    this.thread.setDaemon(true);
  }

  /**
   * Reads the first state on the caller's thread, hands it to the consumer, and goes on watching.
   *
   * @throws ConcordException when the first state cannot be read; the watch has not started then
   */
  public RoutingState start() {
    RoutingState first = reload();
    thread.start();
    return first;
  }

  /** The newest state; empty before the start. */
  public Optional<RoutingState> current() {
    return Optional.ofNullable(current.get());
  }

  /** Why the newest state may be old; empty while all is well. */
  public Optional<String> failure() {
    return Optional.ofNullable(failure.get());
  }

  /** Asks for the schemas to be read again soon, after DDL that is known of. */
  public void refreshSchemas() {
    refreshWanted = true;
  }

  /** Ends the thread and waits for it, so that the consumer is not called afterwards. */
  @Override
  public void close() {
    closing.countDown();
    if (thread.isAlive() && thread != Thread.currentThread()) {
      thread.interrupt();
      try {
        thread.join(TimeUnit.SECONDS.toMillis(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    while (!closed()) {
      try (Connection connection = source.get()) {
        listen(connection);
        while (!closed()) {
          check();
          await(connection);
        }
      } catch (SQLException | RuntimeException e) {
        failed(e);
        pause();
      }
    }
  }

  private static void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + CatalogSql.CHANNEL);
    }
  }

  private static void await(Connection connection) throws SQLException {
    connection.unwrap(PGConnection.class).getNotifications((int) POLL_EVERY.toMillis());
  }

  private void check() {
    RoutingState known = current.get();
    boolean schemasOld = System.nanoTime() - schemasReadAt > SCHEMA_EVERY.toNanos();
    if (known == null || schemasOld || refreshWanted || changed(known)) {
      reload();
    }
    if (failure.getAndSet(null) != null) {
      LOG.info("catalog answers again");
    }
  }

  private boolean changed(RoutingState known) {
    CatalogState stored = catalog.load();
    return stored.revision() != known.revision()
        || stored.copies().version() != known.copies().version();
  }

  private RoutingState reload() {
    refreshWanted = false;
    RoutingState known = current.get();
    try {
      RoutingState next = states.load();
      schemasReadAt = System.nanoTime();
      publish(known, next);
      return next;
    } catch (ConcordException e) {
      if (known != null) {
        publish(known, states.loadOver(known));
      }
      throw e;
    }
  }

  private void publish(@Nullable RoutingState known, RoutingState next) {
    if (!next.equals(known)) {
      current.set(next);
      LOG.info("routing state changed revision={}", next.revision());
      consumer.accept(next);
    }
  }

  private void failed(Exception e) {
    String reason = e instanceof ConcordException c ? c.code().id() : e.getClass().getSimpleName();
    if (!closed() && failure.getAndSet(reason + ": " + e.getMessage()) == null) {
      LOG.warn("catalog does not answer reason={} message={}", reason, e.getMessage());
    }
  }

  private void pause() {
    try {
      closing.await(POLL_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Interrupted only by close, whose latch the loop looks at next.
    }
  }

  private boolean closed() {
    return closing.getCount() == 0;
  }
}

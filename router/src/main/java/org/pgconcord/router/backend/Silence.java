package org.pgconcord.router.backend;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up shards that hang: the connection stands, and nothing comes. A server that is stopped, or
 * behind a network that swallows everything, would else hold a statement or a COMMIT for ever.
 *
 * <p>{@link #attend}: a statement may take as long as it likes, as long as its server lives. When a
 * backend has been silent for the limit the shard is asked over another connection; it is given up
 * when nobody answers there, or another server does. {@link #hurry}: what is sent takes no time on
 * a server that lives, so silence alone is enough.
 *
 * <p>A server is given up with all backends of the session: those beside the silent one hang too,
 * and each would cost the limit again. A replica is not asked, for it is read again elsewhere only
 * when its connection ends; TCP finds a dead one. Docs/decisions/0023 says what becomes of what was
 * under way. On the session's event loop.
 */
final class Silence {
  private static final Logger LOG = LoggerFactory.getLogger(Silence.class);

  /** Looks in one limit. */
  private static final int LOOKS = 16;

  private final EventLoop loop;
  private final Duration most;
  private final Supplier<? extends Collection<NettyBackendConnection>> backends;
  private final Function<ShardId, CompletableFuture<NettyBackendConnection>> probe;
  private final Map<SocketAddress, Long> alive = new HashMap<>();
  private final Set<SocketAddress> asked = new HashSet<>();
  private Duration limit = Duration.ZERO;
  private boolean hurried;
  private long begun;
  private @Nullable ScheduledFuture<?> next;

  /**
   * @param loop the session's
   * @param most the router's limit
   * @param backends those that are read now; one that is not read cannot be heard
   * @param probe a backend of the shard for questions, opened when there is none
   */
  Silence(
      EventLoop loop,
      Duration most,
      Supplier<? extends Collection<NettyBackendConnection>> backends,
      Function<ShardId, CompletableFuture<NettyBackendConnection>> probe) {
    this.loop = loop;
    this.most = most;
    this.backends = backends;
    this.probe = probe;
  }

  void attend() {
    if (next == null) {
      begin(most, false);
    }
  }

  /** The limit counts from now, or from the last that was heard. */
  void hurry(Duration wanted) {
    begin(wanted.compareTo(most) < 0 ? wanted : most, true);
  }

  private void begin(Duration wanted, boolean hurry) {
    end();
    limit = wanted;
    hurried = hurry;
    begun = System.nanoTime();
    lookLater();
  }

  void end() {
    alive.clear();
    if (next != null) {
      next.cancel(false);
      next = null;
    }
  }

  private void lookLater() {
    long nanos = Math.max(TimeUnit.MILLISECONDS.toNanos(10), limit.toNanos() / LOOKS);
    next = loop.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
  }

  /** The next look is planned first: who is given up may end all this, or begin it anew. */
  private void look() {
    lookLater();
    List<NettyBackendConnection> silent =
        backends.get().stream().filter(this::silent).collect(Collectors.toList());
    for (NettyBackendConnection backend : silent) {
      if (hurried || backend.role() == BackendRole.WATCH) {
        giveUp(backend);
      } else if (backend.role() != BackendRole.REPLICA && asked.add(backend.server())) {
        ask(backend);
      }
    }
  }

  private boolean silent(NettyBackendConnection backend) {
    long since = alive.getOrDefault(backend.server(), begun);
    return backend.silentNanos(since) >= limit.toNanos();
  }

  /** Whatever it says, somebody is there. */
  private void ask(NettyBackendConnection silent) {
    SocketAddress server = silent.server();
    var unused =
        probe
            .apply(silent.shard())
            .thenCompose(
                other ->
                    other
                        .query("SELECT 1", List.of())
                        .thenApply(answer -> other.server().equals(server)))
            .handle(
                (same, failure) ->
                    failure == null
                        ? same
                        : failure.getCause() instanceof ShardErrorException
                            || failure instanceof ShardErrorException)
            .thenAccept(
                lives -> {
                  asked.remove(server);
                  if (lives) {
                    alive.put(server, System.nanoTime());
                  } else if (next != null && silent(silent)) {
                    giveUp(silent);
                  }
                });
  }

  private void giveUp(NettyBackendConnection silent) {
    SocketAddress server = silent.server();
    List<NettyBackendConnection> lost =
        backends.get().stream().filter(backend -> backend.server().equals(server)).toList();
    if (!lost.isEmpty()) {
      LOG.warn("shard is given up shard={} silent_ms={}", silent.shard(), limit.toMillis());
    }
    lost.forEach(backend -> backend.giveUp(limit));
  }
}

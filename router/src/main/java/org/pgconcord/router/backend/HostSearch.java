package org.pgconcord.router.backend;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * One look for a shard's primary, host after host. It ends with the first backend that accepts
 * writes and has proved to be on the shard's server. Where there is none, what the hosts said
 * decides: a host that is down, starts or stops, is a standby, or is another server may be none or
 * the primary in a moment, and all of them together are {@code shard/no-primary}, for which one can
 * wait; what a server refuses for good (a password, a database) is told as it is.
 */
final class HostSearch {
  /** A server that starts, stops or recovers; it takes nobody in. */
  private static final Set<String> BETWEEN = Set.of("57P01", "57P02", "57P03");

  private static final Set<ErrorCode> ABSENT =
      Set.of(
          ErrorCode.SHARD_UNREACHABLE,
          ErrorCode.SHARD_WRONG_SERVER,
          ErrorCode.SHARD_CONNECTION_LOST);

  private final ShardId shard;
  private final List<InetSocketAddress> hosts;
  private final Function<InetSocketAddress, CompletableFuture<NettyBackendConnection>> connect;
  private final Consumer<InetSocketAddress> found;
  private final CompletableFuture<NettyBackendConnection> result = new CompletableFuture<>();
  private final List<String> said = new ArrayList<>();
  private @Nullable Throwable refusal;

  /**
   * @param hosts in the order in which they are tried
   * @param connect logs in, and asks a server that accepts writes which one it is
   * @param found hears which host it is
   */
  HostSearch(
      ShardId shard,
      List<InetSocketAddress> hosts,
      Function<InetSocketAddress, CompletableFuture<NettyBackendConnection>> connect,
      Consumer<InetSocketAddress> found) {
    this.shard = shard;
    this.hosts = hosts;
    this.connect = connect;
    this.found = found;
  }

  CompletableFuture<NettyBackendConnection> run() {
    tryHost(0);
    return result;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // how it ends is told by the result
  private void tryHost(int index) {
    if (index == hosts.size()) {
      result.completeExceptionally(refusal != null ? refusal : noPrimary());
      return;
    }
    InetSocketAddress host = hosts.get(index);
    connect
        .apply(host)
        .whenComplete(
            (connection, failure) -> {
              if (connection != null && connection.writable()) {
                found.accept(host);
                result.complete(connection);
                return;
              }
              if (connection != null) {
                connection.close();
                said.add(host.getHostString() + ":" + host.getPort() + ": a standby");
              } else {
                failed(host, failure);
              }
              tryHost(index + 1);
            });
  }

  private void failed(InetSocketAddress host, Throwable failure) {
    said.add(host.getHostString() + ":" + host.getPort() + ": " + words(failure));
    if (refusal == null && !isAbsent(failure)) {
      refusal = failure;
    }
  }

  private String words(Throwable failure) {
    if (failure instanceof ConcordException known) {
      String message =
          known.message().replaceFirst("^Shard " + shard + " ", "").replaceFirst("\\.$", "");
      return known.detail() == null ? message : message + " (" + known.detail() + ")";
    }
    return failure instanceof ShardErrorException refused
        ? refused.fields().message()
        : String.valueOf(failure);
  }

  /** Whether somebody else, or the same server in a moment, may still be the primary. */
  static boolean isAbsent(Throwable failure) {
    return failure instanceof ConcordException known
        ? ABSENT.contains(known.code())
        : isBetween(failure);
  }

  /** The server answered that it takes nobody in now. */
  static boolean isBetween(@Nullable Throwable failure) {
    return failure instanceof ShardErrorException refused
        && BETWEEN.contains(refused.fields().sqlState());
  }

  private ConcordException noPrimary() {
    return ErrorCode.SHARD_NO_PRIMARY
        .because("no primary of shard %s is known".formatted(shard))
        .withDetail(said.isEmpty() ? "The shard has no address." : String.join("; ", said));
  }
}

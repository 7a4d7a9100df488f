package org.pgconcord.config.settings;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which server each shard is, as far as this process has heard: from the catalog, and from every
 * server that it has reached. Another system, or a lower timeline of the same, is not let in; and
 * when a higher timeline is heard of, whoever is connected to the server before it is told to leave
 * (decision 0029). Safe for many threads; never blocks.
 */
public final class KnownServers {
  private static final Logger log = LoggerFactory.getLogger(KnownServers.class);

  private final Map<ShardId, ServerIdentity> servers = new ConcurrentHashMap<>();
  private final Set<ShardId> contested = ConcurrentHashMap.newKeySet();
  private final List<Consumer<ShardId>> leaving = new CopyOnWriteArrayList<>();

  /** All, by shard. */
  public Map<ShardId, ServerIdentity> all() {
    return Map.copyOf(servers);
  }

  /** Takes over what the catalog says. Of one system the newest counts, else the catalog. */
  public void remember(Map<ShardId, ServerIdentity> known) {
    known.forEach(
        (shard, server) -> settle(shard, server, old -> old.continues(server) ? old : server));
  }

  /**
   * A server has been reached as this shard, and accepts writes.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code shard/wrong-server}
   */
  public void admit(ShardId shard, ServerIdentity server) {
    if (contested.contains(shard)) {
      throw ErrorCode.SHARD_WRONG_SERVER.because(
          "two servers say that they are the primary of shard " + shard);
    }
    ServerIdentity now = settle(shard, server, old -> server.continues(old) ? server : old);
    if (!server.continues(now)) {
      throw ErrorCode.SHARD_WRONG_SERVER
          .because("another server answers for shard " + shard)
          .withDetail("Known: " + now + ". Found: " + server + ".");
    }
  }

  private synchronized ServerIdentity settle(
      ShardId shard, ServerIdentity first, UnaryOperator<ServerIdentity> choice) {
    ServerIdentity old = servers.get(shard);
    ServerIdentity now = old == null ? first : choice.apply(old);
    servers.put(shard, now);
    if (old != null && !old.continues(now)) {
      log.warn(
          "shard has another server shard={} timeline={} before={}",
          shard,
          now.timeline(),
          old.timeline());
      leaving.forEach(listener -> listener.accept(shard));
    }
    return now;
  }

  /** Whether this server must not be used any more: another has taken its place, or claims it. */
  public boolean followed(ShardId shard, ServerIdentity server) {
    ServerIdentity known = servers.get(shard);
    return contested.contains(shard) || (known != null && !server.continues(known));
  }

  /**
   * Two servers of one timeline say that they are the primary of this shard, or do so no more.
   * Neither is used then: which of them is the shard is for people to say.
   */
  void contest(ShardId shard, boolean now) {
    if (now && contested.add(shard)) {
      log.error("two servers say that they are the primary shard={}", shard);
      leaving.forEach(listener -> listener.accept(shard));
    } else if (!now && contested.remove(shard)) {
      log.info("one server is the primary again shard={}", shard);
    }
  }

  /**
   * Tells of each shard whose server has been followed by another one. From any thread, and must
   * not block; who is connected to a server looks here again once it has said so.
   */
  public void onFollowed(Consumer<ShardId> listener) {
    leaving.add(listener);
  }
}

package org.pgconcord.daemon;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.ShardId;

/** Which servers the shards are, for this process by the catalog, and by it for all others. */
record ServerMemory(Catalog catalog, KnownServers known) {

  /** What other processes have found, and for them what this one has. */
  void exchange() {
    Map<ShardId, ServerIdentity> stored = catalog.servers();
    known.remember(stored);
    Map<ShardId, ServerIdentity> all = known.all();
    if (all.entrySet().stream().anyMatch(e -> isNews(stored.get(e.getKey()), e.getValue()))) {
      catalog.rememberServers(all);
    }
  }

  private static boolean isNews(@Nullable ServerIdentity stored, ServerIdentity found) {
    return stored == null || !stored.continues(found);
  }
}

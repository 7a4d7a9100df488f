package org.pgconcord.router.exec;

import java.util.List;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/** The rows of one shard after the other, handed on as they come. */
final class Concatenation extends RowStream {
  Concatenation(Transaction tx, List<ShardPortal> portals, RowDescription description) {
    super(tx, portals, description);
  }

  @Override
  protected void step() {
    portals().stream()
        .filter(portal -> !portal.ended())
        .findFirst()
        .ifPresent(portal -> ask(portal, left() > Integer.MAX_VALUE ? 0 : (int) left()));
  }

  @Override
  protected void arrived(ShardPortal from, Frame rows) {
    give(rows);
  }
}

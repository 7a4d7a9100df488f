package org.pgconcord.router.backend;

import java.util.Arrays;
import java.util.List;
import org.pgconcord.config.catalog.Fences.Fence;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

/**
 * What goes before a write of a fenced table, on the shard and in the transaction of the write: it
 * fails with {@link #PASSED} when the epoch that the write was planned under has passed.
 */
public final class FenceCall {
  /** The SQLSTATE of a fence that does not let a write through. */
  public static final String PASSED = "PGC01";

  private static final String SQL = "SELECT pgconcord.fence($1, $2)";
  private static final ParameterTypes TYPES = new ParameterTypes(25, 20); // text, int8

  private FenceCall() {}

  /** It is prepared once on each backend. */
  public static BackendRequest.Extended of(Fence fence) {
    return BackendRequest.Extended.of(
        SQL,
        TYPES,
        Parameters.textValues(
            Arrays.asList(fence.table().sequence(), Long.toString(fence.epoch()))));
  }

  /** The same for several tables, in one order for all writers. */
  public static List<BackendRequest.Extended> of(List<Fence> fences) {
    return fences.stream().map(FenceCall::of).toList();
  }
}

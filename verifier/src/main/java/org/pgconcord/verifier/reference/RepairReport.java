package org.pgconcord.verifier.reference;

import java.util.List;

/**
 * The outcome of a repair, docs/formats.md.
 *
 * @param table {@code database.schema.table}
 * @param source the shard whose copy the others were made equal to
 * @param dryRun nothing was changed
 * @param changed a copy differs, or differed
 */
public record RepairReport(
    String table, String source, boolean dryRun, boolean changed, List<CopyRepair> copies) {
  public RepairReport {
    copies = List.copyOf(copies);
  }
}

/**
 * Phase 1: from an owner shard's exported snapshot to sorted runs. Entry type: {@link
 * org.pgconcord.backfill.export.ShardExport}. It reads owner tables and writes local files; the
 * lookup table is not its business beyond the types of its columns.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.export;

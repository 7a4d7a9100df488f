package org.pgconcord.router.plan;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** The tables that the planner's tests plan for: {@code plans/topology.json} and schema.sql. */
final class PlanFixture {
  private static final Topology TOPOLOGY = topology();
  private static final Map<TableName, TableSchema> SCHEMAS =
      SchemaFile.read(resource("schema.sql"));

  private PlanFixture() {}

  private static Topology topology() {
    var reading = TopologyReader.read(resource("topology.json"));
    return reading.topology().orElseThrow(() -> new AssertionError(reading.findings().toString()));
  }

  static PlanContext context(
      GsiState indexes, List<String> searchPath, boolean fixedSnapshot, String markedCopies) {
    Map<GsiName, GsiStatus> states = new HashMap<>();
    states.put(new GsiName("app", "by_email"), new GsiStatus(indexes, "", 3));
    states.put(new GsiName("app", "by_nick"), new GsiStatus(indexes, "", 3));
    RoutingState state =
        new RoutingState(
            7,
            TOPOLOGY,
            states,
            Map.of("app", SCHEMAS),
            Map.of("app", Set.of(new TableName("public", "user_names"))),
            Map.of("app", Set.of(new TableName("shadow", "users"))),
            Map.of(),
            marks(markedCopies),
            Fences.NONE,
            Stands.NONE);
    return new PlanContext(state, "app", searchPath, "demo", fixedSnapshot);
  }

  /** The copies of countries on one shard; none for the empty text. */
  private static CopyMarks marks(String shard) {
    return shard.isEmpty()
        ? CopyMarks.NONE
        : CopyMarks.NONE.with(
            new CopiedTable("app", new TableName("public", "countries")),
            List.of(new ShardId(shard)),
            "planted");
  }

  static String resource(String name) {
    try (InputStream in = PlanFixture.class.getResourceAsStream("/plans/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

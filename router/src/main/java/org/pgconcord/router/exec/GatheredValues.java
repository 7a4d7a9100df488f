package org.pgconcord.router.exec;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.plan.NumberedColumn;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * Fetched rows as the VALUES of an INSERT: each value a parameter behind the client's own. A value
 * travels in binary under its own type and is then assigned to the column, which is what one server
 * does. A text may be a literal, which takes the column's type; so it is sent as text and without
 * type.
 */
final class GatheredValues {
  private static final int PARAMETERS_MOST = 65_535;
  private static final int TEXT_OID = 25;
  private static final int INT8_OID = 20;

  /** The first oid that is not PostgreSQL's own: it may be another on another shard. */
  private static final int FIRST_USER_OID = 16_384;

  private final Execution execution;
  private final Plan.InsertGathered plan;
  private final ParameterTypes types;
  private final int before;
  private final List<Integer> columnTypes;
  private final List<String> given;
  private final List<String> more = new ArrayList<>();
  private final List<NumberedColumn> numbered;
  private boolean always;

  /**
   * @param types those of the client's parameters
   * @param client the client's values
   * @param columns what the query has
   */
  GatheredValues(
      Execution execution,
      Plan.InsertGathered plan,
      ParameterTypes types,
      Parameters client,
      RowDescription columns) {
    this.execution = execution;
    this.plan = plan;
    this.types = types;
    this.before = Math.max(types.count(), client.count());
    this.columnTypes =
        new ArrayList<>(columns.fields().stream().map(RowDescription.Field::typeOid).toList());
    this.given = plan.columns().subList(0, Math.min(plan.columns().size(), columnTypes.size()));
    this.numbered = plan.numbered().stream().filter(c -> !given.contains(c.name())).toList();
  }

  /** The rows with a number each for the columns that the query has no values for. */
  CompletableFuture<List<List<byte @Nullable []>>> numbered(List<List<byte @Nullable []>> rows) {
    if (numbered.isEmpty()) {
      return CompletableFuture.completedFuture(rows);
    }
    requireWholeList();
    List<List<byte @Nullable []>> all = new ArrayList<>();
    rows.forEach(row -> all.add(new ArrayList<>(row)));
    CompletableFuture<Void> taken = CompletableFuture.completedFuture(null);
    for (NumberedColumn column : numbered) {
      taken =
          taken
              .thenCompose(
                  done -> execution.session().numbers().take(column.sequence(), all.size()))
              .thenAccept(numbers -> add(column, numbers, all));
    }
    return taken.thenApply(done -> all);
  }

  /** The key's place was counted in all columns of the table, or in those that are listed. */
  private void requireWholeList() {
    boolean few = plan.columns().size() > columnTypes.size();
    boolean inKey = numbered.stream().anyMatch(c -> plan.key().key().position(c.name()) >= 0);
    if (few && inKey) {
      throw ErrorCode.WRITE_NO_SHARD_KEY
          .because("the shard key is left to a sequence by an INSERT without a list of columns")
          .withHint("Name the columns.");
    }
  }

  private void add(NumberedColumn column, long[] numbers, List<List<byte @Nullable []>> rows) {
    more.add(column.name());
    always |= column.always();
    columnTypes.add(INT8_OID);
    for (int i = 0; i < numbers.length; i++) {
      rows.get(i).add(ByteBuffer.allocate(Long.BYTES).putLong(numbers[i]).array());
    }
  }

  int width() {
    return columnTypes.size();
  }

  /** How many rows one statement has parameters for. */
  int most() {
    return (PARAMETERS_MOST - before) / Math.max(1, width());
  }

  ShardId shardOf(List<byte @Nullable []> row) {
    return plan.key().shardOf(row, columnTypes);
  }

  /** The client's values with those of rows behind them. */
  record Bound(ParameterTypes types, Parameters values) {}

  /**
   * @param client the client's values, with the formats of the answer
   */
  Bound bound(Parameters client, List<List<byte @Nullable []>> rows) {
    List<byte @Nullable []> values = new ArrayList<>();
    rows.forEach(values::addAll);
    List<Boolean> binary = new ArrayList<>();
    int[] oids = new int[before + values.size()];
    for (int i = 0; i < before; i++) {
      oids[i] = types.oid(i);
    }
    for (int i = 0; i < values.size(); i++) {
      int oid = columnTypes.get(i % width());
      oids[before + i] = oid == TEXT_OID || oid >= FIRST_USER_OID ? 0 : oid;
      binary.add(oid != TEXT_OID);
    }
    return new Bound(new ParameterTypes(oids), client.and(values, binary));
  }

  /**
   * The INSERT of so many rows.
   *
   * @param returning what is appended to it
   */
  String sql(int rows, String returning) {
    return plan.parts()
        .with(execution.planned().text(), given, more, always, values(rows), returning);
  }

  private String values(int rows) {
    StringBuilder sql = new StringBuilder("VALUES ");
    int parameter = before;
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < width(); column++) {
        sql.append(column > 0 ? "," : row > 0 ? "), (" : "(").append('$').append(++parameter);
      }
    }
    return sql.append(')').toString();
  }
}

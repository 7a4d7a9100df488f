package org.pgconcord.router.exec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * Columns that the router has added behind a client's RETURNING list: they come as text whatever
 * format the client asked for, and are taken off again before the client sees the rows.
 */
final class AddedColumns {
  private final Execution execution;
  private final String sql;
  private final boolean clientReturns;
  private final int added;

  /**
   * @param sql the statement with the columns
   * @param clientReturns the client has a RETURNING list of its own; else it gets no rows
   * @param added how many columns there are more than the client's; 0 leaves all as the client
   *     asked
   */
  AddedColumns(Execution execution, String sql, boolean clientReturns, int added) {
    this.execution = execution;
    this.sql = sql;
    this.clientReturns = clientReturns;
    this.added = added;
  }

  /** The statement with the added columns. */
  String sql() {
    return sql;
  }

  /** The call's parameters, with the added columns in text format. */
  CompletableFuture<Parameters> formats(BackendConnection backend) {
    Parameters parameters = execution.wireParameters();
    if (added == 0) {
      return CompletableFuture.completedFuture(parameters);
    }
    if (!clientReturns || parameters.resultFormats() == 0) {
      return CompletableFuture.completedFuture(
          execution.simple() ? parameters : parameters.withResultFormats());
    }
    if (parameters.resultFormats() > 1) {
      return CompletableFuture.completedFuture(
          withTextBehind(parameters, parameters.resultFormats()));
    }
    return clientColumns(backend).thenApply(columns -> withTextBehind(parameters, columns));
  }

  private Parameters withTextBehind(Parameters parameters, int clientColumns) {
    short[] formats = new short[clientColumns + added];
    for (int column = 0; column < clientColumns; column++) {
      formats[column] = parameters.resultFormat(column);
    }
    return parameters.withResultFormats(formats);
  }

  /** One format for all columns was asked for: how many are there? */
  private CompletableFuture<Integer> clientColumns(BackendConnection backend) {
    return DescribedStatement.ask(backend, sql, execution.declaredTypes())
        .thenApply(described -> described.columns() - added);
  }

  /** Tells the client of its own columns, when it waits for them. */
  void describe(RowDescription all, int clientColumns) {
    if (!execution.describes()) {
      return;
    }
    if (clientReturns) {
      execution.sink().rowDescription(all.keepFirst(clientColumns));
    } else if (!execution.simple()) {
      execution.sink().noData();
    }
  }

  /** The added columns of each row. */
  static List<List<@Nullable String>> texts(Frame frame, int clientColumns) {
    List<List<@Nullable String>> texts = new ArrayList<>(frame.count());
    for (List<byte @Nullable []> row : DataRows.values(frame)) {
      List<@Nullable String> added = new ArrayList<>(row.size() - clientColumns);
      for (byte[] value : row.subList(clientColumns, row.size())) {
        added.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
      }
      texts.add(added);
    }
    return texts;
  }
}

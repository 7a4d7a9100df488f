package org.pgconcord.router.exec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.copy.CopyField;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

/** Some rows of a {@link CopyByInsert} on their way to one shard, and what it says of them. */
final class CopyBatch {
  /** How a server names the value that it could not read. */
  private static final Pattern PARAMETER = Pattern.compile("portal.* parameter \\$(\\d+)");

  /**
   * A row that waits.
   *
   * @param line the client's, or in binary format the row's number
   * @param numbers for the numbered columns; there when the row is sent
   */
  record Row(long line, List<CopyField> fields, int bytes, List<Long> numbers) {}

  private final Plan.CopyByInsert plan;
  private final BackendConnection main;
  private final List<Row> rows;
  private @Nullable PartAnswer answer;

  CopyBatch(Plan.CopyByInsert plan, BackendConnection main, List<Row> rows) {
    this.plan = plan;
    this.main = main;
    this.rows = rows;
  }

  ShardId shard() {
    return main.shard();
  }

  /** Stores them; fails with an error that names the client's lines. */
  CompletableFuture<CopyBatch> insert() {
    boolean whole =
        rows.size() == plan.inserts().rowsMost()
            && plan.inserts().numbered().isEmpty()
            && rows.stream().allMatch(r -> r.fields().stream().noneMatch(CopyField::isDefault));
    BackendRequest request =
        new BackendRequest.Extended(
            plan.inserts()
                .sql(
                    rows.stream().map(Row::fields).toList(),
                    rows.stream().map(Row::numbers).toList()),
            whole,
            ParameterTypes.NONE,
            parameters(),
            "",
            true,
            0);
    return PartAnswer.of(main, request, plan.inserts().returned())
        .handle(
            (given, failure) -> {
              answer = given;
              return failure;
            })
        .thenCompose(
            failure ->
                failure == null
                    ? CompletableFuture.completedFuture(this)
                    : CompletableFuture.failedFuture(located(Failures.cause(failure))));
  }

  private Parameters parameters() {
    List<byte @Nullable []> values = new ArrayList<>();
    for (Row row : rows) {
      for (CopyField field : row.fields()) {
        if (!field.isDefault()) {
          values.add(
              field.text() == null ? field.bytes() : field.text().getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    return Parameters.values(values, plan.format().binary());
  }

  /** What was added to each row that was stored. */
  List<List<@Nullable String>> returned() {
    return answer().added();
  }

  long count() {
    return answer().count();
  }

  List<Frame> notices() {
    return answer().notices();
  }

  private PartAnswer answer() {
    if (answer == null) {
      throw ErrorCode.INTERNAL.because("a batch of a COPY has not been answered");
    }
    return answer;
  }

  // --- errors ----------------------------------------------------------------------------------

  /** As COPY tells where: the line and column of a value, or the lines among which it was. */
  private Throwable located(Throwable failure) {
    if (!(failure instanceof ShardErrorException error)) {
      return failure;
    }
    ErrorFields fields = error.fields();
    String where = fields.field('W') == null ? "" : fields.field('W');
    Matcher parameter = PARAMETER.matcher(where);
    String place =
        parameter.find()
            ? place(Integer.parseInt(parameter.group(1)))
            : (where.isEmpty() ? "" : where + "\n") + lines();
    return new ShardErrorException(error.shard(), fields.with('W', place));
  }

  private String place(int parameter) {
    int before = 0;
    for (Row row : rows) {
      for (int i = 0; i < row.fields().size(); i++) {
        CopyField field = row.fields().get(i);
        before += field.isDefault() ? 0 : 1;
        if (before == parameter) {
          String value = field.text() == null ? "" : ": \"" + field.text() + "\"";
          return "%s %d, column %s%s"
              .formatted(what(), row.line(), plan.inserts().columns().get(i), value);
        }
      }
    }
    return lines();
  }

  private String lines() {
    long first = rows.get(0).line();
    long last = rows.get(rows.size() - 1).line();
    return what() + (first == last ? " " + first : "s " + first + " to " + last);
  }

  private String what() {
    return "COPY %s, %s"
        .formatted(plan.inserts().table().name(), plan.format().binary() ? "row" : "line");
  }
}

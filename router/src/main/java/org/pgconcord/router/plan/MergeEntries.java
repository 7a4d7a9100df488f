package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * What a MERGE into the owner of maintained indexes has to return: the columns of entries of each
 * row before and after, and what was done to it, behind the client's own list. PostgreSQL returns
 * both from version 18 on.
 *
 * @param gsis the maintained indexes
 * @param columns that the rows come with, first as they were, then as they are
 * @param clientReturns the client asked for RETURNING itself
 * @param edits make the statement return them
 */
public record MergeEntries(
    List<Gsi> gsis, List<String> columns, boolean clientReturns, List<SqlEdit> edits) {
  /** The first {@code server_version} that returns rows as they were. */
  public static final int RETURNS_OLD_FROM = 18;

  private static final String OLD = "pgconcord old";
  private static final String NEW = "pgconcord new";

  public MergeEntries {
    gsis = List.copyOf(gsis);
    columns = List.copyOf(columns);
    edits = List.copyOf(edits);
  }

  /** How many columns are added: both images, and the action. */
  public int added() {
    return 2 * columns.size() + 1;
  }

  /** The statement to send in place of the client's. */
  public String sql(StatementText text) {
    return SqlEdit.apply(text, edits);
  }

  /** Empty when no index is maintained. */
  static Optional<MergeEntries> of(PlanInput input, DeclaredTable table, List<Gsi> maintained) {
    return EntryColumns.work(input, table.name().name(), table, maintained)
        .map(
            work ->
                new MergeEntries(
                    work.gsis(),
                    work.columns(),
                    work.clientReturns(),
                    edits(
                        input,
                        EntryColumns.images(OLD, table, work)
                            + ", "
                            + EntryColumns.images(NEW, table, work)
                            + ", merge_action()")));
  }

  private static List<SqlEdit> edits(PlanInput input, String list) {
    String names = "WITH (OLD AS \"%s\", NEW AS \"%s\") ".formatted(OLD, NEW);
    Optional<Clauses.Range> returning = input.clauses().topLevelReturning();
    int end = input.tokens().size();
    if (returning.isEmpty()) {
      return List.of(new SqlEdit(end, " RETURNING " + names + list));
    }
    int from = returning.get().from();
    boolean names18 =
        IntStream.range(from, end).anyMatch(i -> input.tokens().isAnyWord(i, "old", "new"));
    if (names18 || input.tokens().isWord(from, "with")) {
      throw ErrorCode.SQL_MERGE.because(
          "RETURNING of old and new rows of the MERGE is not read here");
    }
    List<SqlEdit> edits = new ArrayList<>();
    edits.add(new SqlEdit(from, " " + names));
    edits.add(new SqlEdit(end, ", " + list));
    return edits;
  }
}

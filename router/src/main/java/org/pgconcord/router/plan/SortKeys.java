package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * The keys of an ORDER BY by which the sorted answers of shards can be merged: plain columns of
 * types whose order depends on nothing but their values, and texts under a C-like collation. The
 * keys are added behind the select list, so that each row brings its own.
 *
 * <p>A bare name in ORDER BY means the column of the result that is called so, before it means a
 * column of a table (PostgreSQL manual, SELECT, "ORDER BY Clause"). Where it is not certain which
 * of the two, nothing is merged.
 */
final class SortKeys {
  /** Types that are compared by their binary forms. */
  private static final Set<Integer> BY_VALUE =
      Set.of(16, 17, 20, 21, 23, 700, 701, 1082, 1083, 1114, 1184, 1700, 2950);

  private static final Set<Integer> TEXTS = Set.of(25, 1043);
  private static final Set<String> C_LIKE = Set.of("C", "POSIX", "ucs_basic");

  private final Tokens tokens;
  private final Clauses clauses;
  private final QueryView query;
  private final List<TablePlace> tables;
  private final int from;

  /**
   * What an ORDER BY is merged by.
   *
   * @param added brings the keys with each row
   * @param written the keys in words, as an ORDER BY has them
   */
  record Found(List<SortKey> keys, SqlEdit added, String written) {}

  private SortKeys(PlanInput input, QueryView query, ReadFacts facts) {
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.query = query;
    this.tables =
        Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream()).toList();
    this.from = selectEnd();
  }

  static Optional<Found> of(PlanInput input, QueryView query, ReadFacts facts) {
    SortKeys keys = new SortKeys(input, query, facts);
    boolean limited = RowBound.isIn(input);
    return keys.isPlain() && !limited ? keys.found() : Optional.empty();
  }

  /** The same of a query that may have a LIMIT. */
  static Optional<Found> ofLimited(PlanInput input, QueryView query, ReadFacts facts) {
    SortKeys keys = new SortKeys(input, query, facts);
    return keys.isPlain() ? keys.found() : Optional.empty();
  }

  /** The FROM of the only block. */
  private int selectEnd() {
    int end = clauses.topLevel(1, "from");
    while (end < tokens.size() && tokens.isWord(end - 1, "distinct")) {
      end = clauses.topLevel(end + 1, "from");
    }
    return end;
  }

  private boolean isPlain() {
    return query.with().isEmpty()
        && query.blocks().size() == 1
        && tokens.isWord(0, "select")
        && from < tokens.size()
        && clauses.topLevel(0, "order") < tokens.size()
        && block().from().stream().allMatch(SortKeys::isTable)
        && block().items().filter(items -> items.size() == ranges().size()).isPresent();
  }

  private QueryView.Block block() {
    return query.blocks().get(0);
  }

  private static boolean isTable(FromView item) {
    return item instanceof FromView.Joined join
        ? isTable(join.left()) && isTable(join.right())
        : item instanceof FromView.Named;
  }

  private List<ItemView> items() {
    return block().items().orElse(List.of());
  }

  /** The tokens of the items. */
  private List<Clauses.Range> ranges() {
    int first = tokens.isWord(1, "all") ? 2 : 1;
    return first < from ? clauses.items(new Clauses.Range(first, from)) : List.of();
  }

  private Optional<Found> found() {
    int begin = clauses.topLevel(0, "order") + 2;
    int end = clauses.topLevel(begin, "limit", "offset", "fetch", "for");
    List<SortKey> keys = new ArrayList<>();
    StringBuilder added = new StringBuilder();
    StringBuilder written = new StringBuilder();
    for (Clauses.Range item : clauses.items(new Clauses.Range(begin, end))) {
      Optional<Sort> sort = Sort.read(tokens, item);
      Optional<ColumnView> column = sort.flatMap(this::column);
      Optional<Column> known = column.flatMap(this::known);
      if (sort.isEmpty() || column.isEmpty() || known.isEmpty()) {
        return Optional.empty();
      }
      Optional<SortKey> key = key(sort.get(), known.get());
      if (key.isEmpty()) {
        return Optional.empty();
      }
      String value =
          quoted(column.get())
              + (sort.get().collation().isEmpty() ? "" : " COLLATE pg_catalog.\"C\"");
      added.append(", %s AS \"pgconcord_key_%d\"".formatted(value, keys.size()));
      written
          .append(keys.isEmpty() ? " ORDER BY " : ", ")
          .append(value)
          .append(key.get().written());
      keys.add(key.get());
    }
    return Optional.of(new Found(keys, new SqlEdit(from, added.toString()), written.toString()));
  }

  private static Optional<SortKey> key(Sort sort, Column column) {
    int type = column.base().oid();
    String collation = column.collation() == null ? "" : column.collation();
    boolean text =
        TEXTS.contains(type)
            && C_LIKE.contains(sort.collation().isEmpty() ? collation : sort.collation());
    return text || (BY_VALUE.contains(type) && sort.collation().isEmpty())
        ? Optional.of(new SortKey(text, sort.descending(), sort.nullsFirst()))
        : Optional.empty();
  }

  private static String quoted(ColumnView column) {
    String qualifier =
        column.qualifier().isEmpty() ? "" : Identifiers.quote(column.qualifier().get(0)) + ".";
    return qualifier + Identifiers.quote(column.name());
  }

  // --- which column ----------------------------------------------------------------------------

  private Optional<ColumnView> column(Sort sort) {
    if (sort.ordinal() > 0) {
      return ofOrdinal(sort.ordinal());
    }
    ColumnView column = sort.column().orElseThrow();
    boolean label = column.qualifier().isEmpty() && sort.collation().isEmpty();
    return label ? ofLabel(column) : Optional.of(column);
  }

  private Optional<ColumnView> ofOrdinal(int ordinal) {
    if (ordinal > items().size()
        || items().subList(0, ordinal).stream().anyMatch(i -> i instanceof ItemView.Star)) {
      return Optional.empty();
    }
    return items().get(ordinal - 1) instanceof ItemView.Plain plain
        ? Optional.of(plain.column())
        : Optional.empty();
  }

  private Optional<ColumnView> ofLabel(ColumnView name) {
    Optional<ColumnView> found = Optional.empty();
    for (int i = 0; i < items().size(); i++) {
      ItemView item = items().get(i);
      if (item instanceof ItemView.Plain plain && plain.label().equals(name.name())) {
        if (found.isPresent() && !same(found.get(), plain.column())) {
          return Optional.empty();
        }
        found = Optional.of(plain.column());
      } else if (!(item instanceof ItemView.Plain) && mayBeCalled(item, i, name.name())) {
        return Optional.empty();
      }
    }
    boolean star = items().stream().anyMatch(i -> i instanceof ItemView.Star);
    return star && found.filter(c -> !c.name().equals(name.name())).isPresent()
        ? Optional.empty()
        : Optional.of(found.orElse(name));
  }

  private static boolean same(ColumnView one, ColumnView other) {
    return one.name().equals(other.name()) && one.qualifier().equals(other.qualifier());
  }

  /** An expression without a label gets one from the names in it, or from its type. */
  private boolean mayBeCalled(ItemView item, int index, String name) {
    if (item instanceof ItemView.Star) {
      return false;
    } else if (!item.label().isEmpty()) {
      return item.label().equals(name);
    }
    return ChosenLabels.mayBe(name, tokens, ranges().get(index));
  }

  /** The column of the only table that has it, or that is called so. */
  private Optional<Column> known(ColumnView column) {
    if (column.qualifier().size() > 1) {
      return Optional.empty();
    }
    List<TablePlace> found =
        tables.stream()
            .filter(
                t ->
                    column.qualifier().isEmpty()
                        ? t.table().hasColumn(column.name())
                        : t.alias().equals(column.qualifier().get(0)))
            .toList();
    if (found.size() != 1 || found.get(0).place().renamed()) {
      return Optional.empty();
    }
    return found.get(0).table().schema().flatMap(schema -> schema.column(column.name()));
  }

  /**
   * One item of ORDER BY.
   *
   * @param ordinal from 1; 0 where a column is named
   * @param collation empty where none is written
   */
  private record Sort(
      int ordinal,
      Optional<ColumnView> column,
      String collation,
      boolean descending,
      boolean nullsFirst) {

    /** Empty for what is no column, or has more behind it than is known here. */
    static Optional<Sort> read(Tokens tokens, Clauses.Range item) {
      int i = item.from();
      int ordinal = 0;
      List<String> names = new ArrayList<>();
      if (tokens.kind(i) == TokenKind.INTEGER && tokens.text(i).matches("[1-9][0-9]{0,3}")) {
        ordinal = Integer.parseInt(tokens.text(i++));
      } else {
        i = names(tokens, i, names);
      }
      List<String> collation = new ArrayList<>();
      if (tokens.isWord(i, "collate") && ordinal == 0) {
        i = names(tokens, i + 1, collation);
      }
      boolean descending = tokens.isWord(i, "desc");
      i += tokens.isAnyWord(i, "asc", "desc") ? 1 : 0;
      boolean nullsFirst = descending;
      if (tokens.isWord(i, "nulls") && tokens.isAnyWord(i + 1, "first", "last")) {
        nullsFirst = tokens.isWord(i + 1, "first");
        i += 2;
      }
      boolean understood =
          i == item.to()
              && (ordinal > 0 || !names.isEmpty())
              && (collation.size() < 2 || collation.get(0).equals("pg_catalog"));
      return understood
          ? Optional.of(
              new Sort(
                  ordinal,
                  column(names, item.from()),
                  collation.isEmpty() ? "" : collation.get(collation.size() - 1),
                  descending,
                  nullsFirst))
          : Optional.empty();
    }

    private static Optional<ColumnView> column(List<String> names, int token) {
      return names.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new ColumnView(
                  names.subList(0, names.size() - 1), names.get(names.size() - 1), token));
    }

    /** Names with dots between them; what follows. */
    private static int names(Tokens tokens, int from, List<String> into) {
      int i = from;
      while (i < tokens.size() && tokens.kind(i).isName()) {
        into.add(Names.of(tokens, i));
        if (!tokens.isSymbol(i + 1, ".")) {
          return i + 1;
        }
        i += 2;
      }
      return from;
    }
  }
}

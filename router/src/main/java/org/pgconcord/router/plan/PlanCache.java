package org.pgconcord.router.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Plans by the shape of their statement: its tokens with each literal replaced by its kind. That is
 * enough, since a plan refers to literals by the index of their token and reads them when it is
 * bound; only the names of sequences, which are literals too, decide a plan. The session's facts
 * and the routing state itself, by identity, are part of the key: a state that replaces another may
 * differ in its schemas alone, under the same revision. A plan of an old state is never found again
 * and leaves by age.
 */
public final class PlanCache {
  private static final int MAX_PLANS = 10_000;
  private static final int MAX_KEY_CHARS = 500_000;

  /** A plan keeps something of each row and parameter: a few times what its text takes. */
  private static final int WEIGHT_OF_CHAR = 4;

  private static final long MAX_TOTAL_CHARS = 50_000_000;

  private final Cache<Key, Plan> plans =
      Caffeine.newBuilder()
          .maximumWeight(MAX_TOTAL_CHARS)
          .weigher(
              (Key key, Plan plan) ->
                  WEIGHT_OF_CHAR * key.shape().length() + (int) (MAX_TOTAL_CHARS / MAX_PLANS))
          .build();

  private record Key(
      String shape,
      String database,
      List<String> searchPath,
      String role,
      boolean fixedSnapshot,
      boolean replica,
      boolean covering,
      boolean localFunctions,
      Moment moment) {}

  /** A routing state that is equal to nothing but itself. */
  private record Moment(RoutingState state) {
    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean equals(@Nullable Object other) {
      return other instanceof Moment moment && moment.state == state;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(state);
    }
  }

  Plan get(StatementText text, PlanContext context, Supplier<Plan> planner) {
    String shape = shape(text.tokens());
    if (shape.length() > MAX_KEY_CHARS) {
      return planner.get();
    }
    Key key =
        new Key(
            shape,
            context.database(),
            context.searchPath(),
            context.role(),
            context.fixedSnapshot(),
            context.replica(),
            context.covering(),
            context.localFunctions(),
            new Moment(context.state()));
    return plans.get(key, k -> planner.get());
  }

  /**
   * Tokens are separated by a character that no token can hold outside of quotes. A number that
   * stands for an item of the select list is a name, not a constant.
   */
  static String shape(Tokens tokens) {
    StringBuilder shape = new StringBuilder(tokens.size() * 6);
    OrdinalList list = new OrdinalList(tokens);
    for (int i = 0; i < tokens.size(); i++) {
      list.next(i);
      switch (tokens.kind(i)) {
        case STRING, ESCAPE_STRING, UNICODE_STRING, DOLLAR_STRING -> {
          shape.append('\'');
          if (NumberCalls.isArgument(tokens, i)) {
            shape.append(tokens.sql(), tokens.start(i), tokens.end(i));
          }
        }
        case BIT_STRING, HEX_STRING -> shape.append("'b");
        case INTEGER ->
            shape.append(list.isOrdinal(i) || isLimit(tokens, i) ? tokens.text(i) : "0");
        case NUMERIC -> shape.append("0.");
        default -> shape.append(tokens.sql(), tokens.start(i), tokens.end(i));
      }
      shape.append('\n');
    }
    return shape.toString();
  }

  /** {@code LIMIT 1} says that a subquery gives one row at most. */
  private static boolean isLimit(Tokens tokens, int i) {
    return tokens.isWord(i - 1, "limit") && tokens.text(i).equals("1");
  }

  /** Whether tokens, one after the other, are in the list of an ORDER BY or GROUP BY. */
  private static final class OrdinalList {
    private final Tokens tokens;
    private int depth;

    /** How many parentheses are open around the list; -1 outside of one. */
    private int around = -1;

    OrdinalList(Tokens tokens) {
      this.tokens = tokens;
    }

    void next(int token) {
      if (tokens.isSymbol(token, "(")) {
        depth++;
      } else if (tokens.isSymbol(token, ")")) {
        depth--;
      }
      boolean ends =
          depth < around
              || tokens.isAnyWord(
                  token, "limit", "offset", "fetch", "having", "union", "intersect", "except");
      around = tokens.isWord(token, "by") ? depth : ends ? -1 : around;
    }

    /** Nothing but parentheses may be around it; in a call's arguments it is kept, too. */
    boolean isOrdinal(int token) {
      return around >= 0
          && (tokens.isWord(token - 1, "by")
              || tokens.isSymbol(token - 1, ",")
              || tokens.isSymbol(token - 1, "("));
    }
  }
}

package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.QueryView;

/** Tells queries that name no relation but their own CTEs: any shard can describe one. */
final class NamelessQuery {
  private NamelessQuery() {}

  static boolean is(QueryView query) {
    return is(query, Set.of());
  }

  private static boolean is(QueryView query, Set<String> seen) {
    Set<String> ctes = new HashSet<>(seen);
    if (query.recursive()) {
      query.with().forEach(cte -> ctes.add(cte.name()));
    }
    for (QueryView.Cte cte : query.with()) {
      if (cte.write().isPresent() || !is(cte.query(), ctes)) {
        return false;
      }
      ctes.add(cte.name());
    }
    Stream<QueryView> nested =
        Stream.concat(
            query.nested().stream(), query.blocks().stream().flatMap(b -> b.nested().stream()));
    return nested.allMatch(q -> is(q, ctes))
        && query.blocks().stream().flatMap(b -> b.from().stream()).allMatch(f -> is(f, ctes));
  }

  private static boolean is(FromView item, Set<String> ctes) {
    if (item instanceof FromView.Named named) {
      List<String> name = named.name();
      return name.size() == 1 && ctes.contains(name.get(0));
    } else if (item instanceof FromView.Derived derived) {
      return is(derived.query(), ctes);
    } else if (item instanceof FromView.Joined joined) {
      return is(joined.left(), ctes) && is(joined.right(), ctes);
    }
    return true;
  }
}

package org.pgconcord.config.check;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Findings;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.TableName;

/** The columns of a referrer against those of the index that it lists. */
public final class ReferrerCheck {
  private ReferrerCheck() {}

  /** Checked on the first shard: that the others agree is a rule of its own. */
  static List<Finding> check(Referrer referrer, LogicalDatabase database, Survey survey) {
    Findings findings = new Findings();
    Optional<Gsi> gsi =
        database.gsis().stream().filter(g -> g.name().equals(referrer.gsi())).findFirst();
    Optional<TableSchema> table = first(survey, referrer.table());
    Optional<TableSchema> owner = gsi.flatMap(g -> first(survey, g.owner()));
    if (gsi.isPresent() && table.isPresent() && owner.isPresent()) {
      misfit(referrer, table.get(), gsi.get(), owner.get())
          .ifPresent(
              what -> findings.add(Rule.GSI_REFERRER_COLUMN, referrer.table().toString(), what));
    }
    return findings.all();
  }

  private static Optional<TableSchema> first(Survey survey, TableName table) {
    return new TreeMap<>(survey.table(table)).values().stream().findFirst();
  }

  /** What keeps the referrer's values from being compared with the index's, if anything. */
  public static Optional<String> misfit(
      Referrer referrer, TableSchema table, Gsi gsi, TableSchema owner) {
    if (referrer.columns().size() != gsi.columns().size()) {
      return Optional.of("it names another number of columns than the index has");
    }
    for (int i = 0; i < gsi.columns().size(); i++) {
      String name = referrer.columns().get(i);
      Optional<Column> own = table.column(name);
      Optional<Column> indexed = owner.column(gsi.columns().get(i));
      if (own.isEmpty()) {
        return Optional.of(
            "it has no column \"%s\", which refers to %s".formatted(name, gsi.name()));
      }
      if (indexed.isPresent() && !sameType(own.get(), indexed.get())) {
        return Optional.of(
            "column \"%s\" is %s, column \"%s\" of %s is %s"
                .formatted(
                    name,
                    own.get().type(),
                    indexed.get().name(),
                    gsi.name(),
                    indexed.get().type()));
      }
    }
    return Optional.empty();
  }

  /** Lengths and precisions may differ; a domain has another oid on every shard. */
  private static boolean sameType(Column own, Column indexed) {
    return own.typeOid() == indexed.typeOid() || own.type().equals(indexed.type());
  }
}

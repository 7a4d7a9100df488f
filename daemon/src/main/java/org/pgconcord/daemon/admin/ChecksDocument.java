package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Locale;
import org.pgconcord.daemon.doctor.Check;

/** What {@code doctor} saw; {@code healthy} when nothing failed. */
public record ChecksDocument(boolean healthy, List<Item> checks) {
  public ChecksDocument {
    checks = List.copyOf(checks);
  }

  /** One check; {@code level} is {@code ok}, {@code warning} or {@code failed}. */
  public record Item(String id, String level, String where, String message, String remedy) {}

  public static ChecksDocument of(List<Check> checks) {
    return new ChecksDocument(
        checks.stream().noneMatch(Check::failed),
        checks.stream()
            .map(
                check ->
                    new Item(
                        check.id(),
                        check.level().name().toLowerCase(Locale.ROOT),
                        check.where(),
                        check.message(),
                        check.remedy()))
            .toList());
  }
}

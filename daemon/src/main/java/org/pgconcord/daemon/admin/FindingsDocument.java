package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Locale;
import org.pgconcord.config.topology.Finding;

/**
 * What a check of a topology found.
 *
 * @param checked how much was looked at: {@code document}, {@code schema} or {@code shards}
 */
public record FindingsDocument(String checked, int errors, List<Item> findings) {
  public FindingsDocument {
    findings = List.copyOf(findings);
  }

  /** One finding; {@code severity} is {@code error} or {@code warning}. */
  public record Item(String id, String severity, String path, String message, String remedy) {}

  public static FindingsDocument of(String checked, List<Finding> findings) {
    return new FindingsDocument(
        checked,
        (int) findings.stream().filter(f -> f.severity() == Finding.Severity.ERROR).count(),
        findings.stream()
            .map(
                f ->
                    new Item(
                        f.id(),
                        f.severity().name().toLowerCase(Locale.ROOT),
                        f.path(),
                        f.message(),
                        f.remedy()))
            .toList());
  }
}

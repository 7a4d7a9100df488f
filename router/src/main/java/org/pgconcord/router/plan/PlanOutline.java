package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;

/**
 * A plan as a tree of facts in the order in which they are shown. Text says each in a line, for a
 * person to read; documents have the same facts as fields, whose names are stable
 * (docs/explain.md). Built by adding, then rendered by {@link PlanFormat}; used by one thread.
 */
public final class PlanOutline {
  /**
   * One fact.
   *
   * @param line what text says; none where another line says it already
   * @param verbose a detail
   * @param name the field's; none for what only text needs to say
   * @param inner the lines below
   */
  private record Fact(
      @Nullable String line,
      boolean verbose,
      @Nullable String name,
      @Nullable PlanValue value,
      List<PlanOutline> inner) {}

  /** A field of a document. */
  record Field(String name, PlanValue value) {}

  private final List<Fact> facts = new ArrayList<>();

  // --- building --------------------------------------------------------------------------------

  /** The same in text and documents. */
  public PlanOutline add(String name, String value) {
    return say(name + ": " + value).field(name, value);
  }

  /** In one line. */
  PlanOutline add(String name, List<String> values) {
    return say(name + ": " + String.join(", ", values)).field(name, values);
  }

  /** A line for each. */
  public PlanOutline each(String line, String name, List<String> values) {
    values.forEach(value -> say(line + ": " + value));
    return field(name, values);
  }

  /** For text alone. */
  public PlanOutline say(String line) {
    facts.add(new Fact(line, false, null, null, List.of()));
    return this;
  }

  /** A detail, which text has with VERBOSE only. */
  public PlanOutline detail(String name, String value) {
    facts.add(new Fact(name + ": " + value, true, null, null, List.of()));
    return field(name, value);
  }

  /** A line for each, with VERBOSE only; in documents too. */
  public PlanOutline details(String line, String name, List<String> values) {
    values.forEach(value -> facts.add(new Fact(line + ": " + value, true, null, null, List.of())));
    facts.add(new Fact(null, true, name, new PlanValue.Words(values), List.of()));
    return this;
  }

  /** For documents alone. */
  public PlanOutline field(String name, String value) {
    return field(name, new PlanValue.Word(value));
  }

  PlanOutline field(String name, List<String> values) {
    return field(name, new PlanValue.Words(values));
  }

  PlanOutline shards(String name, Collection<ShardId> shards) {
    return field(name, shards.stream().map(ShardId::uid).toList());
  }

  public PlanOutline count(String name, long count) {
    return field(name, new PlanValue.Digits(Long.toString(count)));
  }

  /** To the microsecond. */
  public PlanOutline millis(String name, double millis) {
    return field(name, new PlanValue.Digits(millis(millis)));
  }

  /** As PostgreSQL prints times. */
  public static String millis(double millis) {
    return String.format(Locale.ROOT, "%.3f", millis);
  }

  private PlanOutline field(String name, PlanValue value) {
    facts.add(new Fact(null, false, name, value, List.of()));
    return this;
  }

  /** Facts of their own, their lines below one line. */
  public PlanOutline part(String line, String name, PlanOutline part) {
    facts.add(new Fact(line, false, name, new PlanValue.Part(part), List.of(part)));
    return this;
  }

  /** A list of parts, each with a line of its own above it. */
  public PlanOutline parts(String name, List<String> lines, List<PlanOutline> parts) {
    for (int i = 0; i < parts.size(); i++) {
      facts.add(new Fact(lines.get(i), false, null, null, List.of(parts.get(i))));
    }
    return field(name, new PlanValue.Parts(parts));
  }

  /** Goes on with another's facts. */
  PlanOutline addAll(PlanOutline other) {
    facts.addAll(other.facts);
    return this;
  }

  // --- reading ---------------------------------------------------------------------------------

  /** The lines, all but the first indented. */
  public List<String> lines(boolean verbose) {
    List<String> lines = new ArrayList<>();
    collect(lines, verbose, "");
    for (int i = 1; i < lines.size(); i++) {
      lines.set(i, "  " + lines.get(i));
    }
    return lines;
  }

  private void collect(List<String> lines, boolean verbose, String indent) {
    for (Fact fact : facts) {
      if (fact.line() != null && (verbose || !fact.verbose())) {
        lines.add(indent + fact.line());
        fact.inner().forEach(inner -> inner.collect(lines, verbose, indent + "  "));
      }
    }
  }

  /** In order; each name once. */
  List<Field> fields(boolean verbose) {
    return facts.stream()
        .filter(fact -> verbose || !fact.verbose())
        .map(fact -> field(fact))
        .flatMap(Optional::stream)
        .collect(Collectors.toList());
  }

  private static Optional<Field> field(Fact fact) {
    return fact.name() == null || fact.value() == null
        ? Optional.empty()
        : Optional.of(new Field(fact.name(), fact.value()));
  }
}

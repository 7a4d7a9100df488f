package org.pgconcord.router.plan;

import java.util.List;
import java.util.function.Consumer;

/** Writes an outline as JSON, indented by two. */
final class JsonPlan implements PlanValue.Cases<Void> {
  private final boolean verbose;
  private final StringBuilder out = new StringBuilder();
  private int depth;

  private JsonPlan(boolean verbose) {
    this.verbose = verbose;
  }

  /** A list of one object, as PostgreSQL's own are. */
  static String write(String root, PlanOutline plan, boolean verbose) {
    JsonPlan json = new JsonPlan(verbose);
    PlanOutline document = new PlanOutline().part("", root, plan);
    json.parts(new PlanValue.Parts(List.of(document)));
    return json.out.toString();
  }

  @Override
  public Void word(PlanValue.Word value) {
    quote(value.text(), out);
    return null;
  }

  @Override
  public Void digits(PlanValue.Digits value) {
    out.append(value.digits());
    return null;
  }

  @Override
  public Void words(PlanValue.Words value) {
    return list("[", value.texts(), text -> quote(text, out), "]");
  }

  @Override
  public Void part(PlanValue.Part value) {
    return list(
        "{",
        value.outline().fields(verbose),
        field -> {
          quote(field.name(), out);
          out.append(": ");
          field.value().match(this);
        },
        "}");
  }

  @Override
  public Void parts(PlanValue.Parts value) {
    return list("[", value.outlines(), part -> part(new PlanValue.Part(part)), "]");
  }

  private <T> Void list(String open, List<T> items, Consumer<T> write, String close) {
    out.append(open);
    depth++;
    for (int i = 0; i < items.size(); i++) {
      out.append(i == 0 ? "\n" : ",\n").append("  ".repeat(depth));
      write.accept(items.get(i));
    }
    depth--;
    if (!items.isEmpty()) {
      out.append('\n').append("  ".repeat(depth));
    }
    out.append(close);
    return null;
  }

  /** A string in JSON's notation, which YAML reads too. */
  static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || c == '\u007f') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}

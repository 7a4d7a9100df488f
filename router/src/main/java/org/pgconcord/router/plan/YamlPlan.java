package org.pgconcord.router.plan;

import java.util.List;

/** Writes an outline as YAML: block lists and mappings, every word quoted as in JSON. */
final class YamlPlan implements PlanValue.Cases<Void> {
  private final boolean verbose;
  private final StringBuilder out = new StringBuilder();
  private int depth;

  private YamlPlan(boolean verbose) {
    this.verbose = verbose;
  }

  /** A list of one mapping, as PostgreSQL's own are. */
  static String write(String root, PlanOutline plan, boolean verbose) {
    YamlPlan yaml = new YamlPlan(verbose);
    yaml.item(new PlanOutline().part("", root, plan));
    return yaml.out.toString();
  }

  @Override
  public Void word(PlanValue.Word value) {
    JsonPlan.quote(value.text(), out);
    return null;
  }

  @Override
  public Void digits(PlanValue.Digits value) {
    out.append(value.digits());
    return null;
  }

  @Override
  public Void words(PlanValue.Words value) {
    if (value.texts().isEmpty()) {
      out.append("[]");
    }
    depth++;
    for (String text : value.texts()) {
      line("- ");
      JsonPlan.quote(text, out);
    }
    depth--;
    return null;
  }

  @Override
  public Void part(PlanValue.Part value) {
    depth += 2;
    List<PlanOutline.Field> fields = value.outline().fields(verbose);
    if (fields.isEmpty()) {
      out.append("{}");
    }
    for (PlanOutline.Field field : fields) {
      line("");
      field(field);
    }
    depth -= 2;
    return null;
  }

  @Override
  public Void parts(PlanValue.Parts value) {
    if (value.outlines().isEmpty()) {
      out.append("[]");
    }
    depth++;
    for (PlanOutline part : value.outlines()) {
      line("");
      item(part);
    }
    depth--;
    return null;
  }

  /** A mapping as an item of a list: its first field beside the dash. */
  private void item(PlanOutline mapping) {
    List<PlanOutline.Field> fields = mapping.fields(verbose);
    out.append(fields.isEmpty() ? "- {}" : "- ");
    depth++;
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) {
        line("");
      }
      field(fields.get(i));
    }
    depth--;
  }

  private void field(PlanOutline.Field field) {
    out.append(field.name()).append(": ");
    field.value().match(this);
  }

  private void line(String text) {
    out.append('\n').append("  ".repeat(depth)).append(text);
  }
}

package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.pgconcord.config.json.JsonObject;
import org.pgconcord.config.json.JsonProblem;

/** First stage: JSON to {@link Document}, reporting every fault of form. */
final class DocumentReader {
  private DocumentReader() {}

  /** Empty only when the text is not a JSON object at all. */
  static Optional<Document> read(String json, Findings findings) {
    List<JsonProblem> problems = new ArrayList<>();
    Optional<Document> document = JsonObject.parse(json, problems).map(DocumentReader::root);
    problems.forEach(findings::addForm);
    return document;
  }

  private static Document root(JsonObject root) {
    root.require("shard_groups");
    return finished(
        root,
        new Document(
            root.text("authoritative_shard_group"),
            root.optionalText("default_shard_group"),
            each(root.objects("shard_groups"), DocumentReader::group),
            each(root.objectsByName("shard_indexes"), DocumentReader::index),
            each(root.objectsByName("databases"), DocumentReader::database)));
  }

  private static Document.Group group(JsonObject group) {
    group.require("key_ranges");
    return finished(
        group,
        new Document.Group(
            group.path(),
            group.text("uid"),
            group.optionalText("default_shard_index"),
            each(group.objects("key_ranges"), DocumentReader::range)));
  }

  private static Document.Range range(JsonObject range) {
    return finished(
        range,
        new Document.Range(
            range.path(),
            range.text("shard_uid"),
            range.nullableText("start"),
            range.nullableText("end")));
  }

  private static Document.Index index(JsonObject index) {
    index.require("columns");
    Optional<JsonObject> params = index.object("index_params");
    OptionalLong modulus = params.map(p -> p.integer("modulus")).orElse(OptionalLong.empty());
    params.ifPresent(JsonObject::finish);
    return finished(
        index,
        new Document.Index(index.path(), index.text("type"), index.texts("columns"), modulus));
  }

  private static Document.Database database(JsonObject database) {
    return finished(
        database,
        new Document.Database(
            database.path(),
            database.optionalText("default_shard_group"),
            each(database.objectsByName("schemas"), DocumentReader::schema),
            each(database.objectsByName("global_secondary_indexes"), DocumentReader::secondary)));
  }

  private static Document.Schema schema(JsonObject schema) {
    return finished(
        schema,
        new Document.Schema(
            schema.path(),
            schema.optionalText("default_shard_group"),
            each(schema.objectsByName("tables"), DocumentReader::table),
            each(schema.objectsByName("reference_tables"), DocumentReader::reference),
            each(schema.objectsByName("sequences"), DocumentReader::sequence)));
  }

  private static Document.Table table(JsonObject table) {
    return finished(
        table,
        new Document.Table(
            table.path(),
            table.optionalText("shard_group"),
            table.optionalText("shard_index"),
            each(table.objects("secondary_indexes"), DocumentReader::activation)));
  }

  private static Document.Activation activation(JsonObject entry) {
    entry.require("columns");
    return finished(
        entry, new Document.Activation(entry.path(), entry.text("name"), entry.texts("columns")));
  }

  private static Document.Reference reference(JsonObject table) {
    return finished(
        table, new Document.Reference(table.path(), optionalTexts(table, "shard_groups")));
  }

  private static Document.Sequence sequence(JsonObject sequence) {
    return finished(
        sequence, new Document.Sequence(sequence.path(), sequence.optionalText("shard_group")));
  }

  private static Document.Secondary secondary(JsonObject gsi) {
    gsi.require("columns");
    return finished(
        gsi,
        new Document.Secondary(
            gsi.path(),
            gsi.optionalText("schema"),
            gsi.text("table"),
            gsi.text("owner_table"),
            gsi.texts("columns"),
            optionalTexts(gsi, "owner_sk_columns"),
            gsi.texts("owner_pk_columns"),
            gsi.flag("unique", false),
            gsi.flag("ignore_null", false),
            gsi.flag("enabled", false),
            gsi.optionalText("gsi_mode").orElse("strict"),
            gsi.flag("covering", false)));
  }

  private static Optional<List<String>> optionalTexts(JsonObject object, String key) {
    return object.has(key) ? Optional.of(object.texts(key)) : Optional.empty();
  }

  private static <T> T finished(JsonObject object, T value) {
    object.finish();
    return value;
  }

  private static <T> List<T> each(List<JsonObject> objects, Function<JsonObject, T> read) {
    return objects.stream().map(read).toList();
  }

  private static <T> Map<String, T> each(
      Map<String, JsonObject> objects, Function<JsonObject, T> read) {
    Map<String, T> result = new LinkedHashMap<>();
    objects.forEach((name, object) -> result.put(name, read.apply(object)));
    return result;
  }
}

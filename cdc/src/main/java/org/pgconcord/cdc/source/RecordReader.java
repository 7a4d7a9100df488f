package org.pgconcord.cdc.source;

import io.debezium.data.Envelope;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.RowImage;

/**
 * Reads Debezium's records. What is particular to release 3.6.1:
 *
 * <ul>
 *   <li>the commit position of a transaction is in the offset of its END record and nowhere else;
 *       rows and BEGIN carry the position of the commit <em>before</em>;
 *   <li>{@code transaction.id} holds the position of the row at hand and so differs from row to
 *       row; {@code source.txId} is the transaction's id;
 *   <li>an UPDATE that leaves an index identity alone has no old image: the old values of the
 *       identity's columns are the new ones;
 *   <li>an unchanged TOAST value is the placeholder; with a full old image it is the old value.
 * </ul>
 */
final class RecordReader {
  private final String placeholder;
  private final byte[] placeholderBytes;
  private final Map<TableName, Map<String, KeyType>> columns;

  /**
   * @param columns published table -> wanted column -> its type
   */
  RecordReader(String placeholder, Map<TableName, Map<String, KeyType>> columns) {
    this.placeholder = placeholder;
    this.placeholderBytes = placeholder.getBytes(StandardCharsets.UTF_8);
    this.columns = Map.copyOf(columns);
  }

  SourceEvent read(SourceRecord record) {
    if (!(record.value() instanceof Struct value)) {
      return new SourceEvent.Other();
    }
    if (record.topic().endsWith(".transaction") && value.schema().field("status") != null) {
      return boundary(record, value);
    }
    if (value.schema().field(Envelope.FieldName.OPERATION) == null) {
      return new SourceEvent.Other();
    }
    return value.getString(Envelope.FieldName.OPERATION).equals("m") ? mark(value) : row(value);
  }

  private static SourceEvent boundary(SourceRecord record, Struct value) {
    long xid = offset(record, "txId");
    if (value.getString("status").equals("BEGIN")) {
      return new SourceEvent.Begin(xid);
    }
    if (!"COMMIT".equals(record.sourceOffset().get("messageType"))) {
      throw ErrorCode.INTERNAL.because("the change reader ended transaction " + xid + " early");
    }
    return new SourceEvent.End(
        xid,
        new Lsn(offset(record, "lsn_commit")),
        Instant.ofEpochMilli(value.getInt64("ts_ms")),
        value.getInt64("event_count"));
  }

  private static long offset(SourceRecord record, String key) {
    if (record.sourceOffset().get(key) instanceof Number number) {
      return number.longValue();
    }
    throw ErrorCode.INTERNAL.because("a transaction boundary has no " + key);
  }

  private static SourceEvent mark(Struct value) {
    Struct source = value.getStruct(Envelope.FieldName.SOURCE);
    Struct message = value.getStruct("message");
    return new SourceEvent.Mark(
        new Message(
            message.getString("prefix"),
            new String(ValueText.array(message.get("content")), StandardCharsets.UTF_8),
            new Lsn(source.getInt64("lsn"))));
  }

  private SourceEvent row(Struct value) {
    Struct source = value.getStruct(Envelope.FieldName.SOURCE);
    TableName table = new TableName(source.getString("schema"), source.getString("table"));
    return new SourceEvent.Row(source.getInt64("txId"), change(table, value));
  }

  private RowChange change(TableName table, Struct value) {
    @Nullable Struct before = image(value, Envelope.FieldName.BEFORE);
    @Nullable Struct after = image(value, Envelope.FieldName.AFTER);
    String operation = value.getString(Envelope.FieldName.OPERATION);
    return switch (operation) {
      case "c", "r" -> RowChange.insert(table, read(table, after, null));
      case "u" -> update(table, before, after);
      case "d" -> RowChange.delete(table, read(table, before, null));
      case "t" -> RowChange.truncate(table);
      default -> throw ErrorCode.INTERNAL.because("unknown operation " + operation);
    };
  }

  private static @Nullable Struct image(Struct value, String field) {
    return value.schema().field(field) == null ? null : value.getStruct(field);
  }

  private RowChange update(TableName table, @Nullable Struct before, @Nullable Struct after) {
    if (before == null) {
      RowImage same = read(table, after, null);
      return RowChange.update(table, same, same);
    }
    RowImage old = read(table, before, null);
    return RowChange.update(table, old, read(table, after, old));
  }

  private RowImage read(TableName table, @Nullable Struct row, @Nullable RowImage old) {
    if (row == null) {
      throw ErrorCode.CHANGE_UNREADABLE.because("a change of " + table + " lacks its row image");
    }
    Map<String, KeyType> types = columns.getOrDefault(table, Map.of());
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    for (Field field : row.schema().fields()) {
      KeyType type = types.get(field.name());
      if (type != null) {
        add(values, field, row.get(field), type, old);
      }
    }
    return new RowImage(values);
  }

  private void add(
      Map<String, @Nullable String> values,
      Field field,
      @Nullable Object value,
      KeyType type,
      @Nullable RowImage old) {
    if (value == null) {
      values.put(field.name(), null);
    } else if (isPlaceholder(value)) {
      if (old != null && old.knows(field.name())) {
        values.put(field.name(), old.value(field.name()));
      }
    } else {
      Optional<String> text = ValueText.of(field.schema(), value);
      (type == KeyType.NUMERIC ? text.flatMap(ValueText::numeric) : text)
          .ifPresent(t -> values.put(field.name(), t));
    }
  }

  private boolean isPlaceholder(Object value) {
    return value instanceof String text
        ? text.equals(placeholder)
        : value instanceof java.nio.ByteBuffer
            && Arrays.equals(ValueText.array(value), placeholderBytes);
  }
}

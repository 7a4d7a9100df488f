package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

/**
 * The fields of an ErrorResponse or NoticeResponse by their letter, in the order sent (PostgreSQL
 * manual, "Error and Notice Message Fields"). Every field may be missing: a server that sends none
 * is odd, not fatal.
 */
public record ErrorFields(Map<Character, String> fields) {
  public ErrorFields {
    fields = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  public static ErrorFields read(Frame frame) {
    Map<Character, String> fields = new LinkedHashMap<>();
    ByteBuf body = frame.body();
    while (body.isReadable()) {
      byte letter = body.readByte();
      int end = letter == 0 ? -1 : body.bytesBefore((byte) 0);
      if (end < 0) {
        break;
      }
      fields.put((char) letter, body.readCharSequence(end, StandardCharsets.UTF_8).toString());
      body.skipBytes(1);
    }
    return new ErrorFields(fields);
  }

  /** An error of our own: SQLSTATE and remedy of the catalogue, the stable id in the message. */
  public static ErrorFields of(ConcordException error) {
    return of("ERROR", error);
  }

  public static ErrorFields of(String severity, ConcordException error) {
    ErrorCode code = error.code();
    Map<Character, String> fields = new LinkedHashMap<>();
    fields.put('S', severity);
    fields.put('V', severity);
    fields.put('C', code.sqlState());
    fields.put('M', error.message() + " [" + code.id() + "]");
    putIfPresent(fields, 'D', error.detail());
    putIfPresent(fields, 'H', error.hint());
    putIfPresent(fields, 'n', error.constraint());
    return new ErrorFields(fields);
  }

  /** An error or notice worded as PostgreSQL itself words it, where clients expect its text. */
  public static ErrorFields plain(String severity, String sqlState, String message) {
    Map<Character, String> fields = new LinkedHashMap<>();
    fields.put('S', severity);
    fields.put('V', severity);
    fields.put('C', sqlState);
    fields.put('M', message);
    return new ErrorFields(fields);
  }

  private static void putIfPresent(Map<Character, String> to, char letter, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      to.put(letter, text);
    }
  }

  public ErrorFields with(char letter, String text) {
    Map<Character, String> changed = new LinkedHashMap<>(fields);
    changed.put(letter, text);
    return new ErrorFields(changed);
  }

  public @Nullable String field(char letter) {
    return fields.get(letter);
  }

  /** Five characters; {@code XX000} when the server sent none. */
  public String sqlState() {
    return fields.getOrDefault('C', "XX000");
  }

  public String message() {
    return fields.getOrDefault('M', "error without a message");
  }

  /** FATAL and PANIC end the connection they came from. */
  public boolean fatal() {
    String severity = fields.getOrDefault('V', fields.getOrDefault('S', "ERROR"));
    return severity.equals("FATAL") || severity.equals("PANIC");
  }
}

package org.pgconcord.state.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A value's form in the store, both ways. A key's codec must keep the order that scans rely on. */
public interface Codec<T> {
  byte[] encode(T value);

  T decode(byte[] stored);

  /** UTF-8. */
  static Codec<String> text() {
    return of(
        text -> text.getBytes(StandardCharsets.UTF_8),
        stored -> new String(stored, StandardCharsets.UTF_8));
  }

  static Codec<byte[]> bytes() {
    return of(Function.identity(), Function.identity());
  }

  /** Eight bytes, big-endian: unsigned order. */
  static Codec<Long> unsignedLong() {
    return of(
        value -> ByteBuffer.allocate(Long.BYTES).putLong(value).array(),
        stored -> ByteBuffer.wrap(stored).getLong());
  }

  /** A record of plain values as JSON. */
  static <T> Codec<T> json(Class<T> type) {
    ObjectMapper mapper = JsonMapper.builder().build();
    return of(
        value -> {
          try {
            return mapper.writeValueAsBytes(value);
          } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
          }
        },
        stored -> {
          try {
            return mapper.readValue(stored, type);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  static <T> Codec<T> of(Function<T, byte[]> encode, Function<byte[], T> decode) {
    return new Codec<>() {
      @Override
      public byte[] encode(T value) {
        return encode.apply(value);
      }

      @Override
      public T decode(byte[] stored) {
        return decode.apply(stored);
      }
    };
  }
}

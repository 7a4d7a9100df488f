package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.pgconcord.config.error.ErrorCode;

/** How the admin API and the command line write and read JSON: snake_case keys, absent for null. */
public final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  public static String write(Object document) {
    try {
      return MAPPER.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a document that cannot be written as JSON", e);
    }
  }

  public static JsonNode tree(Object document) {
    return MAPPER.valueToTree(document);
  }

  /** Reads one JSON value; the error names {@code source}. */
  public static JsonNode read(String text, String source) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw ErrorCode.ADMIN_REQUEST_INVALID
          .because(source + " is not JSON: " + e.getOriginalMessage())
          .withCause(e);
    }
  }
}

package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.error.ErrorCode;

/**
 * A request that passed the server's checks.
 *
 * @param arguments the path's named segments
 * @param body the JSON object sent; empty object when there was none
 */
public record Request(Map<String, String> arguments, JsonNode body) {
  public Request {
    arguments = Map.copyOf(arguments);
  }

  public String argument(String name) {
    String value = arguments.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no argument " + name);
    }
    return value;
  }

  public String text(String field) {
    return optionalText(field)
        .orElseThrow(
            () -> ErrorCode.ADMIN_REQUEST_INVALID.because("the field " + field + " is missing"));
  }

  public Optional<String> optionalText(String field) {
    JsonNode value = body.get(field);
    return value == null || value.isNull() ? Optional.empty() : Optional.of(value.asText());
  }

  /** A number, or nothing when the field is absent. */
  public OptionalLong number(String field) {
    JsonNode value = body.get(field);
    return value == null || value.isNull() ? OptionalLong.empty() : OptionalLong.of(value.asLong());
  }

  /** The texts of a list; empty when the field is absent. */
  public List<String> texts(String field) {
    List<String> texts = new ArrayList<>();
    body.path(field).forEach(value -> texts.add(value.asText()));
    return texts;
  }

  public boolean flag(String field) {
    return body.path(field).asBoolean(false);
  }
}

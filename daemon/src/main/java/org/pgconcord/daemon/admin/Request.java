package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
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

  public boolean flag(String field) {
    return body.path(field).asBoolean(false);
  }
}

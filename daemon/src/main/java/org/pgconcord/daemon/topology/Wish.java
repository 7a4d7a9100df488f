package org.pgconcord.daemon.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;

/** Rewrites the {@code enabled} flag of one index in a document; everything else stays. */
public final class Wish {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Wish() {}

  public static String set(String document, GsiName gsi, boolean enabled) {
    try {
      JsonNode root = MAPPER.readTree(document);
      JsonNode declared =
          root.path("databases")
              .path(gsi.database())
              .path("global_secondary_indexes")
              .path(gsi.name());
      if (!(declared instanceof ObjectNode index)) {
        throw ErrorCode.GSI_UNKNOWN.because("the applied topology does not declare " + gsi);
      }
      index.put("enabled", enabled);
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw ErrorCode.INTERNAL.because("the stored topology is not JSON").withCause(e);
    }
  }

  /** Whether two documents say the same, whatever their spacing and order of keys. */
  public static boolean sameMeaning(String one, String other) {
    try {
      return MAPPER.readTree(one).equals(MAPPER.readTree(other));
    } catch (JsonProcessingException e) {
      return false;
    }
  }
}

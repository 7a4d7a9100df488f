package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What every {@code gsi} command takes: the index, the daemon that runs it, the output's form. */
final class GsiTarget {
  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "The index: by_email, or app.by_email where that is ambiguous.")
  private String name = "";

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  JsonNode get(String operation) {
    return admin.client().get(path(operation));
  }

  JsonNode post(String operation) {
    return post(operation, Map.of());
  }

  JsonNode post(String operation, Map<String, Object> body) {
    return admin.client().post(path(operation), body);
  }

  Output output() {
    return output;
  }

  AdminOptions admin() {
    return admin;
  }

  private String path(String operation) {
    return "/gsis/" + AdminClient.segment(name) + "/" + operation;
  }
}

package org.pgconcord.daemon.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.pgconcord.daemon.admin.Address;
import org.pgconcord.daemon.cli.AdminClient;

/** The commands of {@code pgconcord gsi} and {@code reference} for the demo's tables. */
final class AdminApi {
  private static final String GSI = "/gsis/by_email/";

  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final AdminClient client;

  AdminApi(int httpPort) {
    client = new AdminClient(Address.parse("127.0.0.1:" + httpPort, "--http-port"), LIMIT);
  }

  JsonNode startBuild() {
    return client.post(GSI + "build", Map.of());
  }

  JsonNode build() {
    return client.get(GSI + "build");
  }

  JsonNode verify() {
    return client.post(GSI + "verify", Map.of());
  }

  JsonNode enable() {
    return client.post(GSI + "enable", Map.of());
  }

  JsonNode status() {
    return client.get(GSI + "status");
  }

  JsonNode repairCountries() {
    return client.post("/references/countries/repair", Map.of());
  }

  JsonNode verifyCountries() {
    return client.post("/references/countries/verify", Map.of());
  }
}

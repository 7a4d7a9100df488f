package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;

/** Transactions over several shards as text for people. */
final class TxText {
  private TxText() {}

  static String list(JsonNode listing) {
    StringBuilder text = new StringBuilder();
    listing.path("transactions").forEach(each -> text.append(transaction(each)));
    if (text.isEmpty()) {
      text.append("no transaction is open\n");
    }
    listing.path("partial_commits").forEach(each -> text.append(partial(each)));
    listing
        .path("unreachable")
        .properties()
        .forEach(
            shard ->
                text.append(
                    "shard %s does not answer: %s%n"
                        .formatted(shard.getKey(), shard.getValue().asText())));
    return text.toString();
  }

  /** One that ended in part, of {@code tx_mode = multi}. */
  private static String partial(JsonNode commit) {
    StringBuilder text =
        new StringBuilder(
            "committed in part  %s  database %s, role %s%n"
                .formatted(
                    commit.path("ended_at").asText(),
                    commit.path("database").asText(),
                    commit.path("user").asText()));
    commit
        .path("outcomes")
        .properties()
        .forEach(
            shard ->
                text.append("  %-22s %s%n".formatted(shard.getKey(), shard.getValue().asText())));
    return text.append("  because %s%n".formatted(commit.path("cause").asText())).toString();
  }

  static String transaction(JsonNode transaction) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s  %s  %.1f s  router %s%n"
            .formatted(
                transaction.path("transaction").asText(),
                decision(transaction),
                transaction.path("age_seconds").asDouble(),
                router(transaction)));
    for (JsonNode participant : transaction.path("participants")) {
      text.append(
          "  %-4s  %-16s %-12s database %s, role %s%n"
              .formatted(
                  participant.path("part").asText(),
                  participant.path("shard").asText(),
                  participant.path("state").asText().replace('_', ' '),
                  participant.path("database").asText(),
                  participant.path("role").asText()));
    }
    return text.toString();
  }

  private static String decision(JsonNode transaction) {
    if (!transaction.path("known").asBoolean()) {
      return "unknown to the catalog";
    }
    if (!transaction.hasNonNull("decision")) {
      return "undecided";
    }
    return transaction.path("decision").asText()
        + " by "
        + transaction.path("decided_by").asText()
        + (transaction.path("finished").asBoolean() ? ", ended" : "");
  }

  private static String router(JsonNode transaction) {
    return transaction.path("router").asText()
        + (transaction.path("router_alive").asBoolean() ? "" : " (gone)");
  }
}

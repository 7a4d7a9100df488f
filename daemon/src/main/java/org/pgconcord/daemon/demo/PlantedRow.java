package org.pgconcord.daemon.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.cli.ReferenceText;
import org.pgconcord.daemon.cli.ReportText;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Chapter: one copy of a reference table differs, is found and marked, and is repaired. */
final class PlantedRow {
  private final Narrator narrator;
  private final ShardCluster cluster;
  private final AdminApi admin;

  PlantedRow(Narrator narrator, ShardCluster cluster, AdminApi admin) {
    this.narrator = narrator;
    this.cluster = cluster;
    this.admin = admin;
  }

  void run() throws SQLException {
    ShardId shard = cluster.shards().get(cluster.shards().size() - 1);
    narrator.chapter("Plant a wrong row in one copy of countries: verify names it");
    change(shard, "UPDATE countries SET name = 'Atlantis' WHERE code = 'IS'");
    narrator.command("./pgconcord reference verify countries");
    JsonNode report = admin.verifyCountries();
    String text = ReportText.of(report);
    boolean named = report.toString().contains("IS") && report.toString().contains(shard.uid());
    narrator.judge(
        !report.path("clean").asBoolean() && named, "the row IS on " + shard + " is named:");
    narrator.block(text.lines().toList());

    narrator.command("./pgconcord reference repair countries");
    narrator.block(ReferenceText.repair(admin.repairCountries()).lines().toList());
    narrator.judge(
        admin.verifyCountries().path("clean").asBoolean(), "repaired, the copies are equal");
  }

  private void change(ShardId shard, String sql) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.execute(sql);
    }
  }
}

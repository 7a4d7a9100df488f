package org.pgconcord.config.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ConnectFailureTest {
  private static final ConnectFailure FAILURE =
      new ConnectFailure("pgconcord", "app", new ShardAddress("db1", 5432));

  @Test
  void eachRefusalHasItsOwnRemedy() {
    assertThat(remedy("28P01")).contains("another password", "service_role.password_file");
    assertThat(remedy("28000")).contains("pg_hba.conf", "ALTER ROLE \"pgconcord\" LOGIN");
    assertThat(remedy("3D000")).contains("Create database app", "shards.X.databases");
    assertThat(remedy("42501")).isEqualTo("GRANT CONNECT ON DATABASE \"app\" TO \"pgconcord\";");
    assertThat(remedy("53300")).contains("max_connections");
    assertThat(remedy("57P03")).contains("starting");
    assertThat(remedy("08004")).contains("asks for a password");
    assertThat(FAILURE.remedy(new SQLException("?", "XX000"))).isEmpty();
    assertThat(FAILURE.remedy(new SQLException("?"))).isEmpty();
  }

  @Test
  void eachSilenceHasItsOwnRemedy() {
    assertThat(silence(new ConnectException("refused"))).contains("Nothing listens at db1:5432");
    assertThat(silence(new SocketTimeoutException("late"))).contains("firewall");
    assertThat(silence(new UnknownHostException("db1"))).contains("nobody knows db1");
  }

  private static String remedy(String state) {
    return FAILURE.remedy(new SQLException("?", state)).orElse("");
  }

  private static String silence(Exception cause) {
    return FAILURE.remedy(new SQLException("?", "08001", cause)).orElse("");
  }
}

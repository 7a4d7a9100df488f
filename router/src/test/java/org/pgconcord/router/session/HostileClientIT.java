package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.wire.FrameBytes;
import org.pgconcord.router.wire.FrontendFrames;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.StartupPacket;
import org.pgconcord.testkit.cluster.Authentication;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Clients that break the protocol lose their own connection and nothing else. */
class HostileClientIT {
  private static ShardCluster cluster;
  private static TestRouter router;
  private static TestRouter scram;
  private static Connection healthy;

  @BeforeAll
  static void start() throws SQLException {
    cluster = ShardCluster.start(ClusterSettings.of(1).withAuthentication(Authentication.TRUST));
    router = TestRouter.start(cluster, RouterSettings.Auth.TRUST, UnaryOperator.identity());
    scram = TestRouter.start(cluster, RouterSettings.Auth.SCRAM, UnaryOperator.identity());
    healthy = router.connect();
  }

  @AfterAll
  static void stop() throws SQLException {
    healthy.close();
    router.close();
    scram.close();
    cluster.close();
  }

  @AfterEach
  void theOtherSessionIsUnaffected() throws SQLException {
    try (var statement = healthy.createStatement();
        ResultSet rows = statement.executeQuery("SELECT 42")) {
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(42);
    }
  }

  @Test
  void encryptionIsDeclinedOnceAndNothingMayRideAlong() throws IOException {
    try (RawClient client = new RawClient(router.port())) {
      client.startup(StartupPacket.SSL_CODE, "");
      assertThat(client.oneByte()).isEqualTo('N');
      client.startup(StartupPacket.GSS_CODE, "");
      assertThat(client.oneByte()).isEqualTo('N');
      client.startup(StartupPacket.SSL_CODE, "");
      assertThat(client.oneByte()).isEqualTo(-1);
    }
    try (RawClient client = new RawClient(router.port())) {
      ByteBuf both = Unpooled.buffer();
      both.writeBytes(FrameBytes.packet(StartupPacket.SSL_CODE, new byte[0]));
      both.writeBytes(FrameBytes.packet(3 << 16, FrameBytes.utf8("user\0demo\0\0")));
      client.send(both);
      assertThat(client.oneByte()).isEqualTo(-1);
    }
  }

  @Test
  void protocolVersionsAreNegotiatedOrRefused() throws IOException {
    for (int minor : new int[] {2, 9999}) {
      try (RawClient client = new RawClient(router.port())) {
        client.startup((3 << 16) | minor, "user\0demo\0database\0app\0_pq_.something\0on\0\0");
        assertThat(client.untilReady()).startsWith("v", "R").endsWith("K", "ZI");
      }
    }
    for (int version : new int[] {2 << 16, 4 << 16}) {
      try (RawClient client = new RawClient(router.port())) {
        client.startup(version, "user\0demo\0\0");
        assertThat(client.untilClosed()).containsExactly("E FATAL 0A000");
      }
    }
  }

  @Test
  void badStartupPacketsEndTheConnection() throws IOException {
    String[][] cases = {
      {"database\0app\0\0", "E FATAL 28000"},
      {"user\0\0\0", "E FATAL 28000"},
      {"user\0demo\0replication\0database\0\0", "E FATAL 0A000"},
      {"user\0demo\0user\0postgres\0\0", "E FATAL 08P01"},
      {"user\0demo", "E FATAL 08P01"},
      {"user\0demo\0database\0app\0client_encoding\0SJIS\0\0", "E FATAL 0A000"},
      {"user\0demo\0database\0app\0pgconcord.fanuot\0one\0\0", "E FATAL 42704"},
      {"user\0demo\0database\0app\0work_mem\0lots\0\0", "E FATAL 22023"},
      {"user\0demo\0database\0app\0options\0-c=\0\0", "E FATAL 42704"},
    };
    for (String[] bad : cases) {
      try (RawClient client = new RawClient(router.port())) {
        client.startup(3 << 16, bad[0]);
        assertThat(client.untilClosed().stream().filter(l -> l.startsWith("E")).toList())
            .as(bad[0].replace('\0', '|'))
            .containsExactly(bad[1]);
      }
    }
  }

  @Test
  void onlyTheRightMessagesAreHeardDuringLogin() throws IOException {
    try (RawClient client = new RawClient(scram.port())) {
      client.startup(3 << 16, "user\0demo\0database\0app\0\0");
      client.send(out -> FrontendFrames.query(out, "SELECT 1"));
      assertThat(client.untilClosed()).containsExactly("R", "E FATAL 08P01");
    }
    int[][] lengths = {{-1, 0}, {5, 3}, {Integer.MAX_VALUE, 1}};
    for (int[] length : lengths) {
      try (RawClient client = new RawClient(scram.port())) {
        client.startup(3 << 16, "user\0demo\0database\0app\0\0");
        ByteBuf body = Unpooled.buffer();
        body.writeBytes(FrameBytes.utf8("SCRAM-SHA-256\0")).writeInt(length[0]);
        body.writeBytes(new byte[length[1]]);
        byte[] bytes = new byte[body.readableBytes()];
        body.readBytes(bytes);
        client.send(FrameBytes.message('p', bytes));
        assertThat(client.untilClosed()).containsExactly("R", "E FATAL 08P01");
      }
    }
    try (RawClient client = new RawClient(scram.port())) {
      client.startup(3 << 16, "user\0demo\0database\0app\0\0");
      client.send(out -> FrontendFrames.saslInitialResponse(out, "MD5", "x"));
      assertThat(client.untilClosed()).containsExactly("R", "E FATAL 28000");
    }
  }

  @Test
  void unknownMessagesAreFatal() throws IOException {
    for (char type : new char[] {'R', 'Z', 'T', 'x'}) {
      try (RawClient client = RawClient.loggedIn(router.port())) {
        client.send(FrameBytes.message(type, new byte[0]));
        assertThat(client.untilClosed()).containsExactly("E FATAL 08P01");
      }
    }
    try (RawClient client = RawClient.loggedIn(router.port())) {
      client.send(Unpooled.buffer().writeByte('Q').writeInt(Integer.MAX_VALUE));
      assertThat(client.untilClosed()).containsExactly("E FATAL 54000");
    }
    try (RawClient client = RawClient.loggedIn(router.port())) {
      client.send(Unpooled.buffer().writeByte('Q').writeInt(3));
      assertThat(client.untilClosed()).containsExactly("E FATAL 08P01");
    }
  }

  @Test
  void malformedBindsAreErrorsAndTheSessionLives() throws IOException {
    String[] tails = {
      "\0\2\0\0\0\1\0\0\0\1\0\0", // two formats for one parameter
      "\0\1\0\2\0\0\0\0", // format 2
      "\0\0\0\5\0\0", // five parameters that are not there
    };
    try (RawClient client = RawClient.loggedIn(router.port())) {
      for (String tail : tails) {
        client.send(out -> FrontendFrames.parse(out, "", "SELECT 1", ParameterTypes.NONE));
        byte[] body = FrameBytes.utf8("\0\0" + tail);
        client.send(FrameBytes.message('B', body));
        client.send(out -> FrontendFrames.execute(out, "", 0));
        client.send(FrontendFrames::sync);
        assertThat(client.untilReady()).containsExactly("1", "E ERROR 08P01", "ZI");
      }
      client.send(out -> FrontendFrames.parse(out, "", "SELECT $1::int", ParameterTypes.NONE));
      client.send(
          out -> FrontendFrames.bind(out, "", "", Parameters.textValues(List.of("1", "2"))));
      client.send(out -> FrontendFrames.execute(out, "", 0));
      client.send(FrontendFrames::sync);
      assertThat(client.untilReady()).containsExactly("E ERROR 08P01", "ZI");
      client.send(FrameBytes.message('Q', new byte[] {(byte) 0xC0, (byte) 0x80, 0}));
      assertThat(client.untilReady()).containsExactly("E ERROR 22021", "ZI");
    }
  }

  @Test
  void aGluedPipelineAndOneByteSegmentsAreAnsweredAlike() throws IOException {
    ByteBuf script = Unpooled.buffer();
    for (int i = 0; i < 100; i++) {
      FrontendFrames.parse(script, "", "SELECT " + i, ParameterTypes.NONE);
      FrontendFrames.bind(script, "", "", Parameters.none());
      FrontendFrames.execute(script, "", 0);
      FrontendFrames.sync(script);
    }
    try (RawClient client = RawClient.loggedIn(router.port())) {
      client.send(script.copy());
      for (int i = 0; i < 100; i++) {
        assertThat(client.untilReady()).containsExactly("1", "2", "D", "C", "ZI");
      }
      for (int i = 0; i < 200; i++) {
        client.send(script.readSlice(1));
      }
      client.send(script);
      for (int i = 0; i < 100; i++) {
        assertThat(client.untilReady()).containsExactly("1", "2", "D", "C", "ZI");
      }
    }
  }

  @Test
  void aCancelWithAWrongKeyDoesNothing() throws IOException {
    try (RawClient client = new RawClient(router.port())) {
      client.send(
          Unpooled.buffer()
              .writeInt(16)
              .writeInt(StartupPacket.CANCEL_CODE)
              .writeInt(1)
              .writeInt(2));
      assertThat(client.oneByte()).isEqualTo(-1);
    }
  }

  @Test
  void noiseEndsInACloseAndNeverInSilence() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      boolean early = random.nextBoolean();
      try (RawClient client =
          early ? new RawClient(router.port()) : RawClient.loggedIn(router.port())) {
        byte[] noise = new byte[1 + random.nextInt(200)];
        random.nextBytes(noise);
        client.send(Unpooled.wrappedBuffer(noise));
        client.end();
        assertThat(client.untilClosed()).as("seed %d round %d", seed, round).hasSizeLessThan(50);
      }
    }
  }
}

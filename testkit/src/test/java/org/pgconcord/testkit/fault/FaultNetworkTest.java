package org.pgconcord.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each action as both ends of a link see it; the server is a plain socket. */
class FaultNetworkTest {
  private static final int NO_MORE = -1;
  private static final byte[] STARTUP = Bytes.startup("user", "demo");
  private static final byte[] FIRST = Bytes.message('Q', "first\0");
  private static final byte[] SECOND = Bytes.message('Q', "second\0");

  private ServerSocket listener;
  private FaultNetwork network;
  private Socket client = new Socket();
  private Socket server = new Socket();

  @BeforeEach
  void listen() throws IOException {
    listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    network = FaultNetwork.before(Map.of("s", listener.getLocalPort()));
  }

  @AfterEach
  void close() throws IOException {
    network.close();
    listener.close();
    client.close();
    server.close();
  }

  @Test
  void withoutRulesAllPassesAndIsCounted() throws IOException {
    start();
    send(client, FIRST);
    expect(server, FIRST);
    send(server, Bytes.message('Z', "I"));
    expect(client, Bytes.message('Z', "I"));
    Link link = new Link("s", "demo", "", 1);
    assertThat(network.journal().kinds())
        .isEqualTo(
            Map.of(
                new Journal.Way(link, Direction.TO_SERVER), "^Q",
                new Journal.Way(link, Direction.TO_CLIENT), "Z"));
    assertThat(network.links()).isEqualTo(1);
    assertThat(network.sources())
        .containsExactly(new FaultNetwork.Source("s", server.getPort(), Long.MAX_VALUE));
  }

  @Test
  void encryptionIsRefusedOnTheServersBehalf() throws IOException {
    client = new Socket(InetAddress.getLoopbackAddress(), network.port("s"));
    send(client, Bytes.SSL_REQUEST);
    expect(client, new byte[] {'N'});
    send(client, STARTUP);
    server = listener.accept();
    expect(server, STARTUP);
  }

  @Test
  void aCancelRequestGoesOnAlone() throws IOException {
    client = new Socket(InetAddress.getLoopbackAddress(), network.port("s"));
    send(client, Bytes.CANCEL_REQUEST);
    server = listener.accept();
    expect(server, Bytes.CANCEL_REQUEST);
  }

  @Test
  void aCutEndsBothSidesBeforeTheMessage() throws IOException {
    onSecond(new Action.Cut());
    expect(server, FIRST);
    assertThat(server.getInputStream().read()).isEqualTo(NO_MORE);
    assertThat(client.getInputStream().read()).isEqualTo(NO_MORE);
  }

  @Test
  void aResetIsSeenAsOne() throws IOException {
    onSecond(new Action.Reset());
    assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
  }

  @Test
  void aDroppedMessageIsMissingAlone() throws IOException {
    onSecond(new Action.Drop());
    send(client, Bytes.message('S', ""));
    expect(server, FIRST);
    expect(server, Bytes.message('S', ""));
  }

  @Test
  void aDuplicateArrivesTwice() throws IOException {
    onSecond(new Action.Duplicate());
    expect(server, FIRST);
    expect(server, SECOND);
    expect(server, SECOND);
  }

  @Test
  void aTruncatedMessageIsTheLast() throws IOException {
    onSecond(new Action.Truncate(3));
    expect(server, FIRST);
    expect(server, new byte[] {SECOND[0], SECOND[1], SECOND[2]});
    assertThat(server.getInputStream().read()).isEqualTo(NO_MORE);
    assertThat(client.getInputStream().read()).isEqualTo(NO_MORE);
  }

  @Test
  void aDelayedMessageArrivesLate() throws IOException {
    Duration delay = Duration.ofMillis(100);
    long begin = System.nanoTime();
    onSecond(new Action.Delay(delay));
    expect(server, FIRST);
    expect(server, SECOND);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(delay.toNanos());
  }

  @Test
  void aHeldMessageWaitsWhileTheOtherDirectionGoesOn() throws Exception {
    Gate gate = new Gate();
    onSecond(new Action.Hold(gate));
    expect(server, FIRST);
    assertThat(gate.awaitReached(Duration.ofSeconds(10))).isTrue();
    assertThat(server.getInputStream().available()).isZero();
    send(server, Bytes.message('Z', "I"));
    expect(client, Bytes.message('Z', "I"));
    gate.release();
    expect(server, SECOND);
  }

  @Test
  void whatTakesTheNetworkDownEndsAllLinksUntilItIsUpAgain() throws IOException {
    Socket bystander = new Socket(InetAddress.getLoopbackAddress(), network.port("s"));
    send(bystander, STARTUP);
    try (Socket other = listener.accept()) {
      expect(other, STARTUP);
      onSecond(new Action.Down());
      assertThat(other.getInputStream().read()).isEqualTo(NO_MORE);
      assertThat(bystander.getInputStream().read()).isEqualTo(NO_MORE);
    }
    bystander.close();
    expect(server, FIRST);
    assertThat(server.getInputStream().read()).isEqualTo(NO_MORE);
    try (Socket early = new Socket(InetAddress.getLoopbackAddress(), network.port("s"))) {
      assertThat(early.getInputStream().read()).isEqualTo(NO_MORE);
    }
    client.close();
    server.close();
    network.up();
    start();
    send(client, FIRST);
    expect(server, FIRST);
  }

  /** Opens a link on which the action meets the second query, and sends both. */
  private void onSecond(Action action) throws IOException {
    network.begin(List.of(Rule.on(Direction.TO_SERVER).kinds("Q").nth(2).then(action)));
    start();
    send(client, FIRST);
    send(client, SECOND);
  }

  private void start() throws IOException {
    client = new Socket(InetAddress.getLoopbackAddress(), network.port("s"));
    send(client, STARTUP);
    server = listener.accept();
    expect(server, STARTUP);
  }

  private static void send(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  private static void expect(Socket socket, byte[] bytes) throws IOException {
    socket.setSoTimeout(10_000);
    byte[] read = new byte[bytes.length];
    new DataInputStream(socket.getInputStream()).readFully(read);
    assertThat(read).isEqualTo(bytes);
  }
}

package org.pgconcord.router.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.Frame;

/**
 * A BEGIN that a cancel hits begins nothing, and the statement that was sent behind it would commit
 * by itself: a cancel waits until the BEGIN has been answered.
 */
class CancelBehindBeginTest {
  private final List<CompletableFuture<Void>> cancels = new ArrayList<>();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final NettyBackendConnection connection = connection();

  private NettyBackendConnection connection() {
    BackendTarget target =
        new BackendTarget(
            new ShardId("shard-a"),
            BackendRole.CLIENT,
            "app",
            "demo",
            BackendSecret.TRUST,
            Map.of());
    NettyBackendConnection made =
        new NettyBackendConnection(
            target,
            channel,
            BackendEvents.NONE,
            (server, processId, secret) -> {
              CompletableFuture<Void> sent = new CompletableFuture<>();
              cancels.add(sent);
              return sent;
            },
            new BackendLogin(target, "nonce"));
    channel.pipeline().addLast(made);
    return made;
  }

  @Test
  void aCancelWaitsForTheAnswerToBegin() {
    connection.send(new BackendRequest.Begin("BEGIN"), new CollectingListener(connection.shard()));
    CollectingListener statement = new CollectingListener(connection.shard());
    connection.send(new BackendRequest.Query("DELETE FROM users"), statement);
    assertThat(written()).isEqualTo("Q:BEGIN Q:DELETE FROM users");

    connection.cancel();
    assertThat(cancels).isEmpty();
    connection.send(
        new BackendRequest.Query("ROLLBACK"), new CollectingListener(connection.shard()));
    assertThat(written()).isEmpty();

    ready('T');
    assertThat(cancels).hasSize(1);
    assertThat(written()).isEmpty();

    ready('E');
    cancels.get(0).complete(null);
    channel.runPendingTasks();
    assertThat(written()).isEqualTo("Q:ROLLBACK");
  }

  @Test
  void withNothingBehindTheBeginNothingIsCancelled() {
    connection.send(new BackendRequest.Begin("BEGIN"), new CollectingListener(connection.shard()));
    connection.cancel();
    connection.send(
        new BackendRequest.Query("SELECT 1"), new CollectingListener(connection.shard()));
    assertThat(written()).isEqualTo("Q:BEGIN");
    ready('T');
    assertThat(cancels).isEmpty();
    assertThat(written()).isEqualTo("Q:SELECT 1");
  }

  private void ready(char status) {
    ByteBuf bytes = Unpooled.buffer();
    bytes.writeByte(BackendType.READY_FOR_QUERY).writeInt(5).writeByte(status);
    channel.writeInbound(Frame.of(bytes));
    channel.runPendingTasks();
  }

  /** The messages sent since the last look. */
  private String written() {
    channel.runPendingTasks();
    channel.flush();
    List<String> messages = new ArrayList<>();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      char type = (char) out.readByte();
      int length = out.readInt() - Integer.BYTES;
      messages.add(
          type
              + ":"
              + out.toString(
                  out.readerIndex(), length - 1, java.nio.charset.StandardCharsets.UTF_8));
    }
    return String.join(" ", messages);
  }
}

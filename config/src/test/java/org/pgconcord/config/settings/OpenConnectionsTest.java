package org.pgconcord.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/** Who is connected to a server that has been followed by another one. */
class OpenConnectionsTest {
  private static final ShardId A = new ShardId("a");
  private static final ServerIdentity BEFORE = new ServerIdentity(7, 1, 180_004);
  private static final ServerIdentity AFTER = new ServerIdentity(7, 2, 180_004);

  private final KnownServers known = new KnownServers();
  private final OpenConnections open = new OpenConnections(known);
  private final AtomicInteger aborted = new AtomicInteger();

  @Test
  void isCutOffWhenTheFollowerIsHeardOf() {
    known.admit(A, BEFORE);
    open.add(A, BEFORE, connection());
    assertThat(aborted).hasValue(0);

    known.admit(A, AFTER);

    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(aborted).hasValue(1));
  }

  @Test
  void isCutOffAtOnceWhenThatWasWhileItConnected() {
    known.admit(A, BEFORE);
    known.admit(A, AFTER);

    open.add(A, BEFORE, connection());
    open.add(A, AFTER, connection());

    assertThat(aborted).hasValue(1);
  }

  private Connection connection() {
    Object self = new Object();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "abort" -> aborted.incrementAndGet() == 0 ? "" : null;
                  case "hashCode" -> self.hashCode();
                  case "equals" -> proxy == arguments[0];
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}

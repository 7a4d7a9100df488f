package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class EndingTest {
  private final List<String> ended = Collections.synchronizedList(new ArrayList<>());

  private AutoCloseable part(String name) {
    return () -> ended.add(name);
  }

  @Test
  void partsEndInReverseOrderAndOnce() {
    Ending ending = new Ending();
    ending.add(part("shards"));
    ending.add(part("daemon"));
    ending.close();
    ending.close();
    assertThat(ended).containsExactly("daemon", "shards");
  }

  @Test
  void aPartThatFailsDoesNotKeepTheOthers() {
    Ending ending = new Ending();
    ending.add(part("shards"));
    ending.add(
        () -> {
          throw new IllegalStateException("does not end");
        });
    ending.close();
    assertThat(ended).containsExactly("shards");
  }

  /** It ends only when what was to end after it has ended, as one that hangs on a server may. */
  @Test
  void aPartThatIsLateAfterASignalKeepsNobodyWaitingAndIsNotLeftBehind() {
    CountDownLatch down = new CountDownLatch(1);
    Ending ending = new Ending(Duration.ofMillis(50));
    ending.add(
        () -> {
          ended.add("shards");
          down.countDown();
        });
    ending.add(
        () -> {
          down.await();
          ended.add("daemon");
        });
    ending.closeQuickly();
    assertThat(ended).containsExactly("shards", "daemon");
  }

  @Test
  void whatIsStartedTooLateEndsAtOnce() {
    Ending ending = new Ending();
    ending.close();
    ending.add(part("late"));
    assertThat(ended).containsExactly("late");
    assertThat(ending.begun()).isTrue();
  }
}

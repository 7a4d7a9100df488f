package org.pgconcord.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;

class KnownServersTest {
  private static final ShardId A = new ShardId("a");
  private static final ServerIdentity FIRST = new ServerIdentity(7, 1, 180_004);
  private static final ServerIdentity PROMOTED = new ServerIdentity(7, 2, 180_004);
  private static final ServerIdentity OTHER = new ServerIdentity(8, 5, 180_004);

  private final KnownServers known = new KnownServers();
  private final List<ShardId> followed = new ArrayList<>();

  @BeforeEach
  void listen() {
    known.onFollowed(followed::add);
  }

  private void refused(ServerIdentity server) {
    assertThatThrownBy(() -> known.admit(A, server)).isInstanceOf(ConcordException.class);
  }

  @Test
  void theFirstOneIsTheShard() {
    known.admit(A, FIRST);
    known.admit(A, FIRST);
    refused(OTHER);
    assertThat(followed).isEmpty();
  }

  @Test
  void whoeverIsOnTheServerBeforeHearsOfItsFollower() {
    known.admit(A, FIRST);
    known.admit(A, PROMOTED);
    assertThat(followed).containsExactly(A);
    assertThat(known.followed(A, FIRST)).isTrue();
    assertThat(known.followed(A, PROMOTED)).isFalse();
    refused(FIRST);
  }

  @Test
  void theCatalogNeverTakesAFollowerBack() {
    known.admit(A, PROMOTED);
    known.remember(Map.of(A, FIRST));
    assertThat(known.all()).containsEntry(A, PROMOTED);
    assertThat(followed).isEmpty();
  }

  /** What was met first may have been another's address. */
  @Test
  void ofTwoSystemsTheCatalogsCounts() {
    known.admit(A, OTHER);
    known.remember(Map.of(A, FIRST));
    assertThat(followed).containsExactly(A);
    refused(OTHER);
    known.admit(A, FIRST);
  }

  @Test
  void whileTwoClaimItNeitherIs() {
    known.admit(A, FIRST);
    known.contest(A, true);
    known.contest(A, true);
    assertThat(followed).containsExactly(A);
    assertThat(known.followed(A, FIRST)).isTrue();
    refused(FIRST);
    known.contest(A, false);
    assertThatCode(() -> known.admit(A, FIRST)).doesNotThrowAnyException();
  }
}

package org.pgconcord.daemon.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.ProxiedRouter;
import org.pgconcord.daemon.process.Gsi;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.daemon.process.Suite;
import org.pgconcord.testkit.fault.CutPoint;
import org.pgconcord.testkit.invariant.Ledger.Told;
import org.pgconcord.testkit.invariant.Residue;
import org.pgconcord.testkit.invariant.Violation;

/**
 * One fault at each message between router and shards, and between router and catalog, of one
 * write. After each: what died starts again, what recovery there is has ended, and then no owner
 * row lacks its entry, no key has two owners, copies are equal or marked, an acknowledged write is
 * there and a refused one is not, nothing is left on the servers. Surplus may be there for a while:
 * it must never change an answer and be gone when the daemon has audited.
 */
class CutPointsIT {
  private static final Duration AUDIT = Duration.ofSeconds(90);
  private static final int ATTEMPTS = 5;

  /** Some messages do not come in every run; most must. */
  private static final int MADE_FOR_EACH_MISSED = 20;

  private static final long FIRST_RUN = 1_000_000;

  /**
   * The long suites in pieces. {@code -Dpgconcord.cuts=swap.atomic}: only cases in whose names this
   * occurs. {@code .from=17}: those from this number on. {@code .minutes=12}: after that time no
   * other case begins, and the number to go on from is printed. {@code .most=10}: of each case so
   * many messages, at random. They count for every fault of the suite.
   */
  private static final Pattern ONLY = Pattern.compile(System.getProperty("pgconcord.cuts", ""));

  private static final int FROM = Integer.getInteger("pgconcord.cuts.from", 0);
  private static final long MINUTES = Long.getLong("pgconcord.cuts.minutes", Long.MAX_VALUE);
  private static final int MOST = Integer.getInteger("pgconcord.cuts.most", Integer.MAX_VALUE);

  /** {@code -Dpgconcord.cuts.trace=true}: each fault with what the client was told. */
  private static final boolean TRACE = Boolean.getBoolean("pgconcord.cuts.trace");

  /** So many cases of each fault, at random, in {@code mvn verify}. */
  private static final int CASES = 7;

  /** Messages of each. */
  private static final int SAMPLE = 1;

  /** Of this one more messages are cut in {@code mvn verify}. */
  private static final CutCase SHORT =
      new CutCase(RowStory.INSERT, CutCase.Mode.MULTI, new ShardId("shard-b"));

  private static final int MORE = 40;

  private static final int ALL = Integer.MAX_VALUE;

  /** A dead shard costs seconds. */
  private static final int SHARD_SAMPLE = 6;

  @Test
  void aSampleOfAllFaultsIsClean() throws Exception {
    // The router's deaths last: what they leave only the next daemon finds.
    cut("cut points", List.of(Fault.CUT, Fault.HOLD, Fault.ROUTER), SAMPLE);
  }

  @Test
  @Tag("long")
  void everyCutIsClean() throws Exception {
    cut("all cut points", List.of(Fault.CUT), ALL);
  }

  @Test
  @Tag("long")
  void everyResetIsClean() throws Exception {
    cut("all cut points", List.of(Fault.RESET), ALL);
  }

  @Test
  @Tag("long")
  void everyTruncationIsClean() throws Exception {
    cut("all cut points", List.of(Fault.TRUNCATE), ALL);
  }

  @Test
  @Tag("long")
  void everyMomentIsClean() throws Exception {
    cut("all cut points", List.of(Fault.HOLD), ALL);
  }

  @Test
  @Tag("long")
  void everyDeathOfTheRouterIsClean() throws Exception {
    cut("all cut points", List.of(Fault.ROUTER), ALL);
  }

  @Test
  @Tag("long")
  void aShardKilledAtAMessageIsClean() throws Exception {
    cut("shards killed at a message", List.of(Fault.SHARD), SHARD_SAMPLE);
  }

  private static void cut(String name, List<Fault> faults, int mostPerCase) throws Exception {
    Suite suite = Suite.begin(name, mostPerCase);
    long begin = System.nanoTime();
    try (SampleSystem system = SampleSystem.start(20, suite.seed());
        CutRig.Admins admins = new CutRig.Admins(system)) {
      Members.declare(system);
      for (Gsi gsi : List.of(new Gsi(system.startDaemon()), Members.gsi(system))) {
        gsi.build();
        gsi.verifyAndEnable();
      }
      Cuts cuts = new Cuts(system, admins, new Random(suite.seed()));
      try (CutRig rig = new CutRig(system, admins, FIRST_RUN)) {
        for (Fault fault : faults) {
          cuts.all(rig, fault, mostPerCase);
        }
        cuts.end(rig);
      }
      System.out.printf(
          "cut points suite=\"%s\" seed=%d faults=%s made=%d missed=%d violations=0"
              + " by_entries=%d reused_ports=%d seconds=%d%n",
          name,
          suite.seed(),
          faults,
          cuts.made,
          cuts.missed,
          cuts.trusting,
          cuts.reusedPorts,
          (System.nanoTime() - begin) / 1_000_000_000);
      assertThat(cuts.made).isGreaterThan(cuts.missed * MADE_FOR_EACH_MISSED);
    }
  }

  /** The faults of one suite. */
  private static final class Cuts {
    private final SampleSystem system;
    private final CutCheck check;
    private final Random random;
    private final CutRig.Admins admins;
    private final Residue residue;
    private int made;
    private int missed;
    private int reusedPorts;

    /** Runs while the entries of members answered by themselves. */
    private int trusting;

    Cuts(SampleSystem system, CutRig.Admins admins, Random random) throws SQLException {
      this.system = system;
      this.admins = admins;
      this.check = new CutCheck(system, admins);
      this.random = random;
      this.residue = new Residue(system.cluster().shards(), system.cluster()::asSuperuser);
    }

    void all(CutRig rig, Fault fault, int most) throws Exception {
      List<CutCase> cases = CutCase.all(system.cluster().shards());
      long begin = System.nanoTime();
      for (int number : numbers(cases, fault, most)) {
        if (System.nanoTime() - begin >= TimeUnit.MINUTES.toNanos(MINUTES)) {
          System.out.printf(
              "cut points fault=%s go_on_from=%d of=%d%n", fault, number, cases.size());
          break;
        }
        CutCase each = cases.get(number);
        boolean more = most == SAMPLE && fault == Fault.CUT && each.equals(SHORT);
        one(rig, number, each, fault, Math.min(MOST, more ? MORE : most));
        if (most != SAMPLE && fault != Fault.ROUTER && fault != Fault.SHARD) {
          awaitNone();
          check.clear();
        }
      }
    }

    private List<Integer> numbers(List<CutCase> cases, Fault fault, int most) {
      List<Integer> numbers = new ArrayList<>();
      for (int number = FROM; number < cases.size(); number++) {
        if (ONLY.matcher(cases.get(number).toString()).find()) {
          numbers.add(number);
        }
      }
      if (most != SAMPLE) {
        return numbers;
      }
      Collections.shuffle(numbers, random);
      List<Integer> chosen = new ArrayList<>(numbers.subList(0, Math.min(CASES, numbers.size())));
      int more = cases.indexOf(SHORT);
      if (fault == Fault.CUT && !chosen.contains(more)) {
        chosen.add(more);
      }
      return chosen;
    }

    private void awaitNone() throws SQLException {
      system.checker().awaitNone(AUDIT);
      Members.checker(system).awaitNone(AUDIT);
    }

    /** With a new daemon: what a dead router knew of is found by its sweep. */
    void end(CutRig rig) throws Exception {
      reusedPorts = rig.reusedPorts();
      system.daemon().kill();
      system.startDaemon();
      awaitNone();
      assertThat(residue.awaitNone(AUDIT)).isEmpty();
      assertThat(check.copies()).isEmpty();
      check.clear();
    }

    private void one(CutRig rig, int number, CutCase each, Fault fault, int most) throws Exception {
      List<CutPoint> points = count(rig, each);
      Map<Told, Integer> told = new EnumMap<>(Told.class);
      Collections.shuffle(points, random);
      List<CutPoint> chosen = points.subList(0, Math.min(most, points.size()));
      int met = 0;
      for (CutPoint point : chosen) {
        boolean hit = hit(rig, each, fault, point, told);
        met += hit ? 1 : 0;
        missed += hit || toCatalog(point) ? 0 : 1;
      }
      made += met;
      System.out.printf(
          "cut points number=%d case=\"%s\" fault=%s messages=%d made=%d told=%s%n",
          number, each, fault, points.size(), met, told);
    }

    /**
     * Runs it without a fault, twice: what is not in both runs is not the write's own, as the
     * search for deadlocks on a busy machine. A router whose session with the catalog has ended
     * with its server refuses one transaction.
     */
    private List<CutPoint> count(CutRig rig, CutCase each) throws SQLException {
      List<CutPoint> first = List.of();
      for (int run = 1; ; run++) {
        CutRows rows = rig.prepare(each);
        CutRig.Ended ended = rig.run(each, rows);
        assertThat(run).as("%s: %s", each, ended).isLessThan(ATTEMPTS);
        assertThat(check.after(each, rows, Fault.CUT, ended)).as("%s", each).isEmpty();
        if (ended.told() == Told.DONE && !first.isEmpty()) {
          List<CutPoint> both = new ArrayList<>(rig.points());
          both.retainAll(first);
          return both;
        }
        first = ended.told() == Told.DONE ? rig.points() : first;
      }
    }

    /**
     * A link that a router opened while it ended may take the number of the one that is meant; the
     * fault then comes to nothing and is made again. What goes to the catalog varies by itself.
     *
     * @return false when the message did not come
     */
    private boolean hit(
        CutRig rig, CutCase each, Fault fault, CutPoint point, Map<Told, Integer> told)
        throws Exception {
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        Told answer = one(rig, each, fault, point);
        if (rig.acted()) {
          told.merge(answer, 1, Integer::sum);
          return true;
        }
        if (toCatalog(point)) {
          break;
        }
      }
      return false;
    }

    /** That session lives on between the runs, or not, and prepares its statements at some time. */
    private static boolean toCatalog(CutPoint point) {
      return point.link().server().equals(ProxiedRouter.DECISIONS);
    }

    private Told one(CutRig rig, CutCase each, Fault fault, CutPoint point) throws Exception {
      if (each.story().table() == CutStory.Table.MEMBERS) {
        boolean daemonIsWell = fault != Fault.ROUTER && fault != Fault.SHARD;
        trusting += Members.trusted(system, admins, daemonIsWell) ? 1 : 0;
      }
      CutRows rows = rig.prepare(each);
      String name = "%s, %s at %s, run %d".formatted(each, fault, point, rows.number());
      List<Violation> found = new ArrayList<>();
      CutRig.Ended ended;
      try {
        ended = rig.run(each, rows, fault, point, () -> found.addAll(check.meanwhile(each, rows)));
      } catch (Exception | AssertionError e) {
        throw new AssertionError(name, e);
      }
      found.addAll(check.after(each, rows, fault, ended));
      assertThat(found).as("%s: %s", name, ended).isEmpty();
      check.clearSurplus(each, rows);
      if (fault == Fault.HOLD) {
        assertThat(ended.told()).as("%s: %s", name, ended).isEqualTo(Told.DONE);
      }
      if (TRACE) {
        System.out.println("cut point " + name + ": " + ended);
      }
      return ended.told();
    }
  }
}

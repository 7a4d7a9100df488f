package org.pgconcord.verifier;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.report.Counts;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.Sample;
import org.pgconcord.verifier.report.VerificationReport;
import org.pgconcord.verifier.search.KeyState;

/**
 * Verifies one index while it is written to, and reports. Each call is independent and may run in
 * any thread; two at once for one index only cost time.
 */
public final class Verifier {
  private final VerifierServices services;

  public Verifier(VerifierServices services) {
    this.services = services;
  }

  /**
   * Compares all entries with all owner rows.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code verify/failed} when a shard cannot
   *     be read, {@code verify/not-filled} in a state without entries to compare
   */
  public VerificationReport verify(LookupIndex index, VerifyRequest request)
      throws InterruptedException {
    Instant started = services.clock().instant();
    try {
      Pass pass = pass(index, request.state());
      Samples named = new Samples(index, services);
      List<Sample> samples = new ArrayList<>(named.of(pass.wrong()));
      samples.addAll(named.of(pass.strays()));
      samples.addAll(pass.rows().samples());
      long repaired = request.repair() ? repair(index, request.state(), pass) : 0;
      return report(index, request, started, pass, samples, repaired);
    } catch (SQLException e) {
      throw ErrorCode.VERIFY_FAILED
          .because("verifying " + index.name() + " failed: " + e.getMessage())
          .withCause(e);
    }
  }

  private long repair(LookupIndex index, GsiState state, Pass pass) throws SQLException {
    Repair repair = new Repair(index, services);
    long removed = repair.remove(pass.strays());
    if (pass.wrong().isEmpty() || state.maintained()) {
      return removed + repair.run(pass.wrong());
    }
    BlindWrites.Pause pause = services.blindWrites().pause(index.name());
    try {
      return removed + repair.run(pass.wrong());
    } finally {
      pause.end();
    }
  }

  private Pass pass(LookupIndex index, GsiState state) throws SQLException, InterruptedException {
    if (state == GsiState.TAILING) {
      return new ExactPass(index, services).run();
    }
    if (state.maintained()) {
      return new SettledPass(index, services).run();
    }
    throw ErrorCode.VERIFY_NOT_FILLED.because(
        "index " + index.name() + " is " + state.word() + " and has no entries to compare");
  }

  private VerificationReport report(
      LookupIndex index,
      VerifyRequest request,
      Instant started,
      Pass pass,
      List<Sample> samples,
      long repaired) {
    byte[] id = new byte[8];
    services.random().nextBytes(id);
    Map<String, String> positions = new TreeMap<>();
    pass.positions().forEach((shard, lsn) -> positions.put(shard.uid(), lsn.toString()));
    return new VerificationReport(
        HexFormat.of().formatHex(id),
        index.name().toString(),
        DefinitionHash.of(index),
        request.topologyRevision(),
        request.epoch(),
        request.state().word(),
        request.tables(),
        started,
        services.clock().instant(),
        positions,
        counts(pass),
        samples,
        pass.complete(),
        pass.skipped().stream().map(ShardId::uid).toList(),
        repaired);
  }

  private static Counts counts(Pass pass) {
    return new Counts(
        pass.expected(),
        pass.actual(),
        count(pass.wrong(), Difference.MISSING),
        count(pass.wrong(), Difference.SURPLUS) + pass.strays().found().size(),
        count(pass.wrong(), Difference.WRONG_OWNER),
        count(pass.wrong(), Difference.DUPLICATE),
        pass.rows().nullViolations(),
        pass.rows().misplaced(),
        pass.inFlight());
  }

  private static long count(List<KeyState> wrong, Difference kind) {
    return wrong.stream().filter(s -> s.difference().filter(kind::equals).isPresent()).count();
  }
}

package org.pgconcord.verifier;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.report.Sample;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.Strays;
import org.pgconcord.verifier.settle.OwnerReader;

/** Names some of the wrong keys of each kind, with the primary keys of their rows. */
final class Samples {
  private final LookupIndex index;
  private final VerifierServices services;

  Samples(LookupIndex index, VerifierServices services) {
    this.index = index;
    this.services = services;
  }

  List<Sample> of(List<KeyState> wrong) throws SQLException {
    Map<Difference, Integer> taken = new EnumMap<>(Difference.class);
    List<Sample> samples = new ArrayList<>();
    try (OwnerReader reader = new OwnerReader(index, services.sessions())) {
      for (KeyState state : wrong) {
        Difference difference = state.difference().orElseThrow();
        if (taken.merge(difference, 1, Integer::sum) <= services.options().samplesPerKind()) {
          samples.add(sample(difference, state, reader));
        }
      }
    }
    return samples;
  }

  /** A surplus entry with the lookup shard on which it does not belong. */
  List<Sample> of(Strays strays) {
    return strays.found().stream()
        .limit(services.options().samplesPerKind())
        .map(
            stray ->
                new Sample(
                    Difference.SURPLUS,
                    index.keyOf(stray.entry()).toString(),
                    List.of(),
                    "%s, on lookup shard %s instead of %s"
                        .formatted(
                            index.ownerOf(stray.entry()),
                            stray.shard(),
                            index.lookupShard(stray.entry().identity()))))
        .toList();
  }

  private Sample sample(Difference difference, KeyState state, OwnerReader reader)
      throws SQLException {
    Tuple key = state.identity().part(0, index.key().size());
    Tuple holder = state.entry();
    String entry = holder == null ? null : named(state, holder);
    return new Sample(difference, key.toString(), owners(state, reader), entry);
  }

  private String named(KeyState state, Tuple holder) {
    return index.ownerOf(new Entry(state.identity(), holder)).toString();
  }

  private List<Sample.Owner> owners(KeyState state, OwnerReader reader) throws SQLException {
    List<Sample.Owner> owners = new ArrayList<>();
    for (OwnerRef owner : state.owners().stream().distinct().toList()) {
      List<List<String>> keys = reader.primaryKeys(owner, state.identity());
      for (List<String> key : keys.isEmpty() ? List.of(List.<String>of()) : keys) {
        owners.add(new Sample.Owner(owner.shard().uid(), named(state, owner.holder()), key));
      }
    }
    return owners;
  }
}

package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;

/**
 * From the columns that an INSERT returned behind the client's own to the mappings to which its
 * rows point. The values are the stored ones.
 */
public final class MappingRows {
  /** One index of another table and where the columns that refer to it are among the added ones. */
  private record Source(Referrer referrer, LookupIndex index, List<Integer> places) {}

  /** A mapping to which a row points: the indexed values. */
  public record Found(Referrer referrer, LookupIndex index, Tuple key) {}

  private final List<Source> sources = new ArrayList<>();
  private final List<Found> found = new ArrayList<>();

  /**
   * @param references each with the index that it names
   * @param columns the added columns in order
   */
  public MappingRows(Map<Referrer, LookupIndex> references, List<String> columns) {
    references.forEach(
        (referrer, index) ->
            sources.add(
                new Source(
                    referrer, index, referrer.columns().stream().map(columns::indexOf).toList())));
  }

  /**
   * Takes one row's added columns as text.
   *
   * @throws org.pgconcord.config.error.ConcordException for a NULL that an index does not allow
   */
  public void add(List<@Nullable String> added) {
    for (Source source : sources) {
      List<String> key = new ArrayList<>();
      for (int i = 0; i < source.places().size(); i++) {
        String value = added.get(source.places().get(i));
        if (value != null) {
          key.add(value);
        } else if (!source.index().gsi().ignoreNull()) {
          throw nullKey(source, i);
        }
      }
      if (key.size() == source.places().size()) {
        found.add(new Found(source.referrer(), source.index(), new Tuple(key)));
      }
    }
  }

  private static RuntimeException nullKey(Source source, int column) {
    return ErrorCode.GSI_NULL_KEY.because(
        "null value in column \"%s\" of table %s violates global secondary index \"%s\""
            .formatted(
                source.referrer().columns().get(column),
                source.referrer().table(),
                source.index().name()));
  }

  /** The mappings so far. */
  public List<Found> found() {
    return found;
  }
}

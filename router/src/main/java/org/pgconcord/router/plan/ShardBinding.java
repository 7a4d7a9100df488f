package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.StatementText;

/**
 * The values that pin a statement to a shard. It runs on one shard exactly when all of them lead to
 * the same one.
 *
 * @param pins for every sharded table the values that its shard key can have
 * @param anyShard where the statement runs when every value is NULL: a comparison with it matches
 *     no row on any shard
 * @param required the shard of unsharded tables that the statement also names; the values must lead
 *     there
 */
public record ShardBinding(List<Pin> pins, ShardId anyShard, Optional<ShardId> required) {
  public ShardBinding {
    pins = List.copyOf(pins);
  }

  /**
   * One value of one table's shard key, and whether it is compared with it or stored as it.
   *
   * @param parts one for each column of the key
   */
  public record Pin(List<Part> parts, ShardLocator locator, KeyUse use) {
    public Pin {
      parts = List.copyOf(parts);
    }
  }

  /** The value of one column of a key. */
  public record Part(KeyOperand operand, KeyColumn column) {}

  /**
   * The shard for these values.
   *
   * @throws org.pgconcord.config.error.ConcordException when a key to be stored is NULL or cannot
   *     be converted as the server would
   */
  public Resolution resolve(StatementText text, Parameters parameters) {
    NavigableSet<ShardId> shards = new TreeSet<>();
    for (Pin pin : pins) {
      Key key = key(pin, text, parameters);
      if (key.reason().isPresent()) {
        return new Resolution.NotOne(key.reason().get());
      }
      key.shard().ifPresent(shards::add);
    }
    if (shards.isEmpty()) {
      shards.add(required.orElse(anyShard));
    }
    required.ifPresent(shards::add);
    return shards.size() == 1
        ? new Resolution.One(shards.first())
        : new Resolution.NotOne(
            "the values lead to several shards: "
                + shards.stream().map(ShardId::uid).collect(Collectors.joining(", ")));
  }

  /**
   * All shards that the values lead to, in order; empty when that cannot be told of one of them. No
   * shard is in the list when a NULL is in every key.
   */
  Optional<List<ShardId>> shards(StatementText text, Parameters parameters) {
    NavigableSet<ShardId> shards = new TreeSet<>(required.stream().toList());
    for (Pin pin : pins) {
      Key key = key(pin, text, parameters);
      if (key.reason().isPresent()) {
        return Optional.empty();
      }
      key.shard().ifPresent(shards::add);
    }
    return Optional.of(List.copyOf(shards));
  }

  /** Where a key leads: nowhere with a NULL in it, or why that cannot be told. */
  private record Key(Optional<ShardId> shard, Optional<String> reason) {}

  private static Key key(Pin pin, StatementText text, Parameters parameters) {
    List<KeyType> types = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (Part part : pin.parts()) {
      KeyValue value = OperandValue.of(part.operand(), part.column(), pin.use(), text, parameters);
      if (value instanceof KeyValue.NotConvertible unusable) {
        refuseToStore(pin, part, unusable);
        return new Key(Optional.empty(), Optional.of(unusable.reason()));
      } else if (value instanceof KeyValue.Text known) {
        types.add(part.column().type());
        texts.add(known.value());
      } else if (pin.use() == KeyUse.STORED) {
        throw ErrorCode.WRITE_NULL_KEY.because(
            "shard-key column \"%s\" of table %s cannot be NULL"
                .formatted(part.column().name(), part.column().table()));
      }
    }
    boolean whole = texts.size() == pin.parts().size();
    return new Key(
        whole ? Optional.of(pin.locator().locateAs(types, texts)) : Optional.empty(),
        Optional.empty());
  }

  /** The highest number of a parameter that decides; 0 when none does. */
  public int needs() {
    return pins.stream()
        .flatMap(p -> p.parts().stream())
        .mapToInt(p -> p.operand() instanceof KeyOperand.Parameter q ? q.number() : 0)
        .max()
        .orElse(0);
  }

  private static void refuseToStore(Pin pin, Part part, KeyValue.NotConvertible unusable) {
    if (pin.use() == KeyUse.STORED) {
      throw ErrorCode.WRITE_KEY_NOT_CONVERTIBLE
          .because(
              "the router cannot tell which shard a row with this value of \"%s\" belongs to"
                  .formatted(part.column().name()))
          .withDetail(unusable.reason());
    }
  }
}

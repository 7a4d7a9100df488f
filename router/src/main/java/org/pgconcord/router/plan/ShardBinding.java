package org.pgconcord.router.plan;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardKeyEncoder;
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
  /** More combinations of values of several columns are not looked at one by one. */
  private static final int MOST_KEYS = 10_000;

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
      shards.addAll(key.shards());
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
      shards.addAll(key.shards());
    }
    return Optional.of(List.copyOf(shards));
  }

  /** Where a key leads: nowhere with a NULL in it, or why that cannot be told. */
  private record Key(Set<ShardId> shards, Optional<String> reason) {
    static Key unknown(String reason) {
      return new Key(Set.of(), Optional.of(reason));
    }
  }

  /** An array gives a column several values: each combination is a key. */
  private static Key key(Pin pin, StatementText text, Parameters parameters) {
    if (pin.parts().get(0).operand() instanceof KeyOperand.Span span) {
      return span(pin, span, text, parameters);
    }
    List<List<String>> keys = List.of(List.of());
    for (Part part : pin.parts()) {
      List<String> values = new ArrayList<>();
      for (KeyValue value : values(pin, part, text, parameters)) {
        if (value instanceof KeyValue.NotConvertible unusable) {
          refuseToStore(pin, part, unusable);
          return Key.unknown(unusable.reason());
        } else if (value instanceof KeyValue.Text known) {
          values.add(known.value());
        } else if (pin.use() == KeyUse.STORED) {
          throw ErrorCode.WRITE_NULL_KEY.because(
              "shard-key column \"%s\" of table %s cannot be NULL"
                  .formatted(part.column().name(), part.column().table()));
        }
      }
      if ((long) keys.size() * values.size() > MOST_KEYS) {
        return Key.unknown("the arrays have more than %,d combinations".formatted(MOST_KEYS));
      }
      keys = combined(keys, values);
    }
    List<KeyType> types = pin.parts().stream().map(part -> part.column().type()).toList();
    Set<ShardId> shards = new TreeSet<>();
    keys.forEach(key -> shards.add(pin.locator().locateAs(types, key)));
    return new Key(shards, Optional.empty());
  }

  /**
   * The shards of a range of integers. A bound whose value is not certain narrows nothing; one that
   * is NULL is met by no row.
   */
  private static Key span(
      Pin pin, KeyOperand.Span span, StatementText text, Parameters parameters) {
    KeyColumn column = pin.parts().get(0).column();
    BigInteger least = BigInteger.valueOf(Long.MIN_VALUE);
    BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);
    Optional<String> reason = Optional.empty();
    int known = 0;
    for (KeyOperand.Bound bound : span.bounds()) {
      KeyValue value = OperandValue.of(bound.value(), column, KeyUse.COMPARED, text, parameters);
      if (value instanceof KeyValue.Null) {
        return new Key(Set.of(), Optional.empty());
      } else if (value instanceof KeyValue.NotConvertible unusable) {
        reason = Optional.of(unusable.reason());
        continue;
      }
      BigInteger end = BigInteger.valueOf(ShardKeyEncoder.integer(((KeyValue.Text) value).value()));
      switch (bound.side()) {
        case BELOW -> most = most.min(end.subtract(BigInteger.ONE));
        case AT_MOST -> most = most.min(end);
        case AT_LEAST -> least = least.max(end);
        case ABOVE -> least = least.max(end.add(BigInteger.ONE));
      }
      known++;
    }
    if (known == 0) {
      return Key.unknown(reason.orElse("the bounds are not known"));
    }
    return least.compareTo(most) > 0
        ? new Key(Set.of(), Optional.empty())
        : new Key(
            pin.locator().shardsOf(least.longValueExact(), most.longValueExact()),
            Optional.empty());
  }

  private static List<KeyValue> values(
      Pin pin, Part part, StatementText text, Parameters parameters) {
    return pin.use() == KeyUse.COMPARED
        ? OperandValue.all(part.operand(), part.column(), text, parameters)
        : List.of(OperandValue.of(part.operand(), part.column(), pin.use(), text, parameters));
  }

  private static List<List<String>> combined(List<List<String>> keys, List<String> values) {
    List<List<String>> longer = new ArrayList<>();
    for (List<String> key : keys) {
      for (String value : values) {
        List<String> next = new ArrayList<>(key);
        next.add(value);
        longer.add(next);
      }
    }
    return longer;
  }

  /** The highest number of a parameter that decides; 0 when none does. */
  public int needs() {
    return pins.stream()
        .flatMap(p -> p.parts().stream())
        .mapToInt(p -> p.operand().parameterNumber())
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

package org.pgconcord.config.topology;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.value.ShardId;

/** Second stage: shard indexes, shard groups, and the two groups that the root names. */
final class LayoutRules {
  private static final Pattern COLUMN = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*");

  private static final ShardGroup STAND_IN =
      new ShardGroup("?", Optional.empty(), List.of(new KeyRange(new ShardId("?"), "", "")));

  private final Document document;
  private final Findings findings;
  private final Map<String, ShardIndex> indexes = new LinkedHashMap<>();
  private final Map<String, ShardGroup> groups = new LinkedHashMap<>();

  private LayoutRules(Document document, Findings findings) {
    this.document = document;
    this.findings = findings;
  }

  static Layout resolve(Document document, Findings findings) {
    LayoutRules rules = new LayoutRules(document, findings);
    document.indexes().forEach(rules::index);
    document.groups().forEach(rules::group);
    return new Layout(
        rules.groups,
        rules.indexes,
        rules.uids(),
        document.indexes().keySet(),
        rules.authoritative(),
        rules.defaultGroup());
  }

  private void index(String name, Document.Index index) {
    List<KeyFunction.Call> parts = columns(index);
    List<String> columns = parts.stream().map(KeyFunction.Call::column).toList();
    List<KeyFunction> functions = parts.stream().map(KeyFunction.Call::function).toList();
    type(index)
        .ifPresent(
            t -> indexes.put(name, new ShardIndex(name, t, columns, functions, index.modulus())));
  }

  private Optional<ShardIndexType> type(Document.Index index) {
    List<String> words = List.of("xxhash", "range", "modulo");
    String path = index.path() + ".type";
    if (!words.contains(index.type())) {
      if (!index.type().isEmpty()) {
        findings.add(
            Rule.INDEX_UNKNOWN_TYPE,
            path,
            "unknown index type \"" + index.type() + "\"" + DidYouMean.hint(index.type(), words));
      }
      return Optional.empty();
    }
    ShardIndexType type = ShardIndexType.valueOf(index.type().toUpperCase(java.util.Locale.ROOT));
    if (!params(index, type)) {
      return Optional.empty();
    }
    if (type != ShardIndexType.XXHASH && index.columns().size() > 1) {
      findings.add(
          Rule.INDEX_COLUMNS, index.path() + ".columns", type.word() + " reads one integer column");
    }
    return Optional.of(type);
  }

  /** Whether the index can be used to read ranges: a modulo without modulus cannot. */
  private boolean params(Document.Index index, ShardIndexType type) {
    String path = index.path() + ".index_params.modulus";
    if (type == ShardIndexType.MODULO) {
      boolean divides = index.modulus().orElse(0) > 0;
      findings.require(divides, Rule.INDEX_MODULUS, path, "modulo needs a modulus above 0");
      return divides;
    }
    findings.require(
        index.modulus().isEmpty(),
        Rule.INDEX_MODULUS,
        path,
        "only an index of type modulo has a modulus");
    return true;
  }

  /** What is no expression of the list counts as a column, so that the rest is checked too. */
  private List<KeyFunction.Call> columns(Document.Index index) {
    String path = index.path() + ".columns";
    List<KeyFunction.Call> parts =
        index.columns().stream()
            .map(
                text ->
                    KeyFunction.call(text)
                        .orElseGet(() -> new KeyFunction.Call(KeyFunction.NONE, text)))
            .toList();
    List<String> columns = parts.stream().map(KeyFunction.Call::column).toList();
    findings.require(!columns.isEmpty(), Rule.INDEX_COLUMNS, path, "no column is named");
    findings.require(
        new HashSet<>(columns).size() == columns.size(),
        Rule.INDEX_COLUMNS,
        path,
        "a column is named twice");
    for (KeyFunction.Call part : parts) {
      boolean ofText = part.function() != KeyFunction.NONE;
      if (!COLUMN.matcher(part.column()).matches()) {
        findings.add(Rule.INDEX_EXPRESSION, path, "the expression \"" + part.column() + "\"");
      } else if (ofText && !index.type().equals(ShardIndexType.XXHASH.word())) {
        findings.add(Rule.INDEX_EXPRESSION, path, "an expression of text gives no integer");
      }
    }
    return parts;
  }

  private void group(Document.Group group) {
    Optional<String> index = group.defaultIndex();
    index
        .filter(name -> !document.indexes().containsKey(name))
        .ifPresent(name -> unknownIndex(group.path() + ".default_shard_index", name));
    List<KeyRange> ranges = RangeRules.resolve(group, index.map(indexes::get), findings);
    if (group.uid().isEmpty() || ranges.isEmpty()) {
      return;
    }
    ShardGroup resolved = new ShardGroup(group.uid(), index, ranges);
    if (groups.putIfAbsent(group.uid(), resolved) != null) {
      findings.add(
          Rule.GROUP_DUPLICATE_UID,
          group.path() + ".uid",
          "another group is named \"" + group.uid() + "\" too");
    }
  }

  private void unknownIndex(String path, String name) {
    findings.add(
        Rule.INDEX_UNKNOWN,
        path,
        "no shard index is named \""
            + name
            + "\""
            + DidYouMean.hint(name, document.indexes().keySet()));
  }

  private ShardGroup authoritative() {
    String path = "$.authoritative_shard_group";
    String uid = document.authoritativeGroup();
    ShardGroup group = groups.get(uid);
    if (group == null) {
      unknownGroup(path, uid);
      return STAND_IN;
    }
    boolean single =
        group.keyRanges().size() == 1
            && group.keyRanges().get(0).start().isEmpty()
            && group.keyRanges().get(0).end().isEmpty();
    findings.require(
        single,
        Rule.TOPOLOGY_AUTHORITATIVE,
        path,
        "the group \"" + uid + "\" has several key ranges or a bound");
    return group;
  }

  private Optional<ShardGroup> defaultGroup() {
    String path = "$.default_shard_group";
    Optional<String> uid = document.defaultGroup();
    uid.filter(u -> !u.equals(document.authoritativeGroup()))
        .ifPresent(
            u ->
                findings.add(
                    Rule.TOPOLOGY_DEFAULT, path, "\"" + u + "\" is not the authoritative group"));
    return uid.map(groups::get);
  }

  private void unknownGroup(String path, String uid) {
    Set<String> uids = uids();
    if (!uid.isEmpty() && !uids.contains(uid)) {
      findings.add(
          Rule.GROUP_UNKNOWN,
          path,
          "no shard group is named \"" + uid + "\"" + DidYouMean.hint(uid, uids));
    }
  }

  private Set<String> uids() {
    return document.groups().stream().map(Document.Group::uid).collect(Collectors.toSet());
  }
}

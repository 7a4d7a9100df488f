package org.pgconcord.config.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.AttachedCode;
import org.pgconcord.config.schema.Reach;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * What the code of users may touch, from the texts of their functions.
 *
 * <h2>Why nothing is overlooked</h2>
 *
 * <p><b>Invariant.</b> A function that reads or writes a relation of a user, itself or by what it
 * calls, has it in its {@link Reach}, or is unseen there.
 *
 * <p>SQL names a relation by its name, and every word of a body is looked at ({@link BodyWords}),
 * whatever it stands for; a name that is put together at run time needs a command or function that
 * runs text, and these are known. What a function calls, by name, operator or cast, is a word or
 * symbol of its body, and its reach is added until nothing changes. Names are taken without schema,
 * so overloads and search paths do not matter: the reach of a name is that of all functions of the
 * name on all shards.
 *
 * <p>Of an IMMUTABLE function PostgreSQL's manual says that it reads no table, and plans by that
 * (it folds calls before a statement runs). That is believed here, too, unless a table's name
 * stands in the body where a query names what it reads: such a function has a wrong label.
 *
 * <p>Not seen: what triggers do on tables that a function writes, and casts by a domain's checks.
 */
final class CodeReach {
  /** The languages whose texts are SQL, or call it by its words; an aggregate's is its parts. */
  private static final Set<String> READ = Set.of("sql", "plpgsql", "aggregate", "internal");

  /** Words that run a text as SQL. */
  private static final Set<String> RUNS_TEXT =
      Set.of(
          "execute",
          "query_to_xml",
          "query_to_xmlschema",
          "query_to_xml_and_xmlschema",
          "cursor_to_xml",
          "cursor_to_xmlschema",
          "table_to_xml",
          "table_to_xmlschema",
          "table_to_xml_and_xmlschema",
          "schema_to_xml",
          "schema_to_xmlschema",
          "schema_to_xml_and_xmlschema",
          "database_to_xml",
          "database_to_xmlschema",
          "database_to_xml_and_xmlschema",
          "ts_rewrite",
          "ts_stat");

  /** Functions in C, of extensions, that do so; those of dblink have names that begin so. */
  private static final Set<String> EXTENSIONS_THAT_RUN_TEXT = Set.of("tablefunc", "xml2", "dblink");

  private static final Set<String> WRITES =
      Set.of("insert", "update", "delete", "merge", "truncate", "copy");

  /** Operators that words of the grammar stand for. */
  private static final Set<String> OF_WORDS =
      Set.of("=", "<>", "<", "<=", ">", ">=", "~", "!~", "~~", "!~~", "~~*", "!~~*");

  private final LogicalDatabase database;
  private final Collection<CodeFacts> shards;
  private final Set<TableName> misplaced;
  private final Map<String, Set<TableName>> relations = new HashMap<>();
  private final Map<String, Node> nodes = new TreeMap<>();

  /** All functions of one name. */
  private static final class Node {
    final Set<String> calls = new HashSet<>();
    boolean everywhere = true;
    boolean code;
    boolean ofRow;
    Reach reach = Reach.EVERYWHERE;
  }

  private CodeReach(
      LogicalDatabase database, Collection<CodeFacts> shards, Set<TableName> misplaced) {
    this.database = database;
    this.shards = shards;
    this.misplaced = misplaced;
    database.tables().keySet().forEach(this::relation);
    shards.forEach(facts -> facts.relations().forEach(this::relation));
    shards.forEach(facts -> facts.functions().forEach(this::function));
    nodes.values().forEach(node -> node.calls.retainAll(nodes.keySet()));
    everywhereTheSame();
    close();
  }

  /**
   * Reads the code of all shards.
   *
   * @param misplaced undeclared relations whose rows are on, or come from, several shards
   */
  static CodeReach of(
      LogicalDatabase database, Collection<CodeFacts> shards, Set<TableName> misplaced) {
    return new CodeReach(database, shards, misplaced);
  }

  private void relation(TableName table) {
    relations.computeIfAbsent(table.name(), name -> new HashSet<>()).add(table);
  }

  // --- one body --------------------------------------------------------------------------------

  private void function(CodeFacts.Function function) {
    if (function.trigger()) {
      return;
    }
    Node node = nodes.computeIfAbsent(function.name(), name -> new Node());
    // An aggregate is labelled so whatever it is made of.
    boolean immutable = function.volatility() == 'i' && !function.language().equals("aggregate");
    node.code |= !function.isCompiled();
    node.ofRow |= !function.isCompiled() && function.ofRow();
    node.everywhere &=
        function.plain() && (immutable || (function.volatility() == 's' && !function.isCompiled()));
    BodyWords words = BodyWords.of(function.body());
    Reach touched = touched(immutable ? words.read() : words.all());
    boolean writes =
        function.volatility() == 'v' && words.all().stream().anyMatch(WRITES::contains);
    Optional<String> unseen = immutable ? Optional.empty() : unseen(function, words);
    node.reach =
        node.reach.with(
            new Reach(
                true,
                touched.spread(),
                touched.onOne(),
                touched.copies(),
                writes ? touched.copies() : Set.of(),
                unseen));
    if (!immutable) {
      node.calls.addAll(words.all());
      shards.forEach(facts -> node.calls.addAll(operatorsAndCasts(facts, function.body())));
    }
  }

  private static Set<String> operatorsAndCasts(CodeFacts facts, String body) {
    Set<String> functions =
        facts.operators().stream()
            .filter(o -> OF_WORDS.contains(o.symbol()) || body.contains(o.symbol()))
            .map(CodeFacts.Operator::function)
            .collect(Collectors.toSet());
    facts.casts().forEach(cast -> functions.add(cast.function()));
    return functions;
  }

  private static Optional<String> unseen(CodeFacts.Function function, BodyWords words) {
    if (function.isCompiled()) {
      boolean own = function.extension().isEmpty() && function.language().equals("c");
      return own
          ? Optional.of("it is written in C")
          : Optional.of("it runs a text as SQL")
              .filter(text -> EXTENSIONS_THAT_RUN_TEXT.contains(function.extension()));
    } else if (!READ.contains(function.language())) {
      return Optional.of("it is written in " + function.language());
    } else if (words.all().stream().anyMatch(CodeReach::runsText)) {
      return Optional.of("it runs a text as SQL");
    } else if (words.escaped()) {
      return Optional.of("it writes names as code points");
    }
    return Optional.of("it names the schema pgconcord")
        .filter(text -> words.all().contains("pgconcord"));
  }

  private static boolean runsText(String word) {
    return RUNS_TEXT.contains(word) || word.startsWith("dblink");
  }

  private Reach touched(Set<String> words) {
    Reach reach = Reach.EVERYWHERE;
    for (String word : words) {
      for (TableName table : relations.getOrDefault(word, Set.of())) {
        reach = reach.with(touched(table));
      }
    }
    return reach;
  }

  private Reach touched(TableName table) {
    Placement placement = database.placement(table);
    boolean declared = database.tables().containsKey(table);
    if (placement instanceof Placement.Reference && declared) {
      return reach(Set.of(), Map.of(), Set.of(table));
    } else if (placement instanceof Placement.Unsharded one
        && (declared || !misplaced.contains(table))) {
      return reach(Set.of(), Map.of(table, one.shard()), Set.of());
    }
    return reach(Set.of(table), Map.of(), Set.of());
  }

  private static Reach reach(
      Set<TableName> spread, Map<TableName, ShardId> onOne, Set<TableName> copies) {
    return new Reach(true, spread, onOne, copies, Set.of(), Optional.empty());
  }

  // --- all of them -----------------------------------------------------------------------------

  /** What one shard has otherwise, or not at all, is not the same everywhere. */
  private void everywhereTheSame() {
    List<Map<String, Set<String>>> definitions = new ArrayList<>();
    for (CodeFacts facts : shards) {
      Map<String, Set<String>> here = new HashMap<>();
      for (CodeFacts.Function f : facts.functions()) {
        here.computeIfAbsent(f.name(), name -> new HashSet<>())
            .add(f.schema() + "(" + f.arguments() + ") " + f.definition());
      }
      definitions.add(here);
    }
    nodes.forEach(
        (name, node) ->
            node.everywhere &=
                definitions.stream()
                        .map(here -> here.getOrDefault(name, Set.of()))
                        .distinct()
                        .count()
                    == 1);
  }

  private void close() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Node node : nodes.values()) {
        Reach before = node.reach;
        for (String called : node.calls) {
          node.reach = node.reach.with(reach(called));
        }
        changed |= !node.reach.equals(before);
      }
    }
    for (Node node : nodes.values()) {
      if (!node.everywhere || !node.reach.touchesNothing()) {
        node.reach = node.reach.notEverywhere();
      }
    }
  }

  /** What routing needs of it. */
  UserCode code() {
    Map<String, Reach> functions = new HashMap<>();
    Map<String, Reach> compiled = new HashMap<>();
    Set<String> ofRow = new HashSet<>();
    nodes.forEach(
        (name, node) -> {
          (node.code ? functions : compiled).put(name, node.reach);
          if (node.ofRow) {
            ofRow.add(name);
          }
        });
    Map<String, Reach> operators = new HashMap<>();
    Map<String, Map<String, Reach>> casts = new HashMap<>();
    for (CodeFacts facts : shards) {
      facts.operators().forEach(o -> add(operators, o.symbol(), o.function()));
      facts
          .casts()
          .forEach(
              c ->
                  add(
                      casts.computeIfAbsent(c.kind(), kind -> new HashMap<>()),
                      c.name(),
                      c.function()));
    }
    return new UserCode(
        functions,
        compiled,
        ofRow,
        operators,
        casts.getOrDefault("cast", Map.of()),
        casts.getOrDefault("explicit cast", Map.of()),
        Optional.ofNullable(casts.getOrDefault("any cast", Map.of()).get("")),
        attached(),
        shards.stream().anyMatch(CodeFacts::defers));
  }

  private void add(Map<String, Reach> uses, String name, String function) {
    Reach reach = reach(function);
    if (!reach.everywhere()) {
      uses.merge(name, reach, Reach::with);
    }
  }

  private Reach reach(String function) {
    Node node = nodes.get(function);
    return node == null ? Reach.NOTHING : node.reach;
  }

  private Reach reach(CodeFacts.Use use) {
    return use.ofRelation() ? touched(use.relation()) : reach(use.function());
  }

  // --- expressions of relations ----------------------------------------------------------------

  private Map<TableName, List<AttachedCode>> attached() {
    Map<TableName, Set<AttachedCode>> attached = new HashMap<>();
    for (CodeFacts facts : shards) {
      for (CodeFacts.Use use : facts.uses()) {
        if (database.tables().containsKey(use.of()) && !reach(use).touchesNothing()) {
          attached
              .computeIfAbsent(use.of(), table -> new HashSet<>())
              .add(
                  new AttachedCode(
                      !use.kind().equals("policy"), described(use), reach(use).notEverywhere()));
        }
      }
    }
    return attached.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                e ->
                    e.getValue().stream()
                        .sorted(java.util.Comparator.comparing(AttachedCode::what))
                        .toList()));
  }

  private static String described(CodeFacts.Use use) {
    return switch (use.kind()) {
      case "view" -> "a rule";
      case "default" -> "the default of column " + use.label();
      case "check" -> "constraint " + use.label();
      default -> use.kind() + " " + use.label();
    };
  }

  /**
   * Undeclared relations whose own query or policies read rows that are not all on their shard, by
   * themselves or by functions.
   */
  Set<TableName> readers() {
    Set<TableName> readers = new HashSet<>();
    boolean changed = true;
    while (changed) {
      changed = false;
      for (CodeFacts facts : shards) {
        for (CodeFacts.Use use : facts.uses()) {
          boolean reads = Set.of("view", "policy").contains(use.kind());
          if (reads && !database.tables().containsKey(use.of()) && isBeyond(use, readers)) {
            changed |= readers.add(use.of());
          }
        }
      }
    }
    return readers;
  }

  private boolean isBeyond(CodeFacts.Use use, Set<TableName> readers) {
    if (use.ofRelation()) {
      return readers.contains(use.relation())
          || !isOn(touched(use.relation()), database.placement(use.of()));
    }
    return !isOn(reach(use.function()), database.placement(use.of()));
  }

  /** Whatever it touches is whole where the relation is. */
  private boolean isOn(Reach reach, Placement placement) {
    return placement instanceof Placement.Unsharded one
        && reach.spread().isEmpty()
        && reach.unseen().isEmpty()
        && reach.onOne().values().stream().allMatch(one.shard()::equals)
        && reach.copies().stream()
            .allMatch(t -> TopologyCheck.shardsOf(database.placement(t)).contains(one.shard()));
  }
}

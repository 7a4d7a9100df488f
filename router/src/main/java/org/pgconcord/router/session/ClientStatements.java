package org.pgconcord.router.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;

/** The prepared statements and portals of one client, by the rules of the protocol. */
final class ClientStatements {
  private static final int MAX = 20_000;

  /** How far a portal has come. */
  enum PortalState {
    NEW,
    SUSPENDED,
    DONE
  }

  /** A portal with its progress. */
  static final class PortalEntry {
    final ClientPortal portal;
    PortalState state = PortalState.NEW;
    boolean returnsRows;

    PortalEntry(ClientPortal portal) {
      this.portal = portal;
    }
  }

  private final Map<String, ClientStatement> statements = new HashMap<>();
  private final Map<String, ParameterTypes> described = new HashMap<>();
  private final Map<String, RowDescription> columns = new HashMap<>();
  private final Set<String> changedTexts = new HashSet<>();
  private final Map<String, PortalEntry> portals = new HashMap<>();

  /** Why a Parse of this name cannot be; an unnamed statement is simply replaced. */
  Optional<ErrorFields> refuseParse(String name) {
    if (!name.isEmpty() && statements.containsKey(name)) {
      return Optional.of(SessionErrors.duplicateStatement(name));
    }
    return statements.size() >= MAX
        ? Optional.of(SessionErrors.tooManyStatements(MAX))
        : Optional.empty();
  }

  void put(ClientStatement statement) {
    statements.put(statement.name(), statement);
    described.remove(statement.name());
    columns.remove(statement.name());
  }

  @Nullable ClientStatement statement(String name) {
    return statements.get(name);
  }

  /** The server has told the types of the statement's parameters. */
  void describe(ClientStatement statement, ParameterTypes types) {
    if (statement.equals(statements.get(statement.name()))) {
      described.put(statement.name(), types);
    }
  }

  /** The client has been told the columns of a statement that it has named. */
  void told(ClientStatement statement, RowDescription result) {
    if (statement.named() && statement.equals(statements.get(statement.name()))) {
      columns.put(statement.name(), result);
      if (!changedTexts.isEmpty() && alike(statement.sql(), result)) {
        changedTexts.remove(statement.sql());
      }
    }
  }

  /** All that the client has prepared of this text it knows by these columns. */
  private boolean alike(String sql, RowDescription result) {
    return statements.values().stream()
        .filter(statement -> statement.sql().equals(sql))
        .allMatch(statement -> columns.getOrDefault(statement.name(), result).sameColumns(result));
  }

  /** A statement has failed since its columns changed: as long as the client keeps it, it fails. */
  void changed(ClientStatement statement) {
    changedTexts.add(statement.sql());
  }

  boolean doubtful(ClientStatement statement) {
    return changedTexts.contains(statement.sql());
  }

  /** What it was told last, if anything. */
  Optional<RowDescription> columns(ClientStatement statement) {
    return statement.equals(statements.get(statement.name()))
        ? Optional.ofNullable(columns.get(statement.name()))
        : Optional.empty();
  }

  /** The best known types of the statement's parameters. */
  ParameterTypes types(ClientStatement statement) {
    return statement.equals(statements.get(statement.name()))
        ? described.getOrDefault(statement.name(), statement.types())
        : statement.types();
  }

  void closeStatement(String name) {
    statements.remove(name);
    described.remove(name);
    columns.remove(name);
  }

  /** All but the unnamed one; portals live on. */
  void closeNamed() {
    statements.keySet().removeIf(name -> !name.isEmpty());
    described.keySet().removeIf(name -> !name.isEmpty());
    columns.keySet().removeIf(name -> !name.isEmpty());
  }

  Optional<ErrorFields> refusePortal(String name) {
    if (!name.isEmpty() && portals.containsKey(name)) {
      return Optional.of(SessionErrors.duplicatePortal(name));
    }
    return portals.size() >= MAX
        ? Optional.of(SessionErrors.tooManyStatements(MAX))
        : Optional.empty();
  }

  /** Adds the portal; returns the one it replaces, if any. */
  @Nullable PortalEntry put(PortalEntry entry) {
    return portals.put(entry.portal.name(), entry);
  }

  @Nullable PortalEntry portal(String name) {
    return portals.get(name);
  }

  @Nullable PortalEntry closePortal(String name) {
    return portals.remove(name);
  }

  /** The transaction is over: its portals are gone. Returns those that were suspended. */
  List<ClientPortal> closePortals() {
    List<ClientPortal> suspended = new ArrayList<>();
    for (PortalEntry entry : portals.values()) {
      if (entry.state == PortalState.SUSPENDED) {
        suspended.add(entry.portal);
      }
    }
    portals.clear();
    return suspended;
  }

  void clear() {
    statements.clear();
    described.clear();
    columns.clear();
    changedTexts.clear();
    portals.clear();
  }
}

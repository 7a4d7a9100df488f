package org.pgconcord.router.session;

import java.util.Optional;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * A statement with its parameters. The identity of the object is the identity of the portal: the
 * runner may keep what it needs to continue a suspended one under it, until {@link
 * StatementRunner#closePortal}.
 */
public final class ClientPortal {
  private final String name;
  private final ClientStatement statement;
  private final Parameters parameters;
  private final ParameterTypes types;
  private final Optional<RowDescription> columns;
  private final boolean doubtful;

  /** {@code types}: what is known of the parameters' types, by declaration or description. */
  public ClientPortal(
      String name, ClientStatement statement, Parameters parameters, ParameterTypes types) {
    this(name, statement, parameters, types, Optional.empty(), false);
  }

  /**
   * A portal of a statement of the client's.
   *
   * @param columns what the client has been told of the statement's result
   * @param doubtful they are not known to be those of today's result
   */
  ClientPortal(
      String name,
      ClientStatement statement,
      Parameters parameters,
      ParameterTypes types,
      Optional<RowDescription> columns,
      boolean doubtful) {
    this.name = name;
    this.statement = statement;
    this.parameters = parameters;
    this.types = types;
    this.columns = columns;
    this.doubtful = doubtful;
  }

  public boolean doubtful() {
    return doubtful;
  }

  public Optional<RowDescription> columns() {
    return columns;
  }

  public String name() {
    return name;
  }

  public ClientStatement statement() {
    return statement;
  }

  public Parameters parameters() {
    return parameters;
  }

  public ParameterTypes types() {
    return types;
  }
}

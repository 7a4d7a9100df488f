package org.pgconcord.router.session;

import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

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

  /** {@code types}: what is known of the parameters' types, by declaration or description. */
  public ClientPortal(
      String name, ClientStatement statement, Parameters parameters, ParameterTypes types) {
    this.name = name;
    this.statement = statement;
    this.parameters = parameters;
    this.types = types;
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

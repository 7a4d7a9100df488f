package org.pgconcord.router.exec;

import org.pgconcord.router.plan.ParameterValue;
import org.pgconcord.router.plan.Parameters;
import org.pgconcord.router.session.ClientPortal;

/** A portal's parameters as plans see them. */
record BoundParameters(ClientPortal portal) implements Parameters {
  @Override
  public int count() {
    return portal.parameters().count();
  }

  @Override
  public ParameterValue value(int number) {
    int index = number - 1;
    return new ParameterValue(
        portal.types().oid(index),
        portal.parameters().binary(index),
        portal.parameters().value(index));
  }
}

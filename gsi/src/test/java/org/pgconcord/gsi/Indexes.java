package org.pgconcord.gsi;

import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** The index of the examples, resolved. */
final class Indexes {
  private Indexes() {}

  static LookupIndex byEmail(boolean ignoreNull) {
    DeclaredIndex declared = UsersByEmail.declared(ignoreNull);
    return LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
  }
}

package org.pgconcord.cdc.apply;

import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** The index of the examples, resolved. */
final class Indexes {
  static final String CREATE_USERS = UsersByEmail.table(true);

  private Indexes() {}

  static LookupIndex byEmail() {
    DeclaredIndex declared = UsersByEmail.declared(true);
    return LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
  }
}

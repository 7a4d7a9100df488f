package org.pgconcord.cdc.apply;

import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
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

  /** Its lookup table over both shards, by the hash of the email. */
  static LookupIndex sharded() {
    DeclaredIndex declared = UsersByEmail.declared(true, true);
    return LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
  }

  /** The same under another name, over the same lookup table. */
  static LookupIndex named(String name) {
    DeclaredIndex declared = UsersByEmail.declared(true);
    Gsi gsi = declared.gsi();
    Gsi renamed =
        new Gsi(
            new GsiName(gsi.name().database(), name),
            gsi.lookup(),
            gsi.owner(),
            gsi.columns(),
            gsi.ownerShardKey(),
            gsi.ownerPrimaryKey(),
            gsi.unique(),
            gsi.ignoreNull(),
            gsi.wishEnabled());
    return LookupIndex.resolve(declared.topology(), declared.owner(), renamed);
  }
}

package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;

/** Where the rows of a {@link Plan.CopyByInsert} are stored, and what else that changes. */
public sealed interface CopyInto {

  /** Each row on its shard, with its entries. */
  record Owner(ShardGroup group, CopyTarget target, EntryWork entries) implements CopyInto {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.owner(this);
    }
  }

  /** All rows on the leading copy, and then on the others. */
  record Copies(CopiedTable table, ShardId leader, List<ShardId> others, CopyWork work)
      implements CopyInto {
    public Copies {
      others = List.copyOf(others);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copies(this);
    }
  }

  <R> R match(Cases<R> cases);

  /** One answer per kind. */
  interface Cases<R> {
    R owner(Owner into);

    R copies(Copies into);
  }
}

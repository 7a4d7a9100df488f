package org.pgconcord.daemon.build;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.GsiStep;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.RouterEpochs;

/**
 * Steps the catalog and makes this process's router follow at once, instead of a poll later. Other
 * routers follow by themselves; {@link FenceSteps} waits for all. Any thread.
 */
public final class RoutingPublisher {
  private final Catalog catalog;
  private final RoutingStates states;
  private final RouterEpochs epochs;
  private final List<UnstoredMark> unstored = new ArrayList<>();

  public RoutingPublisher(Catalog catalog, RoutingStates states, RouterEpochs epochs) {
    this.catalog = catalog;
    this.states = states;
    this.epochs = epochs;
  }

  /** What the router works under now. */
  public RoutingState current() {
    return epochs.current();
  }

  /** Reads catalog and schemas anew and hands them to the router. */
  public RoutingState reload() {
    RoutingState state = states.load();
    publish(state);
    return state;
  }

  /** Reads the catalog anew, over the schemas that are known. */
  public void readCatalog() {
    publish(states.loadOver(current()));
  }

  /** Hands a state to the router, with the marks that the catalog does not have yet. */
  public synchronized void publish(RoutingState state) {
    epochs.publish(unstored.isEmpty() ? state : state.withCopies(withUnstored(state.copies())));
  }

  /** Hands the stored marks to the router, whatever else may have changed. */
  void publishMarks() {
    CopyMarks marks = catalog.load().copies();
    synchronized (this) {
      publish(epochs.current().withCopies(marks));
    }
  }

  /** A mark that the router acts on from now on, though the catalog does not have it. */
  synchronized void addUnstored(UnstoredMark mark) {
    unstored.add(mark);
    publish(epochs.current());
  }

  /** The catalog has it now; the next state comes from there. */
  synchronized void removeUnstored(UnstoredMark mark) {
    unstored.remove(mark);
  }

  /** The catalog has every mark that this router acts on. */
  public synchronized boolean everyMarkStored() {
    return unstored.isEmpty();
  }

  private CopyMarks withUnstored(CopyMarks stored) {
    CopyMarks marks = stored;
    for (UnstoredMark mark : unstored) {
      marks = marks.with(mark.table(), mark.shards(), mark.reason());
    }
    return marks;
  }

  /** A mark on its way to the catalog. */
  record UnstoredMark(CopiedTable table, Set<ShardId> shards, String reason) {
    UnstoredMark {
      shards = Set.copyOf(shards);
    }
  }

  public CatalogState stored() {
    return catalog.load();
  }

  /** The declaration in the applied document. */
  public Gsi declared(GsiName gsi) {
    return current()
        .topology()
        .gsi(gsi)
        .orElseThrow(() -> new IllegalStateException(gsi + " is not declared any more"));
  }

  /** The index's part in this. */
  StepTaker steps(GsiName gsi) {
    return new StepTaker() {
      @Override
      public GsiStatus status() {
        return stored().status(gsi);
      }

      @Override
      public GsiStatus take(GsiStep step) {
        GsiStatus taken = catalog.step(step);
        reload();
        return taken;
      }
    };
  }

  /** Waits until no transaction or portal of an older revision than the current is open. */
  boolean awaitDrained(Duration limit) throws InterruptedException {
    return epochs.awaitDrained(epochs.current().revision(), limit);
  }
}

package org.pgconcord.daemon.build;

import java.time.Duration;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.GsiStep;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.router.tx.RouterEpochs;

/**
 * Steps the catalog and makes this process's router follow at once, instead of a poll later. With
 * one daemon its router is the only one, so its drain is the drain. Any thread.
 */
public final class RoutingPublisher {
  private final Catalog catalog;
  private final RoutingStates states;
  private final RouterEpochs epochs;

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
    epochs.publish(state);
    return state;
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

package org.pgconcord.cdc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.ChangeListener;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;

/** A listener that keeps what it hears. */
public class Collector implements ChangeListener {
  private final List<SourceTransaction> transactions = new ArrayList<>();
  private final List<RowChange> changes = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private @Nullable Throwable end;
  private boolean ended;

  @Override
  public synchronized void transaction(SourceTransaction transaction) throws InterruptedException {
    transactions.add(transaction);
    transaction.changes().forEach(changes::add);
    transaction.changes().close();
  }

  @Override
  public synchronized void message(Message message) {
    messages.add(message);
  }

  @Override
  public synchronized void ended(@Nullable Throwable cause) {
    ended = true;
    end = cause;
  }

  public synchronized List<SourceTransaction> transactions() {
    return List.copyOf(transactions);
  }

  public synchronized List<RowChange> changes() {
    return List.copyOf(changes);
  }

  public synchronized List<Message> messages() {
    return List.copyOf(messages);
  }

  public synchronized boolean hasEnded() {
    return ended;
  }

  public synchronized @Nullable Throwable end() {
    return end;
  }

  /** The end of what was heard: the greatest position of a transaction or message. */
  public synchronized Lsn position() {
    Lsn last = Lsn.ZERO;
    for (SourceTransaction transaction : transactions) {
      last = last.isBefore(transaction.commitLsn()) ? transaction.commitLsn() : last;
    }
    for (Message message : messages) {
      last = last.isBefore(message.lsn()) ? message.lsn() : last;
    }
    return last;
  }
}

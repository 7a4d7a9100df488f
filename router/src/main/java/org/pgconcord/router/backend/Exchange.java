package org.pgconcord.router.backend;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.BackendRequest.Extended;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendFrames;

/**
 * One request on its way: writes its messages and hands the answers to its listener. It also keeps
 * {@link PreparedNames} true: a Parse counts when it is confirmed, and a statement that the server
 * can no longer run as prepared is parsed anew next time.
 */
final class Exchange {
  private final BackendRequest request;
  private final BackendListener listener;
  private final PreparedNames names;
  private final Deque<Preparation> before = new ArrayDeque<>();
  private Preparation preparation = new Preparation();

  /** What is known of one statement's Parse. */
  private static final class Preparation {
    PreparedNames.@Nullable Key key;
    @Nullable String parsing;
  }

  private boolean copying;

  Exchange(BackendRequest request, BackendListener listener, PreparedNames names) {
    this.request = request;
    this.listener = listener;
    this.names = names;
  }

  BackendListener listener() {
    return listener;
  }

  /** The server waits for data. */
  boolean copying() {
    return copying;
  }

  void copying(boolean now) {
    copying = now;
  }

  /** A COPY swallows the Sync that was sent with it, so its refusal needs another. */
  boolean extended() {
    return !(request instanceof BackendRequest.Query) && !begins();
  }

  /** It begins a transaction that what follows needs. */
  boolean begins() {
    return request instanceof BackendRequest.Begin;
  }

  void write(ByteBuf out) {
    if (request instanceof BackendRequest.Query query) {
      FrontendFrames.query(out, query.sql());
      return;
    }
    if (request instanceof BackendRequest.Begin begin) {
      FrontendFrames.query(out, begin.sql());
      return;
    }
    names.takeToClose().forEach(name -> FrontendFrames.close(out, 'S', name));
    if (request instanceof Extended extended) {
      writeExtended(out, extended);
    } else if (request instanceof BackendRequest.Fenced fenced) {
      writeBefore(out, fenced.before());
      writeExtended(out, fenced.statement());
    } else if (request instanceof BackendRequest.DescribeStatement describe) {
      PreparedNames.Key wanted = new PreparedNames.Key(describe.sql(), describe.types());
      FrontendFrames.describe(out, 'S', prepare(out, wanted, describe.named()));
    } else if (request instanceof BackendRequest.Open open) {
      PreparedNames.Key wanted = new PreparedNames.Key(open.sql(), open.types());
      FrontendFrames.bind(out, open.portal(), prepare(out, wanted, false), open.parameters());
      FrontendFrames.describe(out, 'P', open.portal());
    } else if (request instanceof BackendRequest.Continue more) {
      FrontendFrames.execute(out, more.portal(), more.maxRows());
    } else if (request instanceof BackendRequest.DescribePortal describe) {
      FrontendFrames.describe(out, 'P', describe.portal());
    } else if (request instanceof BackendRequest.ClosePortal close) {
      FrontendFrames.close(out, 'P', close.portal());
    }
    FrontendFrames.sync(out);
  }

  /** Each is parsed here when the server does not have it, equal ones once. */
  private void writeBefore(ByteBuf out, List<Extended> statements) {
    Map<PreparedNames.Key, String> parsedHere = new HashMap<>();
    for (Extended statement : statements) {
      PreparedNames.Key wanted = new PreparedNames.Key(statement.sql(), statement.types());
      String known = parsedHere.get(wanted);
      String name = known == null ? prepare(out, wanted, true) : known;
      parsedHere.put(wanted, name);
      FrontendFrames.bind(out, "", name, statement.parameters());
      FrontendFrames.execute(out, "", 0);
      before.add(preparation);
      preparation = new Preparation();
    }
  }

  private void writeExtended(ByteBuf out, Extended extended) {
    PreparedNames.Key wanted = new PreparedNames.Key(extended.sql(), extended.types());
    String name = prepare(out, wanted, extended.named());
    FrontendFrames.bind(out, extended.portal(), name, extended.parameters());
    if (extended.describe()) {
      FrontendFrames.describe(out, 'P', extended.portal());
    }
    FrontendFrames.execute(out, extended.portal(), extended.maxRows());
  }

  /** Writes a Parse when one is needed; the name to bind. */
  private String prepare(ByteBuf out, PreparedNames.Key wanted, boolean named) {
    if (named) {
      preparation.key = wanted;
      Optional<String> known = names.find(wanted);
      if (known.isPresent()) {
        return known.get();
      }
    }
    String name = named ? names.propose() : "";
    preparation.parsing = name;
    FrontendFrames.parse(out, name, wanted.sql(), wanted.types());
    return name;
  }

  /** Every answer but ReadyForQuery and what is not an answer. */
  void answer(Frame frame) {
    if (before.isEmpty()) {
      answerStatement(frame);
    } else {
      answerBefore(before.element(), frame);
    }
  }

  /** Of what goes before, only a failure is anybody's. */
  private void answerBefore(Preparation current, Frame frame) {
    switch (frame.type()) {
      case BackendType.PARSE_COMPLETE -> parsed(current);
      case BackendType.COMMAND_COMPLETE -> before.remove();
      case BackendType.ERROR_RESPONSE -> {
        failed(current, frame);
        before.clear();
        listener.fenced(frame);
      }
      default -> {
        // BindComplete, and a row that says nothing.
      }
    }
  }

  private void answerStatement(Frame frame) {
    switch (frame.type()) {
      case BackendType.DATA_ROW -> listener.rows(frame);
      case BackendType.ROW_DESCRIPTION -> listener.rowDescription(frame);
      case BackendType.NO_DATA -> listener.noData();
      case BackendType.COMMAND_COMPLETE -> listener.complete(frame);
      case BackendType.EMPTY_QUERY_RESPONSE -> listener.emptyQuery();
      case BackendType.PORTAL_SUSPENDED -> listener.suspended();
      case BackendType.PARAMETER_DESCRIPTION -> listener.parameterDescription(frame);
      case BackendType.PARSE_COMPLETE -> parsed(preparation);
      case BackendType.BIND_COMPLETE -> listener.bound();
      case BackendType.COPY_DATA -> listener.copyData(frame);
      case BackendType.COPY_DONE -> listener.copyDone();
      case BackendType.ERROR_RESPONSE -> {
        copying = false;
        failed(preparation, frame);
        listener.error(frame);
      }
      default -> {
        // CloseComplete: nobody waits for it.
      }
    }
  }

  private void parsed(Preparation done) {
    if (done.key != null && done.parsing != null) {
      names.confirm(done.key, done.parsing);
    }
    done.parsing = null;
  }

  private void failed(Preparation at, Frame frame) {
    if (at.key != null
        && at.parsing == null
        && staleStatement(ErrorFields.read(frame).sqlState())) {
      names.forget(at.key);
    }
  }

  /** The table has changed under the plan (0A000), or the statement is gone (26000). */
  private static boolean staleStatement(String sqlState) {
    return sqlState.equals("0A000") || sqlState.equals("26000");
  }
}

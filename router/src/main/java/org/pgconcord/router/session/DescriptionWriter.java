package org.pgconcord.router.session;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;

/**
 * Writes a statement's description: for Describe of a statement as the shard gave it; for Describe
 * of a portal without the parameters and with the formats that its Bind asked for; or not at all,
 * when only the verdict counts.
 */
final class DescriptionWriter {
  private final ClientOutput out;
  private final @Nullable ClientPortal portal;
  private final boolean silent;
  private @Nullable ParameterTypes types;
  private @Nullable RowDescription columns;

  /** {@code portal} is null to describe the statement itself. */
  DescriptionWriter(ClientOutput out, @Nullable ClientPortal portal) {
    this(out, portal, false);
  }

  private DescriptionWriter(ClientOutput out, @Nullable ClientPortal portal, boolean silent) {
    this.out = out;
    this.portal = portal;
    this.silent = silent;
  }

  static DescriptionWriter silent(ClientOutput out) {
    return new DescriptionWriter(out, null, true);
  }

  /** The parameters' types, once described. */
  Optional<ParameterTypes> parameterTypes() {
    return Optional.ofNullable(types);
  }

  /** The columns, once the client has been told of them. */
  Optional<RowDescription> columns() {
    return Optional.ofNullable(columns);
  }

  /** Writes here; errors and the end go through {@code sink}. */
  DescribeSink into(CallSink sink) {
    return new Into(sink);
  }

  private final class Into implements DescribeSink {
    private final CallSink sink;

    Into(CallSink sink) {
      this.sink = sink;
    }

    @Override
    public void parameterDescription(Frame frame) {
      sink.bound();
      types = readTypes(frame.body());
      if (!silent && portal == null) {
        out.pass(frame);
      }
    }

    @Override
    public void rowDescription(Frame frame) {
      sink.bound();
      if (silent) {
        return;
      }
      columns = RowDescription.read(frame);
      out.pass(portal == null ? frame : withFormats(frame, portal));
    }

    @Override
    public void noData() {
      sink.bound();
      if (!silent) {
        out.write(b -> BackendFrames.empty(b, BackendType.NO_DATA));
      }
    }

    @Override
    public void notice(Frame frame) {
      sink.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      sink.error(frame);
    }

    @Override
    public void error(ErrorFields fields) {
      sink.error(fields);
    }

    @Override
    public void done() {
      sink.done();
    }
  }

  private static ParameterTypes readTypes(ByteBuf body) {
    int[] oids = new int[body.readUnsignedShort()];
    for (int i = 0; i < oids.length; i++) {
      oids[i] = body.readInt();
    }
    return new ParameterTypes(oids);
  }

  private static Frame withFormats(Frame frame, ClientPortal portal) {
    List<RowDescription.Field> fields = new ArrayList<>();
    List<RowDescription.Field> described = RowDescription.read(frame).fields();
    for (int i = 0; i < described.size(); i++) {
      fields.add(described.get(i).withFormat(portal.parameters().resultFormat(i)));
    }
    return new RowDescription(fields).toFrame();
  }
}

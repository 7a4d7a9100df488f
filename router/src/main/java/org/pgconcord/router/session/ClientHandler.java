package org.pgconcord.router.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendEvents;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.BackendTarget;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.SessionBackends;
import org.pgconcord.router.backend.SettingsRecorder;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendReader;
import org.pgconcord.router.wire.TransactionStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shell of one logged-in client: puts its parts together and carries bytes between the channel
 * and the {@link ClientSession}, which decides. All on the channel's event loop, on which the
 * session's backends live too.
 */
final class ClientHandler extends ChannelInboundHandlerAdapter
    implements SessionContext, BackendEvents {
  private static final Logger LOG = LoggerFactory.getLogger(ClientHandler.class);

  /** Service backends print values the same way whatever the servers' defaults are. */
  private static final Map<String, String> SERVICE_SETTINGS =
      Map.of(
          "application_name", "pgconcord",
          "DateStyle", "ISO",
          "IntervalStyle", "postgres",
          "TimeZone", "UTC",
          "extra_float_digits", "1",
          "bytea_output", "hex",
          "search_path", "");

  private final Channel channel;
  private final SessionServices services;
  private final Login login;
  private final long id;
  private final ClientOutput out;
  private final SessionBackends backends;
  private final TrackedSettings settings;
  private final CancelKeys.Key cancelKey;
  private final ClientSession session;
  private boolean greeted;

  ClientHandler(Channel channel, SessionServices services, Login login, ShardId home) {
    this.channel = channel;
    this.services = services;
    this.login = login;
    this.id = services.random().nextLong(Long.MAX_VALUE);
    this.out = new ClientOutput(channel);
    SettingsRecorder recorder = new SettingsRecorder();
    this.backends =
        new SessionBackends(
            channel.eventLoop(), home, services.connector(), this::target, this, recorder);
    this.settings = new TrackedSettings(recorder, backends, this::discarded);
    this.session =
        new ClientSession(
            out, services.runners().create(this), services.metrics(), out::flushAndClose);
    this.cancelKey = services.sessions().register(this);
    services.metrics().sessionOpened();
  }

  private BackendTarget target(ShardId shard, BackendRole role) {
    StartupParameters startup = login.startup();
    return role.service()
        ? new BackendTarget(
            shard,
            role,
            startup.database(),
            services.serviceUser(),
            services.serviceSecret(),
            SERVICE_SETTINGS)
        : new BackendTarget(
            shard, role, startup.database(), startup.user(), login.secret(), startup.forBackends());
  }

  @Override
  public boolean deallocate(String statement) {
    return session.deallocate(statement);
  }

  @Override
  public void deallocateAll() {
    session.deallocateAll();
  }

  private void discarded() {
    session.discard();
  }

  // --- login -----------------------------------------------------------------------------------

  /** Opens the home backend, which says whether role, database and settings are good. */
  CompletableFuture<?> connect() {
    return backends
        .acquire(backends.home(), BackendRole.CLIENT)
        .thenCompose(settings::start)
        .thenRun(this::greet);
  }

  private void greet() {
    out.write(BackendFrames::authenticationOk);
    backends
        .homeParameters()
        .forEach((name, value) -> out.write(b -> BackendFrames.parameterStatus(b, name, value)));
    out.write(b -> BackendFrames.backendKeyData(b, cancelKey.processId(), cancelKey.secret()));
    out.write(b -> BackendFrames.readyForQuery(b, TransactionStatus.IDLE));
    greeted = true;
    out.flush();
    LOG.debug("session opened id={} user={} database={}", id, user(), database());
  }

  // --- from the client -------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Frame frame = (Frame) message;
    try {
      session.receive(FrontendReader.read(frame), frame.length());
    } finally {
      frame.release();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    backends.reading(channel.isWritable());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable error) {
    Throwable root = error.getCause() instanceof ConcordException inner ? inner : error;
    if (root instanceof ConcordException known) {
      out.write(b -> BackendFrames.error(b, ErrorFields.of("FATAL", known)));
    } else if (!(error instanceof java.io.IOException)) {
      LOG.error("session ended by a bug id={}", id, error);
      ConcordException bug = ErrorCode.INTERNAL.because("The session met a bug of the router.");
      out.write(b -> BackendFrames.error(b, ErrorFields.of("FATAL", bug)));
    }
    out.flushAndClose();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    services.sessions().remove(this, cancelKey);
    services.metrics().sessionClosed();
    session.closed();
    backends.close();
    out.release();
    LOG.debug("session closed id={}", id);
  }

  // --- from the backends -----------------------------------------------------------------------

  @Override
  public void parameterStatus(BackendConnection connection, String name, String value) {
    boolean home = connection.shard().equals(backends.home());
    if (greeted && home && connection.role() == BackendRole.CLIENT) {
      out.write(b -> BackendFrames.parameterStatus(b, name, value));
    }
  }

  @Override
  public void notification(BackendConnection connection, Frame frame) {
    if (greeted && connection.role() == BackendRole.CLIENT) {
      out.pass(frame);
    }
  }

  @Override
  public void homeLost() {
    session.homeLost();
  }

  @Override
  public void idleTooLong(ErrorFields fatal) {
    session.idleTooLong(fatal);
  }

  @Override
  public void readComplete() {
    if (greeted) {
      out.flush();
    }
  }

  // --- from other threads ----------------------------------------------------------------------

  /** Runs {@code then} when the cancel has been passed on. */
  void cancel(Runnable then) {
    channel
        .eventLoop()
        .execute(
            () -> {
              session.cancel();
              then.run();
            });
  }

  void stopWhenIdle() {
    channel.eventLoop().execute(session::stopWhenIdle);
  }

  void stop() {
    channel.eventLoop().execute(session::stop);
  }

  // --- what the runner may ask -----------------------------------------------------------------

  @Override
  public long id() {
    return id;
  }

  @Override
  public String database() {
    return login.startup().database();
  }

  @Override
  public String user() {
    return login.startup().user();
  }

  @Override
  public Backends backends() {
    return backends;
  }

  @Override
  public SessionSettings settings() {
    return settings;
  }

  @Override
  public ScheduledExecutorService loop() {
    return channel.eventLoop();
  }
}

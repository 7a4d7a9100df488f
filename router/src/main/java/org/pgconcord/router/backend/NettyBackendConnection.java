package org.pgconcord.router.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendFrames;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A logged-in connection. Answers are paired with requests by order alone: each request is written
 * so that it ends with exactly one ReadyForQuery, whatever goes wrong in it.
 *
 * <p>A cancel request travels on a connection of its own and hits whatever the backend runs when it
 * arrives. So from {@link #cancel} until the server has closed that other connection nothing new is
 * written here: a late cancel finds the statement it was meant for, or nothing. It must not find a
 * BEGIN, behind which the statement has been sent already and would commit by itself: a cancel
 * waits until that is answered.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is heard
final class NettyBackendConnection extends ChannelInboundHandlerAdapter
    implements BackendConnection {
  private static final int PREPARED_MAX = 200;

  /** idle_in_transaction_session_timeout and transaction_timeout. */
  private static final Set<String> TRANSACTION_TIMEOUTS = Set.of("25P03", "25P04");

  private final BackendTarget target;
  private final Channel channel;
  private final BackendEvents events;
  private final Canceller canceller;
  private final BackendLogin login;
  private final SocketAddress server;
  private final Map<String, String> parameters = new TreeMap<>();
  private final PreparedNames names = new PreparedNames(PREPARED_MAX);
  private final Deque<Exchange> sent = new ArrayDeque<>();
  private final Deque<Exchange> held = new ArrayDeque<>();
  private TransactionStatus status = TransactionStatus.IDLE;
  private long heardNanos = System.nanoTime();
  private int cancelsUnderWay;
  private boolean cancelWhenBegun;
  private boolean flushPlanned;
  private @Nullable ConcordException cause;
  private @Nullable ServerIdentity identity;
  private Supplier<Traffic> traffic = () -> Traffic.NONE;

  /** Sends the cancel request of a backend; the future completes when the server has closed it. */
  interface Canceller {
    CompletableFuture<Void> cancel(SocketAddress server, int processId, byte[] secret);
  }

  NettyBackendConnection(
      BackendTarget target,
      Channel channel,
      BackendEvents events,
      Canceller canceller,
      BackendLogin login) {
    this.target = target;
    this.channel = channel;
    this.events = events;
    this.canceller = canceller;
    this.login = login;
    this.parameters.putAll(login.parameters());
    this.server = channel.remoteAddress();
  }

  // --- requests ------------------------------------------------------------------------------

  @Override
  public void send(BackendRequest request, BackendListener listener) {
    if (!open()) {
      listener.lost(lostCause());
      return;
    }
    Exchange exchange = new Exchange(request, traffic.get().sent(this, request, listener), names);
    if (cancelsUnderWay > 0 || cancelWhenBegun) {
      held.add(exchange);
    } else {
      write(exchange);
    }
  }

  private void write(Exchange exchange) {
    ByteBuf out = channel.alloc().buffer();
    exchange.write(out);
    if (sent.isEmpty()) {
      heardNanos = System.nanoTime();
    }
    sent.add(exchange);
    writeSoon(out);
  }

  private void writeSoon(ByteBuf out) {
    channel.write(out, channel.voidPromise());
    if (!flushPlanned) {
      flushPlanned = true;
      channel.eventLoop().execute(this::flush);
    }
  }

  private void flush() {
    flushPlanned = false;
    channel.flush();
  }

  @Override
  public CompletableFuture<QueryResult> query(String sql, List<@Nullable String> values) {
    Parameters bound = values.isEmpty() ? Parameters.none() : Parameters.textValues(values);
    return query(BackendRequest.Extended.of(sql, ParameterTypes.NONE, bound));
  }

  @Override
  public CompletableFuture<QueryResult> query(BackendRequest request) {
    CollectingListener collecting = new CollectingListener(shard());
    send(request, collecting);
    return collecting.result();
  }

  @Override
  public void cancel() {
    if (!open() || sent.isEmpty()) {
      return;
    }
    if (sent.stream().anyMatch(Exchange::begins)) {
      cancelWhenBegun = true;
      return;
    }
    // A server that waits for data hears of a cancel only with the next of it.
    copyFail("canceling statement due to user request");
    cancelsUnderWay++;
    canceller
        .cancel(channel.remoteAddress(), login.processId(), login.cancelSecret())
        .whenComplete((done, failed) -> channel.eventLoop().execute(this::cancelEnded));
  }

  private void cancelEnded() {
    cancelsUnderWay--;
    writeHeld();
  }

  private void writeHeld() {
    while (cancelsUnderWay == 0 && !cancelWhenBegun && !held.isEmpty() && open()) {
      write(held.remove());
    }
  }

  /** Now nothing that runs here runs outside of its transaction. */
  private void begun() {
    if (cancelWhenBegun && sent.stream().noneMatch(Exchange::begins)) {
      cancelWhenBegun = false;
      cancel();
      writeHeld();
    }
  }

  @Override
  public boolean hasPrepared(String sql, ParameterTypes types) {
    return names.find(new PreparedNames.Key(sql, types)).isPresent();
  }

  /** The server has dropped all prepared statements. */
  void forgetPrepared() {
    names.clear();
  }

  /** Who sees what is sent; asked each time. */
  void seenBy(Supplier<Traffic> seeing) {
    traffic = seeing;
  }

  /** Stops or resumes reading from the server. */
  void reading(boolean on) {
    channel.config().setAutoRead(on);
  }

  @Override
  public void close() {
    if (channel.isOpen()) {
      ByteBuf out = channel.alloc().buffer(Frame.HEADER);
      FrontendFrames.terminate(out);
      channel.writeAndFlush(out);
      channel.close();
    }
  }

  // --- answers -------------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    heardNanos = System.nanoTime();
    Frame frame = (Frame) message;
    try {
      receive(frame);
    } finally {
      frame.release();
    }
  }

  private void receive(Frame frame) {
    switch (frame.type()) {
      case BackendType.READY_FOR_QUERY -> ready(frame);
      case BackendType.PARAMETER_STATUS -> parameterChanged(frame);
      case BackendType.NOTIFICATION_RESPONSE -> events.notification(this, frame);
      case BackendType.COPY_IN_RESPONSE -> copyIn(frame);
      case BackendType.COPY_OUT_RESPONSE -> {
        if (sent.isEmpty() || !sent.element().listener().copyOut(frame)) {
          lose(ErrorCode.COPY_REFUSED.because("A statement started a COPY on " + shard() + "."));
        }
      }
      case BackendType.COPY_BOTH_RESPONSE ->
          lose(ErrorCode.COPY_REFUSED.because("A statement started a COPY on " + shard() + "."));
      case BackendType.NOTICE_RESPONSE -> {
        if (!sent.isEmpty()) {
          sent.element().listener().notice(frame);
        }
      }
      default -> {
        if (!sent.isEmpty()) {
          sent.element().answer(frame);
        } else if (frame.type() == BackendType.ERROR_RESPONSE && !role().service()) {
          lastWords(ErrorFields.read(frame));
        }
      }
    }
  }

  private void lastWords(ErrorFields fields) {
    if (fields.fatal() && TRANSACTION_TIMEOUTS.contains(fields.sqlState())) {
      events.idleTooLong(fields);
    }
  }

  private void ready(Frame frame) {
    status = TransactionStatus.of(frame.body().readByte());
    if (!sent.isEmpty()) {
      sent.remove().listener().ready(status);
      begun();
    }
  }

  private void parameterChanged(Frame frame) {
    ByteBuf body = frame.body();
    String[] parts = body.toString(java.nio.charset.StandardCharsets.UTF_8).split("\0", -1);
    if (parts.length < 2) {
      return;
    }
    parameters.put(parts[0], parts[1]);
    SessionGuard.check(target, parts[0], parts[1]).ifPresent(this::lose);
    if (open()) {
      events.parameterStatus(this, parts[0], parts[1]);
    }
  }

  // --- COPY ----------------------------------------------------------------------------------

  private void copyIn(Frame response) {
    if (sent.isEmpty()) {
      return;
    }
    Exchange exchange = sent.element();
    exchange.copying(true);
    if (!exchange.listener().copyIn(response)) {
      copyFail("COPY does not pass through the router here");
    }
  }

  private boolean copying() {
    return open() && !sent.isEmpty() && sent.element().copying();
  }

  @Override
  public void copyData(byte[] bytes, int from, int to) {
    if (copying()) {
      ByteBuf out = channel.alloc().buffer(Frame.HEADER + to - from);
      FrontendFrames.copyData(out, bytes, from, to);
      writeSoon(out);
    }
  }

  @Override
  public void copyDone() {
    if (copying()) {
      sent.element().copying(false);
      ByteBuf out = channel.alloc().buffer(Frame.HEADER);
      FrontendFrames.copyDone(out);
      writeSoon(out);
    }
  }

  @Override
  public void copyFail(String message) {
    if (copying()) {
      sent.element().copying(false);
      ByteBuf out = channel.alloc().buffer();
      FrontendFrames.copyFail(out, message);
      if (sent.element().extended()) {
        FrontendFrames.sync(out);
      }
      writeSoon(out);
    }
  }

  @Override
  public boolean copyWritable() {
    return channel.isWritable();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable() && copying()) {
      sent.element().listener().copyWritable();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    events.readComplete();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable error) {
    Throwable root = error.getCause() instanceof ConcordException inner ? inner : error;
    lose(
        root instanceof ConcordException known
            ? known
            : ErrorCode.SHARD_CONNECTION_LOST
                .because("The connection to shard " + shard() + " failed: " + root + ".")
                .withCause(error));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lose(lostCause());
  }

  private void lose(ConcordException why) {
    if (cause == null) {
      cause = why;
    }
    channel.close();
    sent.addAll(held);
    held.clear();
    while (!sent.isEmpty()) {
      sent.remove().listener().lost(why);
    }
    events.readComplete();
  }

  private ConcordException lostCause() {
    return cause != null
        ? cause
        : ErrorCode.SHARD_CONNECTION_LOST.because("The connection to shard " + shard() + " ended.");
  }

  // --- silence -------------------------------------------------------------------------------

  SocketAddress server() {
    return server;
  }

  /** How long the server has owed an answer without a sign of it, counted from {@code since}. */
  long silentNanos(long since) {
    long from = heardNanos - since > 0 ? heardNanos : since;
    return open() && busy() ? System.nanoTime() - from : 0;
  }

  /** Nobody waits for it any more. The server rolls back what is open when it hears of that. */
  void giveUp(Duration waited) {
    if (open()) {
      lose(
          ErrorCode.SHARD_SILENT.because(
              "shard %s has not answered for %s ms".formatted(shard(), waited.toMillis())));
    }
  }

  // --- another server --------------------------------------------------------------------------

  void provenAs(ServerIdentity proven) {
    identity = proven;
  }

  void whenGone(Runnable then) {
    channel.closeFuture().addListener(closed -> then.run());
  }

  /** From any thread. */
  void leaveSoon(KnownServers known) {
    channel.eventLoop().execute(() -> leaveIfFollowed(known));
  }

  /** What the server before says now is nobody's truth; what it was told may be lost. */
  void leaveIfFollowed(KnownServers known) {
    ServerIdentity mine = identity;
    if (open() && mine != null && known.followed(shard(), mine)) {
      lose(
          ErrorCode.SHARD_CONNECTION_LOST.because(
              "Shard %s has another server now; this one was of timeline %d."
                  .formatted(shard(), mine.timeline())));
    }
  }

  // --- facts ---------------------------------------------------------------------------------

  @Override
  public ShardId shard() {
    return target.shard();
  }

  String user() {
    return target.user();
  }

  @Override
  public BackendRole role() {
    return target.role();
  }

  @Override
  public int processId() {
    return login.processId();
  }

  @Override
  public TransactionStatus status() {
    return status;
  }

  @Override
  public boolean busy() {
    return !sent.isEmpty() || !held.isEmpty();
  }

  @Override
  public boolean open() {
    return cause == null && channel.isActive();
  }

  @Override
  public String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** It was no standby when it was logged in to. */
  boolean writable() {
    return !login.parameters().getOrDefault("in_hot_standby", "off").equals("on");
  }

  /** What the server has reported by ParameterStatus, by name. */
  Map<String, String> parameters() {
    return parameters;
  }

  @Override
  public String toString() {
    return "backend[" + shard() + " " + role() + " " + status + "]";
  }
}

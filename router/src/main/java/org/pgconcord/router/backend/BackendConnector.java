package org.pgconcord.router.backend;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.wire.BackendFrameDecoder;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendFrames;

/**
 * Opens connections to shards on a session's event loop: the first host of the shard that lets us
 * in, accepts writes and is the server that is known as the shard, or one that has followed it.
 * Shared by all sessions.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is heard
public final class BackendConnector {
  private final ShardDirectory directory;
  private final Class<? extends Channel> channelType;
  private final Duration timeout;
  private final Duration answer;
  private final int messageBytesMax;
  private final PrimaryWaits waits;
  private final Map<ShardId, InetSocketAddress> primaries = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final int router = SessionMark.randomRouter();
  private final ServerProof proof;
  private final Set<NettyBackendConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger sessions = new AtomicInteger(random.nextInt());

  /**
   * @param timeout to connect, and then to log in
   * @param answer how long a backend that must answer may leave it at nothing
   * @param waits for primaries
   */
  public BackendConnector(
      ShardDirectory directory,
      Class<? extends Channel> channelType,
      Duration timeout,
      Duration answer,
      int messageBytesMax,
      PrimaryWaits waits) {
    this.directory = directory;
    this.channelType = channelType;
    this.timeout = timeout;
    this.answer = answer;
    this.messageBytesMax = messageBytesMax;
    this.waits = waits;
    this.proof = new ServerProof(directory.known());
    directory.known().onFollowed(this::leave);
  }

  /** For a new session of this router. */
  SessionMark mark() {
    return SessionMark.of(router, sessions.getAndIncrement());
  }

  Duration answerTimeout() {
    return answer;
  }

  /**
   * Connects and logs in to the shard's primary, once. Completes on {@code loop}; exceptionally
   * with {@link ShardErrorException} when the server refused, else with a ConcordException.
   */
  CompletableFuture<NettyBackendConnection> open(
      EventLoop loop, BackendTarget target, BackendEvents events) {
    ShardId shard = target.shard();
    return new HostSearch(
            shard,
            inOrder(shard),
            host -> connect(loop, target, events, host),
            host -> primaries.put(shard, host))
        .run();
  }

  /** The same; while the shard has no primary one is waited for. */
  PrimaryWaits.Wait await(EventLoop loop, BackendTarget target, BackendEvents events) {
    return waits.begin(loop, target.shard(), () -> open(loop, target, events));
  }

  boolean awaited(ShardId shard) {
    return waits.awaited(shard);
  }

  /** The same on one replica. */
  CompletableFuture<NettyBackendConnection> open(
      EventLoop loop, BackendTarget target, InetSocketAddress replica, BackendEvents events) {
    return connect(loop, target, events, replica);
  }

  /** Where the primary was last is asked first: a host that is dead costs its timeout. */
  private List<InetSocketAddress> inOrder(ShardId shard) {
    List<InetSocketAddress> hosts = directory.hosts(shard);
    InetSocketAddress last = primaries.get(shard);
    if (last == null || !hosts.contains(last)) {
      return hosts;
    }
    List<InetSocketAddress> order = new ArrayList<>(List.of(last));
    hosts.stream().filter(host -> !host.equals(last)).forEach(order::add);
    return order;
  }

  // --- servers ---------------------------------------------------------------------------------

  /**
   * Asks a new backend which server it is, unless that is a replica, which others have asked. It is
   * among the open ones before its server can be followed unseen.
   */
  private void prove(
      NettyBackendConnection connection, CompletableFuture<NettyBackendConnection> attempt) {
    if (connection.role() == BackendRole.REPLICA || !connection.writable()) {
      attempt.complete(connection);
      return;
    }
    proof
        .of(connection)
        .whenComplete(
            (server, failure) -> {
              if (server == null) {
                connection.close();
                attempt.completeExceptionally(failure.getCause());
                return;
              }
              connection.provenAs(server);
              open.add(connection);
              connection.whenGone(() -> open.remove(connection));
              connection.leaveIfFollowed(directory.known());
              attempt.complete(connection);
            });
  }

  /** The shard has another server now. From any thread. */
  private void leave(ShardId shard) {
    open.stream()
        .filter(connection -> connection.shard().equals(shard))
        .forEach(connection -> connection.leaveSoon(directory.known()));
  }

  private CompletableFuture<NettyBackendConnection> connect(
      EventLoop loop, BackendTarget target, BackendEvents events, InetSocketAddress host) {
    CompletableFuture<NettyBackendConnection> attempt = new CompletableFuture<>();
    LoginHandler login = new LoginHandler(target, events, attempt);
    TlsMode tls = directory.tls(target.shard());
    List<ChannelHandler> handlers = new ArrayList<>();
    if (tls != TlsMode.DISABLE) {
      handlers.add(new TlsRequest(tls, host));
    }
    handlers.add(new BackendFrameDecoder(messageBytesMax));
    handlers.add(login);
    bootstrap(loop, handlers)
        .connect(host)
        .addListener(
            (ChannelFuture connected) -> {
              if (connected.isSuccess()) {
                Channel channel = connected.channel();
                loop.schedule(() -> login.timedOut(channel), timeout.toMillis(), MILLISECONDS);
              } else {
                attempt.completeExceptionally(
                    ErrorCode.SHARD_UNREACHABLE.because(
                        "Shard %s cannot be reached: %s"
                            .formatted(target.shard(), connected.cause().getMessage())));
              }
            });
    return attempt;
  }

  private Bootstrap bootstrap(EventLoop loop, List<ChannelHandler> handlers) {
    Bootstrap bootstrap = new Bootstrap();
    if (EpollSocketChannel.class.isAssignableFrom(channelType)) {
      bootstrap
          .option(EpollChannelOption.TCP_USER_TIMEOUT, (int) answer.toMillis())
          .option(EpollChannelOption.TCP_KEEPIDLE, BackendTarget.KEEPALIVE_IDLE_SECONDS)
          .option(EpollChannelOption.TCP_KEEPINTVL, BackendTarget.KEEPALIVE_INTERVAL_SECONDS)
          .option(EpollChannelOption.TCP_KEEPCNT, BackendTarget.KEEPALIVE_COUNT);
    }
    return bootstrap
        .group(loop)
        .channel(channelType)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers.toArray(ChannelHandler[]::new));
              }
            });
  }

  /** In clear, as libpq does: servers take it so even where they demand TLS. */
  private CompletableFuture<Void> cancel(
      EventLoop loop, SocketAddress server, int processId, byte[] secret) {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    bootstrap(loop, List.of())
        .connect(server)
        .addListener(
            (ChannelFuture connected) -> {
              Channel channel = connected.channel();
              if (connected.isSuccess()) {
                ByteBuf out = channel.alloc().buffer();
                FrontendFrames.cancelRequest(out, processId, secret);
                channel.writeAndFlush(out);
                loop.schedule(() -> channel.close(), timeout.toMillis(), MILLISECONDS);
              }
              channel.closeFuture().addListener(done -> closed.complete(null));
            });
    return closed;
  }

  /** Drives a {@link BackendLogin} and makes way for the connection when it is done. */
  private final class LoginHandler extends ChannelInboundHandlerAdapter {
    private final BackendTarget target;
    private final BackendEvents events;
    private final CompletableFuture<NettyBackendConnection> attempt;
    private final BackendLogin login;

    LoginHandler(
        BackendTarget target,
        BackendEvents events,
        CompletableFuture<NettyBackendConnection> attempt) {
      this.target = target;
      this.events = events;
      this.attempt = attempt;
      this.login = new BackendLogin(target, BackendSecret.nonce(random));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ByteBuf out = ctx.alloc().buffer();
      String database = directory.database(target.shard(), target.logicalDatabase());
      FrontendFrames.startup(out, target.startup(database));
      ctx.writeAndFlush(out);
    }

    void timedOut(Channel channel) {
      if (!attempt.isDone()) {
        attempt.completeExceptionally(
            ErrorCode.SHARD_UNREACHABLE.because(
                "Shard " + target.shard() + " did not answer within " + timeout + "."));
        channel.close();
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      Frame frame = (Frame) message;
      ByteBuf out = ctx.alloc().buffer();
      try {
        if (!attempt.isDone()) {
          login.step(frame, out);
        }
      } catch (RuntimeException e) {
        fail(ctx, e);
      } finally {
        frame.release();
      }
      if (out.isReadable() && !attempt.isDone()) {
        ctx.writeAndFlush(out);
      } else {
        out.release();
      }
      if (login.done() && !attempt.isDone()) {
        enter(ctx);
      }
    }

    private void enter(ChannelHandlerContext ctx) {
      EventLoop loop = ctx.channel().eventLoop();
      NettyBackendConnection connection =
          new NettyBackendConnection(
              target,
              ctx.channel(),
              events,
              (server, processId, secret) -> cancel(loop, server, processId, secret),
              login);
      login.parameters().entrySet().stream()
          .map(p -> SessionGuard.check(target, p.getKey(), p.getValue()))
          .flatMap(java.util.Optional::stream)
          .findFirst()
          .ifPresentOrElse(
              refused -> fail(ctx, refused),
              () -> {
                ctx.pipeline().replace(this, "connection", connection);
                prove(connection, attempt);
              });
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      fail(
          ctx,
          ErrorCode.SHARD_UNREACHABLE.because(
              "Shard " + target.shard() + " closed the connection during login."));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable error) {
      if (error instanceof ConcordException known) {
        fail(ctx, known);
        return;
      }
      fail(
          ctx,
          ErrorCode.SHARD_UNREACHABLE
              .because("Shard " + target.shard() + " cannot be logged in to: " + error + ".")
              .withCause(error));
    }

    private void fail(ChannelHandlerContext ctx, Throwable why) {
      attempt.completeExceptionally(why);
      ctx.close();
    }
  }
}

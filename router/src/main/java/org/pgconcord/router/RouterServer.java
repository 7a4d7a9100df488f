package org.pgconcord.router;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.auth.UsersFile;
import org.pgconcord.router.auth.VerifierSource;
import org.pgconcord.router.backend.BackendConnector;
import org.pgconcord.router.backend.PrimaryWaits;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.backend.ShardVerifiers;
import org.pgconcord.router.session.SessionMetrics;
import org.pgconcord.router.session.SessionServices;
import org.pgconcord.router.session.Sessions;
import org.pgconcord.router.session.StartupHandler;
import org.pgconcord.router.session.StatementRunner;
import org.pgconcord.router.wire.FrontendDecoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients. {@link #start} binds; {@link #close} takes no more clients, lets open
 * transactions end for a while, then ends what is left.
 */
public final class RouterServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RouterServer.class);
  private static final WriteBufferWaterMark CLIENT_BUFFER =
      new WriteBufferWaterMark(64 << 10, 256 << 10);
  private static final long POLL_NANOS = MILLISECONDS.toNanos(20);

  private final RouterSettings settings;
  private final Transport transport;
  private final SessionServices services;
  private final Sessions sessions;
  private final byte[] processSecret = new byte[32];
  private @Nullable Channel listener;

  /** The service role's name and how it proves itself. */
  public record ServiceRole(String user, BackendSecret secret) {}

  public RouterServer(
      RouterSettings settings,
      ShardDirectory shards,
      Supplier<Topology> topology,
      ServiceRole service,
      StatementRunner.Factory runners,
      SessionMetrics metrics) {
    this.settings = settings;
    SecureRandom random = new SecureRandom();
    random.nextBytes(processSecret);
    this.transport = Transport.open(settings.eventLoops());
    this.sessions = new Sessions(random);
    BackendConnector connector =
        new BackendConnector(
            shards,
            transport.channel(),
            settings.connectTimeout(),
            settings.answerTimeout(),
            settings.shardMessageBytesMax(),
            new PrimaryWaits(settings.failoverWait(), metrics));
    this.services =
        new SessionServices(
            new SessionServices.Limits(
                settings.connectionsMax(), settings.messageBytesMax(), settings.loginTimeout()),
            topology,
            connector,
            verifiers(connector, topology, service),
            service.user(),
            service.secret(),
            runners,
            sessions,
            metrics,
            random);
  }

  private Optional<VerifierSource> verifiers(
      BackendConnector connector, Supplier<Topology> topology, ServiceRole service) {
    return switch (settings.auth()) {
      case TRUST -> Optional.empty();
      case SCRAM -> {
        VerifierSource shard =
            new ShardVerifiers(
                transport.loops().next(), connector, topology, service.user(), service.secret());
        yield Optional.of(
            settings
                .usersFile()
                .<VerifierSource>map(file -> shard.orElse(UsersFile.read(file)))
                .orElse(shard));
      }
    };
  }

  /** Binds and returns the address; a taken port is an error that names it. */
  public InetSocketAddress start() {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(transport.loops())
            .channel(transport.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 512)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, CLIENT_BUFFER)
            .childHandler(new Connection())
            .bind(settings.listen())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      close();
      throw ErrorCode.LISTEN_FAILED
          .because("The router cannot listen on " + settings.listen() + ".")
          .withDetail(String.valueOf(bound.cause().getMessage()));
    }
    listener = bound.channel();
    InetSocketAddress address = (InetSocketAddress) bound.channel().localAddress();
    LOG.info(
        "router listening address={}:{} auth={}",
        address.getHostString(),
        address.getPort(),
        settings.auth());
    return address;
  }

  private final class Connection extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      FrontendDecoder decoder = new FrontendDecoder();
      channel.pipeline().addLast(decoder, new StartupHandler(services, decoder, processSecret));
    }
  }

  /** Clients that are logged in. */
  public int sessions() {
    return sessions.count();
  }

  @Override
  public void close() {
    Channel channel = listener;
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
    sessions.stopWhenIdle();
    boolean drained = await(() -> sessions.count() == 0, settings.drain().toNanos());
    if (!drained) {
      LOG.info("router ends open transactions sessions={}", sessions.count());
      sessions.stop();
      await(() -> sessions.count() == 0, MILLISECONDS.toNanos(500));
    }
    transport.loops().shutdownGracefully(0, 1_000, MILLISECONDS).awaitUninterruptibly(2_000);
  }

  private static boolean await(BooleanSupplier condition, long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}

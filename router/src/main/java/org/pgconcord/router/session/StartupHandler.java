package org.pgconcord.router.session;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.auth.ScramException;
import org.pgconcord.router.auth.ScramServer;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendDecoder;
import org.pgconcord.router.wire.FrontendType;
import org.pgconcord.router.wire.StartupPacket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection until its client is logged in. What may come in which phase:
 *
 * <pre>
 * PACKET      SSLRequest, GSSENCRequest (each once, answered N), CancelRequest, Startup
 * SASL_FIRST  SASLInitialResponse
 * SASL_LAST   SASLResponse
 * WAITING     nothing: the router is asking a shard
 * </pre>
 *
 * <p>Everything else is a protocol violation and ends the connection. A failed login always gets
 * the same words, whether the role or the password was wrong.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is heard
public final class StartupHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(StartupHandler.class);
  private static final String MECHANISM = "SCRAM-SHA-256";

  private enum Phase {
    PACKET,
    SASL_FIRST,
    SASL_LAST,
    WAITING
  }

  private final SessionServices services;
  private final FrontendDecoder decoder;
  private final byte[] processSecret;
  private Phase phase = Phase.PACKET;
  private boolean sslAsked;
  private boolean gssAsked;
  private boolean accepted;
  private boolean admitted;
  private boolean in;
  private StartupParameters startup = new StartupParameters("", "", Map.of(), List.of());
  private Optional<ScramServer> scram = Optional.empty();

  /** {@code processSecret}: random, the same for all connections of the process. */
  public StartupHandler(SessionServices services, FrontendDecoder decoder, byte[] processSecret) {
    this.services = services;
    this.decoder = decoder;
    this.processSecret = processSecret.clone();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!accepted) {
      ctx.close();
      return;
    }
    ctx.executor()
        .schedule(
            () -> {
              if (!in) {
                fatal(ctx, ErrorCode.LOGIN_TIMEOUT.because("Login took too long."));
              }
            },
            services.limits().login().toMillis(),
            MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof StartupPacket packet) {
      startup(ctx, packet);
      return;
    }
    Frame frame = (Frame) message;
    try {
      sasl(ctx, frame);
    } finally {
      frame.release();
    }
  }

  // --- the first packets -----------------------------------------------------------------------

  private void startup(ChannelHandlerContext ctx, StartupPacket packet) {
    if (packet instanceof StartupPacket.SslRequest) {
      decline(ctx, sslAsked);
      sslAsked = true;
    } else if (packet instanceof StartupPacket.GssRequest) {
      decline(ctx, gssAsked);
      gssAsked = true;
    } else if (packet instanceof StartupPacket.CancelRequest cancel) {
      cancel(ctx, cancel);
    } else if (packet instanceof StartupPacket.Startup asked) {
      begin(ctx, asked);
    }
  }

  /** Bytes sent along with the request were meant for an encrypted stream that never came. */
  private void decline(ChannelHandlerContext ctx, boolean again) {
    if (again || decoder.holdsBytes()) {
      LOG.debug("closed: unencrypted data after an encryption request, or a second request");
      ctx.close();
    } else {
      ctx.writeAndFlush(Unpooled.buffer(1).writeByte('N'));
    }
  }

  private void cancel(ChannelHandlerContext ctx, StartupPacket.CancelRequest request) {
    services
        .sessions()
        .find(request.processId(), request.secret())
        .ifPresentOrElse(
            session -> {
              services.metrics().cancelled();
              session.cancel(ctx::close);
            },
            ctx::close);
  }

  private void begin(ChannelHandlerContext ctx, StartupPacket.Startup asked) {
    if (asked.major() != 3) {
      fatal(
          ctx,
          ErrorCode.PROTOCOL_VERSION.because(
              "Unsupported frontend protocol " + asked.major() + "." + asked.minor() + "."));
      return;
    }
    admitted = services.sessions().admit(services.limits().connections());
    if (!admitted) {
      fatal(ctx, ErrorCode.SESSION_LIMIT.because("Sorry, too many clients already."));
      return;
    }
    startup = StartupParameters.read(asked.parameters());
    decoder.expectMessages();
    if (asked.minor() > 0 || !startup.protocolOptions().isEmpty()) {
      write(ctx, b -> BackendFrames.negotiateProtocolVersion(b, 0, startup.protocolOptions()));
    }
    services
        .verifiers()
        .ifPresentOrElse(any -> challenge(ctx), () -> enter(ctx, BackendSecret.TRUST));
  }

  // --- SCRAM -----------------------------------------------------------------------------------

  private void challenge(ChannelHandlerContext ctx) {
    phase = Phase.SASL_FIRST;
    write(ctx, b -> BackendFrames.authenticationSasl(b, MECHANISM));
    ctx.flush();
  }

  private void sasl(ChannelHandlerContext ctx, Frame frame) {
    if (frame.type() == FrontendType.TERMINATE) {
      ctx.close();
    } else if (frame.type() != FrontendType.PASSWORD) {
      fatal(ctx, ErrorCode.PROTOCOL_VIOLATION.because("A message came before the login was done."));
    } else if (phase == Phase.SASL_FIRST) {
      first(ctx, frame.body());
    } else if (phase == Phase.SASL_LAST) {
      last(ctx, frame.body().toString(StandardCharsets.UTF_8));
    } else {
      fatal(ctx, ErrorCode.PROTOCOL_VIOLATION.because("An unexpected password message came."));
    }
  }

  private void first(ChannelHandlerContext ctx, ByteBuf body) {
    int end = body.bytesBefore((byte) 0);
    if (end < 0 || body.readableBytes() - end - 1 < Integer.BYTES) {
      fatal(ctx, ErrorCode.PROTOCOL_VIOLATION.because("Malformed SASLInitialResponse."));
      return;
    }
    String mechanism = body.readCharSequence(end, StandardCharsets.US_ASCII).toString();
    int length = body.skipBytes(1).readInt();
    if (length < 0 || length != body.readableBytes()) {
      fatal(ctx, ErrorCode.PROTOCOL_VIOLATION.because("Malformed SASLInitialResponse."));
    } else if (!mechanism.equals(MECHANISM)) {
      fatal(ctx, ErrorCode.LOGIN_REFUSED.because("The client chose an unknown SASL mechanism."));
    } else {
      lookUp(ctx, body.toString(StandardCharsets.UTF_8));
    }
  }

  private void lookUp(ChannelHandlerContext ctx, String clientFirst) {
    phase = Phase.WAITING;
    services
        .verifiers()
        .orElseThrow()
        .find(startup.user())
        .whenCompleteAsync(
            (verifier, failure) -> {
              if (failure != null) {
                LOG.warn("verifiers cannot be read reason=\"{}\"", failure.toString());
                fatal(ctx, ErrorCode.LOGIN_UNAVAILABLE.because("passwords cannot be checked now"));
                return;
              }
              SecureRandom random = services.random();
              String nonce = BackendSecret.nonce(random);
              ScramServer server = new ScramServer(verifier, startup.user(), processSecret, nonce);
              scram = Optional.of(server);
              answerFirst(ctx, server, clientFirst);
            },
            ctx.executor());
  }

  private void answerFirst(ChannelHandlerContext ctx, ScramServer server, String clientFirst) {
    try {
      String answer = server.first(clientFirst);
      phase = Phase.SASL_LAST;
      write(ctx, b -> BackendFrames.authenticationSaslContinue(b, answer));
      ctx.flush();
    } catch (ScramException e) {
      LOG.info("login failed reason=\"{}\"", e.getMessage());
      rejected(ctx);
    }
  }

  private void last(ChannelHandlerContext ctx, String clientFinal) {
    phase = Phase.WAITING;
    try {
      ScramServer.Accepted accepted = scram.orElseThrow().last(clientFinal);
      write(ctx, b -> BackendFrames.authenticationSaslFinal(b, accepted.message()));
      enter(ctx, BackendSecret.of(accepted.keys()));
    } catch (ScramException e) {
      LOG.info("login failed reason=\"{}\"", e.getMessage());
      rejected(ctx);
    }
  }

  private void rejected(ChannelHandlerContext ctx) {
    ErrorFields words =
        ErrorFields.plain(
            "FATAL",
            ErrorCode.LOGIN_FAILED.sqlState(),
            "password authentication failed for user \"" + startup.user() + "\"");
    fatal(ctx, words);
  }

  // --- in --------------------------------------------------------------------------------------

  private void enter(ChannelHandlerContext ctx, BackendSecret secret) {
    phase = Phase.WAITING;
    Topology topology = services.topology().get();
    if (topology.database(startup.database()).isEmpty()) {
      fatal(
          ctx,
          ErrorFields.plain(
                  "FATAL",
                  ErrorCode.DATABASE_UNKNOWN.sqlState(),
                  "database \"" + startup.database() + "\" does not exist")
              .with('H', ErrorCode.DATABASE_UNKNOWN.remedy()));
      return;
    }
    ClientHandler handler =
        new ClientHandler(
            ctx.channel(), services, new Login(startup, secret), topology.authoritativeShard());
    in = true;
    ctx.pipeline().addLast("client", handler);
    ctx.channel().config().setAutoRead(false);
    handler.connect().whenComplete((done, failure) -> entered(ctx, failure));
  }

  private void entered(ChannelHandlerContext ctx, @Nullable Throwable failure) {
    if (failure != null) {
      Throwable root = failure instanceof CompletionException ? failure.getCause() : failure;
      fatal(ctx, wordsOf(root));
      return;
    }
    decoder.allowMessagesUpTo(services.limits().messageBytes());
    ctx.pipeline().remove(this);
    ctx.channel().config().setAutoRead(true);
  }

  private static ErrorFields wordsOf(@Nullable Throwable failure) {
    if (failure instanceof ShardErrorException refused) {
      return refused.fields();
    }
    if (failure instanceof ConcordException known) {
      return ErrorFields.of("FATAL", known);
    }
    LOG.error("login failed by a bug", failure);
    return ErrorFields.of("FATAL", ErrorCode.INTERNAL.because("Login met a bug of the router."));
  }

  // --- the end ---------------------------------------------------------------------------------

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (!in) {
      services.metrics().loginRefused();
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    accepted = services.sessions().accept(services.limits().connections());
    ctx.channel()
        .closeFuture()
        .addListener(
            closed -> {
              services.sessions().disconnected();
              if (admitted) {
                services.sessions().left();
              }
            });
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable error) {
    Throwable root = error.getCause() instanceof ConcordException inner ? inner : error;
    if (root instanceof ConcordException known) {
      fatal(ctx, known);
    } else {
      LOG.debug("connection ended during login", error);
      ctx.close();
    }
  }

  private static void fatal(ChannelHandlerContext ctx, ConcordException error) {
    fatal(ctx, ErrorFields.of("FATAL", error));
  }

  private static void fatal(ChannelHandlerContext ctx, ErrorFields fields) {
    ErrorFields shown = fields.with('S', "FATAL").with('V', "FATAL");
    write(ctx, b -> BackendFrames.error(b, shown));
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  private static void write(ChannelHandlerContext ctx, Consumer<ByteBuf> message) {
    ByteBuf out = ctx.alloc().buffer();
    message.accept(out);
    ctx.write(out);
  }
}

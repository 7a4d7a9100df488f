package org.pgconcord.router.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.wire.FrontendFrames;

/**
 * Asks a server for TLS and lets the handlers behind begin only when that is settled. The answer is
 * one byte and nothing may come with it: more would be clear text posing as the encrypted stream.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is heard
final class TlsRequest extends ChannelInboundHandlerAdapter {
  private final TlsMode mode;
  private final InetSocketAddress host;
  private boolean settled;

  TlsRequest(TlsMode mode, InetSocketAddress host) {
    this.mode = mode;
    this.host = host;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ByteBuf out = ctx.alloc().buffer();
    FrontendFrames.sslRequest(out);
    ctx.writeAndFlush(out);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (settled) {
      ctx.fireChannelRead(message);
      return;
    }
    ByteBuf answer = (ByteBuf) message;
    try {
      settled = true;
      settle(ctx, answer.readableBytes() == 1 ? answer.readByte() : 0);
    } finally {
      answer.release();
    }
  }

  private void settle(ChannelHandlerContext ctx, byte answer) throws SSLException {
    if (answer == 'S') {
      encrypt(ctx);
    } else if (answer == 'N' && mode == TlsMode.PREFER) {
      ctx.fireChannelActive();
    } else {
      throw ErrorCode.SHARD_LOGIN
          .because("The server at " + host + " has no TLS, or answered the request wrongly.")
          .withHint("Check sslmode and the server's ssl setting.");
    }
  }

  private void encrypt(ChannelHandlerContext ctx) throws SSLException {
    SslHandler tls = context().newHandler(ctx.alloc(), host.getHostString(), host.getPort());
    ctx.pipeline().addFirst("tls", tls);
    tls.handshakeFuture()
        .addListener(
            done -> {
              if (done.isSuccess()) {
                ctx.fireChannelActive();
              } else {
                ctx.fireExceptionCaught(done.cause());
              }
            });
  }

  private SslContext context() throws SSLException {
    SslContextBuilder builder = SslContextBuilder.forClient().protocols("TLSv1.3", "TLSv1.2");
    if (mode.verifies()) {
      builder.trustManager(rootCertificates());
    } else {
      builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
    }
    // Netty checks host names by default; libpq's modes below verify-full do not.
    return builder
        .endpointIdentificationAlgorithm(mode == TlsMode.VERIFY_FULL ? "HTTPS" : "")
        .build();
  }

  /** Where libpq and PgJDBC look, too. */
  private static File rootCertificates() {
    String named = System.getenv("PGSSLROOTCERT");
    return named != null
        ? new File(named)
        : new File(System.getProperty("user.home"), ".postgresql/root.crt");
  }
}

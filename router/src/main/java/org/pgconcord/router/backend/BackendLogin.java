package org.pgconcord.router.backend;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.auth.ScramClient;
import org.pgconcord.router.auth.ScramException;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendFrames;

/**
 * The login of one backend, from the startup packet's answer to the first ReadyForQuery: a pure
 * machine that reads frames and writes answers. Only SCRAM-SHA-256 and trust are spoken; a password
 * is never sent in clear or as md5, whatever the server asks.
 *
 * <pre>
 * START       --SASL-->          CHALLENGED  --continue--> PROVEN --final--> SIGNED --ok--> IN
 * START       --ok (trust)-->    IN
 * IN          --ready-->         DONE
 * </pre>
 */
final class BackendLogin {
  private enum State {
    START,
    CHALLENGED,
    PROVEN,
    SIGNED,
    IN,
    DONE
  }

  private static final int OK = 0;
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;
  private static final int SASL_FINAL = 12;

  private final BackendTarget target;
  private final ScramClient scram;
  private final Map<String, String> parameters = new LinkedHashMap<>();
  private State state = State.START;
  private int processId;
  private byte[] secret = new byte[0];

  BackendLogin(BackendTarget target, String nonce) {
    this.target = target;
    this.scram = new ScramClient(target.secret(), nonce);
  }

  /** Reads one frame; throws when the login has failed. */
  void step(Frame frame, ByteBuf out) {
    ByteBuf body = frame.body();
    switch (frame.type()) {
      case BackendType.AUTHENTICATION -> authenticate(body, out);
      case BackendType.ERROR_RESPONSE -> throw refused(ErrorFields.read(frame));
      case BackendType.NOTICE_RESPONSE -> {}
      case BackendType.PARAMETER_STATUS -> parameters.put(text(body), text(body));
      case BackendType.BACKEND_KEY_DATA -> {
        processId = body.readInt();
        secret = new byte[body.readableBytes()];
        body.readBytes(secret);
      }
      case BackendType.READY_FOR_QUERY -> move(State.IN, State.DONE);
      default -> throw unexpected("message " + (char) frame.type());
    }
  }

  private void authenticate(ByteBuf body, ByteBuf out) {
    int kind = body.readInt();
    try {
      switch (kind) {
        case OK -> {
          if (state != State.START) {
            move(State.SIGNED, State.IN);
          }
          state = State.IN;
        }
        case SASL -> {
          move(State.START, State.CHALLENGED);
          requireMechanism(body);
          FrontendFrames.saslInitialResponse(out, "SCRAM-SHA-256", scram.first());
        }
        case SASL_CONTINUE -> {
          move(State.CHALLENGED, State.PROVEN);
          FrontendFrames.saslResponse(out, scram.last(body.toString(StandardCharsets.UTF_8)));
        }
        case SASL_FINAL -> {
          move(State.PROVEN, State.SIGNED);
          scram.check(body.toString(StandardCharsets.UTF_8));
        }
        default -> throw failed("it asks for another method than SCRAM-SHA-256 or trust");
      }
    } catch (ScramException e) {
      throw failed(String.valueOf(e.getMessage()));
    }
  }

  private void requireMechanism(ByteBuf body) {
    while (body.isReadable() && body.getByte(body.readerIndex()) != 0) {
      if (text(body).equals("SCRAM-SHA-256")) {
        return;
      }
    }
    throw failed("it does not offer SCRAM-SHA-256");
  }

  private void move(State from, State to) {
    if (state != from) {
      throw unexpected("a message for state " + from + " in state " + state);
    }
    state = to;
  }

  private RuntimeException refused(ErrorFields fields) {
    return new ShardErrorException(target.shard(), fields);
  }

  private ConcordException failed(String why) {
    return ErrorCode.SHARD_LOGIN.because(
        "Shard " + target.shard() + " cannot be logged in to: " + why + ".");
  }

  private ConcordException unexpected(String what) {
    return ErrorCode.SHARD_PROTOCOL.because(
        "Shard " + target.shard() + " sent " + what + " during login.");
  }

  private static String text(ByteBuf body) {
    int length = body.bytesBefore((byte) 0);
    if (length < 0) {
      throw new IndexOutOfBoundsException("string without end");
    }
    String text = body.readCharSequence(length, StandardCharsets.UTF_8).toString();
    body.skipBytes(1);
    return text;
  }

  boolean done() {
    return state == State.DONE;
  }

  /** What the server reported, by name. */
  Map<String, String> parameters() {
    return parameters;
  }

  int processId() {
    return processId;
  }

  /** For cancel requests. */
  byte[] cancelSecret() {
    return secret;
  }
}

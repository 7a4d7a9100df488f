package org.pgconcord.router.auth;

import com.ongres.scram.common.ScramFunctions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;

/**
 * The server's side of one SCRAM-SHA-256 exchange: {@link #first}, then {@link #last}. Channel
 * binding is not offered, so a client that insists on it (flag {@code p}) is refused, and flags
 * {@code y} and {@code n} are both honest. An exchange against an unknown role runs to its end and
 * fails there.
 */
public final class ScramServer {
  private static final int CLIENT_NONCE_MAX = 1024;

  private final ScramVerifier verifier;
  private final boolean known;
  private final String serverNonce;
  private String gs2Header = "";
  private String clientFirstBare = "";
  private String nonce = "";
  private String serverFirst = "";

  /**
   * @param verifier empty for an unknown role
   * @param processSecret random, the same for all exchanges of this process
   * @param serverNonce random, printable, without comma
   */
  public ScramServer(
      Optional<ScramVerifier> verifier, String role, byte[] processSecret, String serverNonce) {
    this.known = verifier.isPresent();
    this.verifier = verifier.orElseGet(() -> ScramVerifier.mock(processSecret, role));
    this.serverNonce = serverNonce;
  }

  /** Reads client-first-message, answers server-first-message. */
  public String first(String message) throws ScramException {
    String[] parts = message.split(",", 4);
    if (parts.length < 4 || !(parts[0].equals("n") || parts[0].equals("y"))) {
      throw new ScramException("client-first-message is not of a form without channel binding");
    }
    if (!parts[1].isEmpty() || !parts[2].startsWith("n=") || !parts[3].startsWith("r=")) {
      throw new ScramException("client-first-message lacks user or nonce");
    }
    String clientNonce = parts[3].split(",", 2)[0].substring(2);
    if (clientNonce.isEmpty() || clientNonce.length() > CLIENT_NONCE_MAX) {
      throw new ScramException("client nonce is empty or too long");
    }
    gs2Header = parts[0] + ",,";
    clientFirstBare = parts[2] + "," + parts[3];
    nonce = clientNonce + serverNonce;
    serverFirst = "r=" + nonce + ",s=" + verifier.salt() + ",i=" + verifier.iterations();
    return serverFirst;
  }

  /**
   * Reads client-final-message. The answer is sent by {@link Accepted#message}; a wrong proof is an
   * exception like every other fault.
   */
  public Accepted last(String message) throws ScramException {
    int proofAt = message.lastIndexOf(",p=");
    if (serverFirst.isEmpty() || proofAt < 0) {
      throw new ScramException("client-final-message lacks its proof");
    }
    String withoutProof = message.substring(0, proofAt);
    String binding = Base64.getEncoder().encodeToString(bytes(gs2Header));
    if (!constantTimeEquals(bytes(withoutProof), bytes("c=" + binding + ",r=" + nonce))) {
      throw new ScramException("client-final-message differs in binding, nonce or attributes");
    }
    byte[] proof = decode(message.substring(proofAt + 3));
    String authMessage = clientFirstBare + "," + serverFirst + "," + withoutProof;
    byte[] signature =
        ScramFunctions.clientSignature(ScramVerifier.MECHANISM, verifier.storedKey(), authMessage);
    byte[] clientKey = xor(proof, signature);
    byte[] storedKey = ScramFunctions.hash(ScramVerifier.MECHANISM, clientKey);
    boolean right = MessageDigest.isEqual(storedKey, verifier.storedKey());
    if (!right || !known) {
      throw new ScramException(known ? "wrong password" : "unknown role");
    }
    byte[] serverSignature =
        ScramFunctions.serverSignature(ScramVerifier.MECHANISM, verifier.serverKey(), authMessage);
    return new Accepted(
        "v=" + Base64.getEncoder().encodeToString(serverSignature),
        new ScramKeys(clientKey, storedKey, verifier.serverKey()));
  }

  /** The last message to the client, and the keys for the shards. */
  public record Accepted(String message, ScramKeys keys) {}

  private static byte[] decode(String base64) throws ScramException {
    try {
      byte[] proof = Base64.getDecoder().decode(base64);
      if (proof.length == 32) {
        return proof;
      }
    } catch (IllegalArgumentException notBase64) {
      // Answered like a proof of the wrong length.
    }
    throw new ScramException("client proof is malformed");
  }

  private static boolean constantTimeEquals(byte[] a, byte[] b) {
    return MessageDigest.isEqual(a, b);
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] out = new byte[a.length];
    for (int i = 0; i < a.length; i++) {
      out[i] = (byte) (a[i] ^ b[i]);
    }
    return out;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

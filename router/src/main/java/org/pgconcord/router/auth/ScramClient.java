package org.pgconcord.router.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.StringPreparation;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * The client's side of one SCRAM-SHA-256 exchange with a shard: {@link #first}, {@link #last},
 * {@link #check}. A shard is not trusted more than a client: iterations and nonce have limits, and
 * its signature is checked.
 */
public final class ScramClient {
  /** PBKDF2 with more rounds would let a false server burn our processor. */
  private static final int ITERATIONS_MAX = 100_000;

  private static final int NONCE_MAX = 1024;
  private static final String HEADER = "n,,";

  private final BackendSecret secret;
  private final String clientNonce;
  private String authMessage = "";
  private byte[] serverKey = new byte[0];

  public ScramClient(BackendSecret secret, String clientNonce) {
    this.secret = secret;
    this.clientNonce = clientNonce;
  }

  /** client-first-message; the role is the startup packet's. */
  public String first() {
    return HEADER + bare();
  }

  private String bare() {
    return "n=,r=" + clientNonce;
  }

  /** Reads server-first-message, answers client-final-message. May cost some milliseconds. */
  public String last(String serverFirst) throws ScramException {
    Map<Character, String> attributes = attributes(serverFirst);
    String nonce = attributes.getOrDefault('r', "");
    if (!nonce.startsWith(clientNonce)
        || nonce.length() == clientNonce.length()
        || nonce.length() > NONCE_MAX) {
      throw new ScramException("the server's nonce is not acceptable");
    }
    ScramKeys keys =
        secret.keys(decode(attributes.getOrDefault('s', "")), iterations(attributes.get('i')));
    String withoutProof =
        "c=" + Base64.getEncoder().encodeToString(HEADER.getBytes(UTF_8)) + ",r=" + nonce;
    authMessage = bare() + "," + serverFirst + "," + withoutProof;
    serverKey = keys.serverKey();
    byte[] signature =
        ScramFunctions.clientSignature(ScramVerifier.MECHANISM, keys.storedKey(), authMessage);
    byte[] proof = ScramServer.xor(keys.clientKey(), signature);
    return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
  }

  /** Reads server-final-message: only a server that knows the verifier can sign. */
  public void check(String serverFinal) throws ScramException {
    byte[] expected =
        ScramFunctions.serverSignature(ScramVerifier.MECHANISM, serverKey, authMessage);
    byte[] actual = decode(attributes(serverFinal).getOrDefault('v', ""));
    if (!MessageDigest.isEqual(expected, actual)) {
      throw new ScramException("the server's signature is wrong");
    }
  }

  private static int iterations(@org.jspecify.annotations.Nullable String text)
      throws ScramException {
    if (text == null || !text.matches("[1-9][0-9]{0,8}")) {
      throw new ScramException("the server's iteration count is malformed");
    }
    int iterations = Integer.parseInt(text);
    if (iterations > ITERATIONS_MAX) {
      throw new ScramException("the server asks for too many iterations");
    }
    return iterations;
  }

  private static byte[] decode(String base64) throws ScramException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException notBase64) {
      throw new ScramException("the server sent malformed base64");
    }
  }

  private static Map<Character, String> attributes(String message) {
    Map<Character, String> attributes = new HashMap<>();
    for (String part : message.split(",", -1)) {
      if (part.length() > 1 && part.charAt(1) == '=') {
        attributes.putIfAbsent(part.charAt(0), part.substring(2));
      }
    }
    return attributes;
  }

  /** PostgreSQL prepares passwords by SASLprep where it can. */
  static ScramKeys fromPassword(String password, byte[] salt, int iterations) {
    byte[] salted =
        ScramFunctions.saltedPassword(
            ScramVerifier.MECHANISM,
            StringPreparation.POSTGRESQL_PREPARATION,
            password.toCharArray(),
            salt,
            iterations);
    byte[] clientKey = ScramFunctions.clientKey(ScramVerifier.MECHANISM, salted);
    return new ScramKeys(
        clientKey,
        ScramFunctions.storedKey(ScramVerifier.MECHANISM, clientKey),
        ScramFunctions.serverKey(ScramVerifier.MECHANISM, salted));
  }
}

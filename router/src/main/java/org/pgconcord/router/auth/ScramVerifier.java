package org.pgconcord.router.auth;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What PostgreSQL stores of a password: {@code SCRAM-SHA-256$4096:salt$StoredKey:ServerKey}, the
 * parts in base64. Printing it shows nothing.
 */
public final class ScramVerifier {
  static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_256;
  private static final Pattern FORM =
      Pattern.compile("SCRAM-SHA-256\\$(\\d{1,9}):([A-Za-z0-9+/=]+)\\$([^:$]+):([^:$]+)");
  private static final int KEY_BYTES = 32;

  private final int iterations;
  private final String salt;
  private final byte[] storedKey;
  private final byte[] serverKey;

  private ScramVerifier(int iterations, String salt, byte[] storedKey, byte[] serverKey) {
    this.iterations = iterations;
    this.salt = salt;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  /** Empty for a text of another form (an md5 hash, a plain password). */
  public static Optional<ScramVerifier> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    try {
      byte[] stored = Base64.getDecoder().decode(form.group(3));
      byte[] server = Base64.getDecoder().decode(form.group(4));
      boolean right = stored.length == KEY_BYTES && server.length == KEY_BYTES;
      int iterations = Integer.parseInt(form.group(1));
      return right && iterations > 0
          ? Optional.of(new ScramVerifier(iterations, form.group(2), stored, server))
          : Optional.empty();
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  /**
   * A verifier that nothing satisfies, the same for a name every time in this process: an unknown
   * role must look like a known one with a wrong password.
   */
  static ScramVerifier mock(byte[] processSecret, String role) {
    byte[] name = role.getBytes(StandardCharsets.UTF_8);
    byte[] digest = ScramFunctions.hmac(MECHANISM, processSecret, name);
    String salt = Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(digest, 16));
    return new ScramVerifier(4096, salt, new byte[KEY_BYTES], new byte[KEY_BYTES]);
  }

  int iterations() {
    return iterations;
  }

  /** In base64. */
  String salt() {
    return salt;
  }

  byte[] storedKey() {
    return storedKey;
  }

  byte[] serverKey() {
    return serverKey;
  }

  @Override
  public String toString() {
    return "ScramVerifier[***]";
  }
}

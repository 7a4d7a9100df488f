package org.pgconcord.router.backend;

/**
 * Whether and how far a shard's TLS is used: libpq's {@code sslmode}, without its {@code allow}.
 */
public enum TlsMode {
  DISABLE,
  /** TLS when the server has it; protects from nobody who can change packets. */
  PREFER,
  REQUIRE,
  VERIFY_CA,
  VERIFY_FULL;

  /** {@code allow} is taken as {@code prefer}, which asks for TLS first. */
  public static TlsMode of(String sslmode) {
    return switch (sslmode) {
      case "disable" -> DISABLE;
      case "require" -> REQUIRE;
      case "verify-ca" -> VERIFY_CA;
      case "verify-full" -> VERIFY_FULL;
      default -> PREFER;
    };
  }

  boolean verifies() {
    return this == VERIFY_CA || this == VERIFY_FULL;
  }
}

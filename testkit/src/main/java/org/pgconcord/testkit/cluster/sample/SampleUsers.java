package org.pgconcord.testkit.cluster.sample;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * Generates users: row {@code n} is a pure function of the seed and {@code n}, so that loaders may
 * share the work and a test can name a row without reading it.
 */
public final class SampleUsers {
  /** Tenants are numbered from 1 to this. */
  public static final int TENANTS = 1_000;

  private static final Instant FIRST_DAY = Instant.parse("2024-01-01T00:00:00Z");
  private static final int SECONDS_COVERED = 2 * 365 * 24 * 3600;

  private static final List<String> FIRST =
      List.of(
          "Ada",
          "Alan",
          "Barbara",
          "Claude",
          "Donald",
          "Edgar",
          "Emmy",
          "Frances",
          "Grace",
          "Hedy",
          "Ivan",
          "Jean",
          "Karen",
          "Ken",
          "Leslie",
          "Margaret",
          "Niklaus",
          "Olga",
          "Peter",
          "Radia",
          "Sophie",
          "Tim",
          "Ursula",
          "Vint",
          "Wanda",
          "Xenia",
          "Yukihiro",
          "Zoë");
  private static final List<String> LAST =
      List.of(
          "Allen",
          "Backus",
          "Codd",
          "Dijkstra",
          "Engelbart",
          "Floyd",
          "Goldberg",
          "Hopper",
          "Iverson",
          "Jennings",
          "Kay",
          "Lamport",
          "Lovelace",
          "McCarthy",
          "Noether",
          "Ousterhout",
          "Perlman",
          "Quine",
          "Ritchie",
          "Stonebraker",
          "Turing",
          "Ullman",
          "Vixie",
          "Wirth",
          "Xie",
          "Yao",
          "Zuse");
  private static final List<String> DOMAIN = List.of("example.com", "example.net", "example.org");

  private final long seed;
  private final List<String> countryCodes;

  public SampleUsers(long seed) {
    this.seed = seed;
    this.countryCodes = SampleCountries.codes();
  }

  /** Row {@code number}, counted from 1. */
  public SampleUser user(long number) {
    long bits = mix(seed ^ mix(number));
    String first = pick(FIRST, bits);
    String last = pick(LAST, bits >>> 8);
    String email =
        (first + "." + last + "." + number).replace('ë', 'e').toLowerCase(Locale.ROOT)
            + "@"
            + pick(DOMAIN, bits >>> 16);
    long created = FIRST_DAY.getEpochSecond() + Long.remainderUnsigned(mix(bits), SECONDS_COVERED);
    return new SampleUser(
        tenant(number),
        number,
        email,
        first + " " + last,
        pick(countryCodes, bits >>> 24),
        Instant.ofEpochSecond(created).toString());
  }

  /** The tenant of row {@code number}: cheaper than the whole row. */
  public long tenant(long number) {
    return 1 + Long.remainderUnsigned(mix(mix(seed) + number), TENANTS);
  }

  private static String pick(List<String> words, long bits) {
    return words.get((int) Long.remainderUnsigned(bits & 0xFFFFFFFFL, words.size()));
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit moves every other. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}

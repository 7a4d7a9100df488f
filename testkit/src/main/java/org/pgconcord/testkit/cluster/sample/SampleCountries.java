package org.pgconcord.testkit.cluster.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The 249 countries of ISO 3166, from the committed {@code countries.csv}. */
public final class SampleCountries {
  private SampleCountries() {}

  /** The file whole: a header, then {@code code,name} lines. */
  public static String csv() {
    try (InputStream file = SampleCountries.class.getResourceAsStream("countries.csv")) {
      if (file == null) {
        throw new IllegalStateException("countries.csv is not on the class path");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The two-letter codes in their order. */
  public static List<String> codes() {
    return csv().lines().skip(1).map(line -> line.substring(0, 2)).toList();
  }
}

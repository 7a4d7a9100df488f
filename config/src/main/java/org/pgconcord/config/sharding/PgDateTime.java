package org.pgconcord.config.sharding;

import java.time.LocalDate;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Dates and timestamps in ISO form, as numbers of PostgreSQL's own epoch, 2000-01-01: days for a
 * date, microseconds for a timestamp; the infinities are the extremes of the number (src/include/
 * datatype/timestamp.h). Forms that need {@code DateStyle} or {@code TimeZone} to be understood are
 * not read.
 */
final class PgDateTime {
  private static final Pattern FORM =
      Pattern.compile(
          "(?<year>[0-9]{4,7})-(?<month>[0-9]{2})-(?<day>[0-9]{2})"
              + "(?<time>[ T](?<hour>[0-9]{2}):(?<minute>[0-9]{2})"
              + "(:(?<second>[0-9]{2})(\\.(?<fraction>[0-9]{1,6}))?)?)?"
              + "(?<zone>Z|[+-][0-9]{2}(:?[0-9]{2}(:[0-9]{2})?)?)?"
              + "(?<bc> BC)?");
  private static final long EPOCH_DAY = LocalDate.of(2000, 1, 1).toEpochDay();
  private static final long DAY_SECONDS = 86_400;
  private static final long MICROS = 1_000_000;

  private PgDateTime() {}

  static long days(String text) {
    Integer sign = infinity(text);
    if (sign != null) {
      return sign > 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE;
    }
    Matcher form = form(text);
    require(form.group("time") == null && form.group("zone") == null, "a date without a time");
    return day(form);
  }

  static long localMicros(String text) {
    Integer sign = infinity(text);
    if (sign != null) {
      return sign > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    Matcher form = form(text);
    require(form.group("zone") == null, "a timestamp without a zone");
    return micros(form, 0);
  }

  static long instantMicros(String text) {
    Integer sign = infinity(text);
    if (sign != null) {
      return sign > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    Matcher form = form(text);
    String zone = form.group("zone");
    require(zone != null && form.group("time") != null, "a timestamp with a zone");
    return micros(form, offsetSeconds(String.valueOf(zone)));
  }

  private static @Nullable Integer infinity(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "infinity" -> 1;
      case "-infinity" -> -1;
      default -> null;
    };
  }

  private static Matcher form(String text) {
    Matcher form = FORM.matcher(text.trim());
    require(form.matches(), "an ISO date or timestamp");
    return form;
  }

  private static long day(Matcher form) {
    int year = Integer.parseInt(form.group("year"));
    require(year > 0, "a year from 1");
    int proleptic = form.group("bc") == null ? year : 1 - year;
    LocalDate date = LocalDate.of(proleptic, number(form, "month"), number(form, "day"));
    return date.toEpochDay() - EPOCH_DAY;
  }

  private static long micros(Matcher form, int offsetSeconds) {
    long seconds = 0;
    if (form.group("time") != null) {
      int hour = number(form, "hour");
      int minute = number(form, "minute");
      int second = number(form, "second");
      require(hour < 24 && minute < 60 && second < 60, "a time of day");
      seconds = hour * 3600L + minute * 60L + second;
    }
    long whole = Math.multiplyExact(day(form), DAY_SECONDS) + seconds - offsetSeconds;
    return Math.addExact(Math.multiplyExact(whole, MICROS), fraction(form.group("fraction")));
  }

  private static int number(Matcher form, String group) {
    String digits = form.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  private static long fraction(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong((digits + "000000").substring(0, 6));
  }

  private static int offsetSeconds(String zone) {
    if (zone.equals("Z")) {
      return 0;
    }
    String digits = zone.substring(1).replace(":", "") + "0000";
    int hours = Integer.parseInt(digits.substring(0, 2));
    int minutes = Integer.parseInt(digits.substring(2, 4));
    int seconds = Integer.parseInt(digits.substring(4, 6));
    require(hours < 16 && minutes < 60 && seconds < 60, "an offset");
    int total = hours * 3600 + minutes * 60 + seconds;
    return zone.startsWith("-") ? -total : total;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException("not " + what);
    }
  }
}

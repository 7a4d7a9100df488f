package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.plan.SortKey;

/** PostgreSQL's order of binary values; StreamsIT holds it against a server. */
class KeyOrderTest {
  private static final SortKey UP = new SortKey(true, false, false);

  @Test
  void numbersOfAnySignAndScale() {
    List<byte[]> ascending =
        List.of(
            numeric(0, 0, 0xF000),
            numeric(0, 1, 0x4000, 9_999),
            numeric(0, 0, 0x4000, 1),
            numeric(0, -1, 0x4000, 1),
            numeric(0, 0, 0),
            numeric(0, -2, 0, 5),
            numeric(0, -1, 0, 1),
            numeric(0, 0, 0, 2),
            numeric(0, 0, 0, 2, 1),
            numeric(0, 1, 0, 1),
            numeric(0, 0, 0xD000),
            numeric(0, 0, 0xC000));
    ascends(KeyOrder.of(UP, 1700).orElseThrow(), ascending);
    assertThat(
            KeyOrder.of(UP, 1700)
                .orElseThrow()
                .compare(numeric(0, 0, 0, 2), numeric(3, 0, 0, 2, 0)))
        .isZero();
  }

  @Test
  void floatsWithOneZeroAndOneNaN() {
    KeyOrder order = KeyOrder.of(UP, 701).orElseThrow();
    ascends(
        order,
        List.of(
            real(Double.NEGATIVE_INFINITY),
            real(-1),
            real(0),
            real(Double.MIN_VALUE),
            real(Double.POSITIVE_INFINITY),
            real(Double.NaN)));
    assertThat(order.compare(real(-0.0), real(0.0))).isZero();
  }

  @Test
  void bytesAreUnsignedAndNullsWhereTheyAreAskedFor() {
    KeyOrder order = KeyOrder.of(UP, 25).orElseThrow();
    ascends(order, List.of(text(""), text("Z"), text("a"), text("aa"), text("é")));
    assertThat(order.compare(null, text("z"))).isPositive();
    KeyOrder down = KeyOrder.of(new SortKey(true, true, true), 25).orElseThrow();
    assertThat(down.compare(null, text("z"))).isNegative();
    assertThat(down.compare(text("a"), text("b"))).isPositive();
    assertThat(KeyOrder.of(new SortKey(false, false, false), 25)).isEmpty();
    assertThat(KeyOrder.of(UP, 1186)).isEmpty();
  }

  private static void ascends(Comparator<byte[]> order, List<byte[]> values) {
    for (int i = 0; i < values.size(); i++) {
      for (int j = 0; j < values.size(); j++) {
        assertThat(Integer.signum(order.compare(values.get(i), values.get(j))))
            .as("%d and %d", i, j)
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  private static byte[] numeric(int scale, int weight, int sign, int... digits) {
    ByteBuffer out = ByteBuffer.allocate(8 + 2 * digits.length);
    out.putShort((short) digits.length).putShort((short) weight);
    out.putShort((short) sign).putShort((short) scale);
    for (int digit : digits) {
      out.putShort((short) digit);
    }
    return out.array();
  }

  private static byte[] real(double value) {
    return ByteBuffer.allocate(8).putDouble(value).array();
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }
}

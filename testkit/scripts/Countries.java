import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Prints the ISO 3166 countries, "code,name" with a header, from the JDK's locale data (CLDR; names
 * differ a little between JDKs, the committed file is from 17). Run:
 *
 * <pre>
 * java testkit/scripts/Countries.java \
 *     > testkit/src/main/resources/org/pgconcord/testkit/cluster/sample/countries.csv
 * </pre>
 */
public final class Countries {
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.print("code,name\n");
    String[] codes = Locale.getISOCountries();
    Arrays.sort(codes);
    for (String code : codes) {
      String name = new Locale("", code).getDisplayCountry(Locale.ENGLISH);
      boolean plain = name.indexOf(',') < 0 && name.indexOf('"') < 0;
      out.print(code + "," + (plain ? name : '"' + name.replace("\"", "\"\"") + '"') + "\n");
    }
  }
}

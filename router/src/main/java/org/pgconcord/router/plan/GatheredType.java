package org.pgconcord.router.plan;

import java.util.HashMap;
import java.util.Map;
import org.pgconcord.config.error.ErrorCode;

/**
 * How values of a type travel from the shards to the shard that finishes a query: as a binary array
 * where the type is PostgreSQL's own, so that no setting of the session can change them; as an
 * array of texts where the type's number can differ between shards, or where it is an array whose
 * text depends on no setting. Arrays whose text does (of floating point, of dates) are laid end to
 * end in one binary array, and cut apart again by where each begins and ends.
 *
 * @param oid of the type
 * @param name of the array's element type
 * @param binary values are fetched and sent in binary format
 * @param element the oid of the elements where the type is an array that is laid end to end; else 0
 */
public record GatheredType(int oid, String name, boolean binary, int element) {
  private static final int FIRST_USER_OID = 16_384;

  private static final Map<Integer, String> SCALARS = scalars();

  /** Arrays whose text form depends on no setting. */
  private static final Map<Integer, String> PLAIN_ARRAYS =
      named(
          "199:json[] 651:cidr[] 1000:bool[] 1001:bytea[] 1002:\"char\"[] 1003:name[] 1005:int2[]"
              + " 1007:int4[] 1009:text[] 1014:bpchar[] 1015:varchar[] 1016:int8[] 1028:oid[]"
              + " 1040:macaddr[] 1041:inet[] 1231:numeric[] 1561:bit[] 1563:varbit[] 2951:uuid[]"
              + " 3807:jsonb[]");

  /** Other arrays, and the types of their elements. */
  private static final Map<Integer, Integer> ARRAYS =
      Map.ofEntries(
          Map.entry(143, 142),
          Map.entry(271, 5069),
          Map.entry(629, 628),
          Map.entry(719, 718),
          Map.entry(775, 774),
          Map.entry(791, 790),
          Map.entry(1017, 600),
          Map.entry(1018, 601),
          Map.entry(1019, 602),
          Map.entry(1020, 603),
          Map.entry(1021, 700),
          Map.entry(1022, 701),
          Map.entry(1027, 604),
          Map.entry(1115, 1114),
          Map.entry(1182, 1082),
          Map.entry(1183, 1083),
          Map.entry(1185, 1184),
          Map.entry(1187, 1186),
          Map.entry(1270, 1266),
          Map.entry(3221, 3220),
          Map.entry(3643, 3614),
          Map.entry(3645, 3615),
          Map.entry(3905, 3904),
          Map.entry(3907, 3906),
          Map.entry(3909, 3908),
          Map.entry(3911, 3910),
          Map.entry(3913, 3912),
          Map.entry(3927, 3926),
          Map.entry(4073, 4072));

  private static Map<Integer, String> scalars() {
    return named(
        "16:bool 17:bytea 19:name 20:int8 21:int2 23:int4 25:text 26:oid 28:xid 29:cid 114:json"
            + " 142:xml 600:point 601:lseg 602:path 603:box 604:polygon 628:line 650:cidr"
            + " 700:float4 701:float8 718:circle 774:macaddr8 790:money 829:macaddr 869:inet"
            + " 1042:bpchar 1043:varchar 1082:date 1083:time 1114:timestamp 1184:timestamptz"
            + " 1186:interval 1266:timetz 1560:bit 1562:varbit 1700:numeric 2950:uuid 3220:pg_lsn"
            + " 3614:tsvector 3615:tsquery 3802:jsonb 3904:int4range 3906:numrange 3908:tsrange"
            + " 3910:tstzrange 3912:daterange 3926:int8range 4072:jsonpath 4451:int4multirange"
            + " 4532:nummultirange 4533:tsmultirange 4534:tstzmultirange 4535:datemultirange"
            + " 4536:int8multirange 5069:xid8 18:\"char\"");
  }

  private static Map<Integer, String> named(String list) {
    Map<Integer, String> names = new HashMap<>();
    for (String entry : list.split(" ", -1)) {
      int colon = entry.indexOf(':');
      names.put(
          Integer.parseInt(entry.substring(0, colon)), "pg_catalog." + entry.substring(colon + 1));
    }
    return Map.copyOf(names);
  }

  /** What makes a value that came as a text one of its type again; empty where it is one. */
  String cast() {
    return binary ? "" : "::" + PLAIN_ARRAYS.getOrDefault(oid, name);
  }

  /** Whether another server's type of this number can be this one: a user's has any there. */
  public boolean mayBe(int other) {
    return oid == other || (isUsers(oid) && isUsers(other));
  }

  private static boolean isUsers(int oid) {
    return oid >= FIRST_USER_OID || oid < 0;
  }

  /**
   * The way for a type.
   *
   * @throws org.pgconcord.config.error.ConcordException for a type that has none
   */
  public static GatheredType of(int oid) {
    String scalar = SCALARS.get(oid);
    if (scalar != null) {
      return new GatheredType(oid, scalar, true, 0);
    } else if (isUsers(oid) || PLAIN_ARRAYS.containsKey(oid)) {
      return new GatheredType(oid, "pg_catalog.text", false, 0);
    }
    Integer element = ARRAYS.get(oid);
    if (element != null) {
      return new GatheredType(oid, SCALARS.getOrDefault(element, ""), true, element);
    }
    throw ErrorCode.QUERY_NEEDS_MERGE
        .because("values of the type with oid %d are not gathered from shards".formatted(oid))
        .withHint("Leave the column out, cast it to text, or pin the table by its shard key.");
  }
}

package org.pgconcord.config.check;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.schema.UserCode;

/** Finds what runs code of users in one database of a shard. */
final class CodeSurvey {
  /**
   * Functions in SQL and procedural languages. Those of the extension citext, which have the names
   * of PostgreSQL's own, read nothing.
   */
  private static final String CODE =
      """
      WITH RECURSIVE code AS (
        SELECT p.oid, p.proname, p.pronargs, p.pronargdefaults, p.proargtypes
        FROM pg_catalog.pg_proc p
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
             JOIN pg_catalog.pg_language l ON l.oid = p.prolang
        WHERE l.lanname NOT IN ('internal', 'c')
          AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgconcord')
          AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype,
                                   'pg_catalog.event_trigger'::pg_catalog.regtype)
          AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d
                        JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
            WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid
              AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
              AND d.deptype = 'e' AND e.extname = 'citext')
      ),
      """;

  private static final String FUNCTIONS =
      """
      called AS (
        SELECT * FROM code
        UNION
        SELECT p.oid, p.proname, p.pronargs, p.pronargdefaults, p.proargtypes
        FROM pg_catalog.pg_aggregate a JOIN pg_catalog.pg_proc p ON p.oid = a.aggfnoid
        WHERE EXISTS (
          SELECT FROM code c
          WHERE c.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
                          a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
      )
      SELECT 'function', proname::text FROM called
      UNION
      SELECT 'row function', c.proname::text
      FROM called c JOIN pg_catalog.pg_type t ON t.oid = c.proargtypes[0]
      WHERE c.pronargs - c.pronargdefaults <= 1 AND t.typtype IN ('c', 'p')
      UNION
      SELECT 'operator', o.oprname::text
      FROM pg_catalog.pg_operator o JOIN code c ON c.oid = o.oprcode
      """;

  /** A cast, and whatever a statement names to have a value of a type of users that it casts. */
  private static final String CASTS =
      """
      cast_code AS (
        SELECT CASE WHEN k.castcontext = 'e' THEN 'explicit cast' ELSE 'cast' END AS kind, t.oid,
               t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace AS built_in, k.oid AS cast_oid
        FROM pg_catalog.pg_cast k
             JOIN code c ON c.oid = k.castfunc
             JOIN pg_catalog.pg_type t ON t.oid IN (k.castsource, k.casttarget)
      ),
      reached(kind, class, id) AS (
        SELECT kind, 'pg_catalog.pg_type'::pg_catalog.regclass::oid, oid
        FROM cast_code WHERE NOT built_in
        UNION
        SELECT r.kind, next.class, next.id
        FROM reached r,
             LATERAL (
               SELECT d.classid, d.objid
               FROM pg_catalog.pg_depend d
               WHERE d.refclassid = r.class AND d.refobjid = r.id
                 AND d.classid IN ('pg_catalog.pg_type'::pg_catalog.regclass,
                                   'pg_catalog.pg_class'::pg_catalog.regclass,
                                   'pg_catalog.pg_rewrite'::pg_catalog.regclass)
               UNION ALL
               SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, w.ev_class
               FROM pg_catalog.pg_rewrite w
               WHERE r.class = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND w.oid = r.id
             ) next(class, id)
      )
      SELECT r.kind, t.typname::text
      FROM reached r JOIN pg_catalog.pg_type t ON t.oid = r.id
      WHERE r.class = 'pg_catalog.pg_type'::pg_catalog.regclass
      UNION
      SELECT r.kind, c.relname::text
      FROM reached r JOIN pg_catalog.pg_class c ON c.oid = r.id
      WHERE r.class = 'pg_catalog.pg_class'::pg_catalog.regclass
      UNION
      SELECT 'any cast', '' FROM cast_code GROUP BY cast_oid HAVING bool_and(built_in)
      """;

  private CodeSurvey() {}

  static UserCode read(Connection connection) throws SQLException {
    Map<String, Set<String>> names = new HashMap<>();
    try (Statement statement = connection.createStatement()) {
      for (String query : new String[] {CODE + FUNCTIONS, CODE + CASTS}) {
        try (ResultSet row = statement.executeQuery(query)) {
          while (row.next()) {
            names.computeIfAbsent(row.getString(1), kind -> new HashSet<>()).add(row.getString(2));
          }
        }
      }
    }
    return new UserCode(
        names.getOrDefault("function", Set.of()),
        names.getOrDefault("row function", Set.of()),
        names.getOrDefault("operator", Set.of()),
        names.getOrDefault("cast", Set.of()),
        names.getOrDefault("explicit cast", Set.of()),
        names.containsKey("any cast"));
  }
}

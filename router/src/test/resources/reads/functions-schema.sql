CREATE SCHEMA own;
CREATE FUNCTION own.twice(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT $1 * 2';
CREATE FUNCTION own.label(bigint) RETURNS text STABLE LANGUAGE plpgsql AS $$
  -- Nothing of orders.
  BEGIN RETURN 'tenant ' || $1; END $$;
CREATE FUNCTION own.noise() RETURNS boolean LANGUAGE sql AS 'SELECT random() >= 0';
CREATE FUNCTION own.orders_of(bigint) RETURNS bigint STABLE LANGUAGE sql AS
  'SELECT count(*) FROM orders WHERE tenant = $1';
CREATE FUNCTION own.all_orders() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
  DECLARE found bigint; BEGIN SELECT count(*) INTO found FROM "orders"; RETURN found; END $$;
CREATE FUNCTION own.mislabelled() RETURNS bigint IMMUTABLE LANGUAGE sql AS
  'SELECT count(*) FROM public . orders';
CREATE FUNCTION own.through(integer) RETURNS bigint LANGUAGE sql AS 'SELECT own.all_orders() + $1';
CREATE FUNCTION own.further(integer DEFAULT own.through(1)) RETURNS integer LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION own.standard(bigint) RETURNS bigint STABLE
  BEGIN ATOMIC SELECT count(*) FROM public.orders WHERE tenant = $1; END;
CREATE FUNCTION own.made(text) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
  DECLARE found bigint; BEGIN EXECUTE 'SELECT count(*) FROM ' || $1 INTO found; RETURN found; END $$;
CREATE FUNCTION own.title(text) RETURNS text STABLE LANGUAGE sql AS
  'SELECT title FROM countries WHERE code = $1';
CREATE FUNCTION own.retitle(text) RETURNS bigint LANGUAGE sql AS
  'UPDATE countries SET title = title WHERE code = $1; SELECT 1::bigint';
CREATE FUNCTION own.note_count() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM notes';
CREATE FUNCTION own.step(bigint, integer) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 + $2';
CREATE AGGREGATE own.added(integer) (SFUNC = own.step, STYPE = bigint, INITCOND = '0');
CREATE FUNCTION own.counting(bigint, integer) RETURNS bigint STABLE LANGUAGE sql AS
  'SELECT $1 + $2 + count(*) FROM orders';
CREATE AGGREGATE own.counted(integer) (SFUNC = own.counting, STYPE = bigint, INITCOND = '0');
CREATE TYPE own.mark AS (n integer);
CREATE FUNCTION own.same(own.mark, own.mark) RETURNS boolean IMMUTABLE LANGUAGE sql AS
  'SELECT $1.n OPERATOR(pg_catalog.=) $2.n';
CREATE OPERATOR own.= (LEFTARG = own.mark, RIGHTARG = own.mark, FUNCTION = own.same);
CREATE FUNCTION own.as_mark(integer) RETURNS own.mark IMMUTABLE LANGUAGE sql AS 'SELECT ROW($1)::own.mark';
CREATE CAST (integer AS own.mark) WITH FUNCTION own.as_mark(integer) AS IMPLICIT;
CREATE FUNCTION own.near(integer, integer) RETURNS boolean STABLE LANGUAGE sql AS
  'SELECT abs($1 - $2) < (SELECT count(*) FROM orders)';
CREATE OPERATOR own.<~> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = own.near);
CREATE VIEW own.order_count AS SELECT own.all_orders() AS n;
CREATE VIEW own.above AS SELECT n + 1 AS n FROM own.order_count;
CREATE VIEW own.doubled AS SELECT own.twice(2) AS n;
CREATE VIEW own.noted AS SELECT count(*) AS n FROM notes;
CREATE POLICY own_some ON pages USING (tenant IN (SELECT tenant FROM accounts WHERE active));
ALTER TABLE pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE shelves ALTER id SET DEFAULT own.orders_of(1);
ALTER TABLE notes ADD CONSTRAINT own_check CHECK (own.note_count() >= 0 AND own.twice(1) = 2);
CREATE TABLE own.policed (n integer);
CREATE POLICY own_some ON own.policed USING (n < own.all_orders());
ALTER TABLE own.policed ENABLE ROW LEVEL SECURITY;

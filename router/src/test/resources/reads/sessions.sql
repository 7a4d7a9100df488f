SELECT count(*) FROM rich
SELECT count(*) FROM rich WHERE tenant = 2
SELECT count(*) FROM other.richer
SELECT how_many()
SELECT how_many() FROM countries
SET pgconcord.functions = local
SELECT id, how_many_of(tenant) FROM accounts WHERE tenant = 3 AND id < 9 ORDER BY id
SELECT secretly()

SET search_path = other, public
SELECT count(*) FROM accounts
SELECT count(*) FROM accounts WHERE tenant = 3
SELECT count(*) FROM public.accounts
SELECT count(*) FROM orders
SELECT count(*) FROM richer

SET search_path = other
SELECT count(*) FROM accounts
SELECT count(*) FROM orders
SELECT count(*) FROM alone
SELECT count(*) FROM public.orders

BEGIN
SET LOCAL search_path = other
SELECT count(*) FROM public.accounts
SELECT count(*) FROM orders WHERE tenant = 3

BEGIN
SET LOCAL search_path = other
COMMIT
SELECT count(*) FROM orders

BEGIN
SET search_path = other
ROLLBACK
SELECT count(*) FROM orders

BEGIN
SAVEPOINT a
SET search_path = other
ROLLBACK TO a
SELECT count(*) FROM orders
COMMIT

SELECT set_config('search_path', 'other', false)

SET search_path TO ''
SELECT count(*) FROM public.accounts a JOIN public.orders o ON a.id = o.account
SELECT count(*) FROM accounts

SET search_path = "$user", public
SELECT count(*) FROM orders WHERE tenant = 2

CREATE TEMP TABLE accounts AS SELECT 1 AS id
SELECT count(*) FROM accounts

CREATE TEMPORARY TABLE mine (id int)
INSERT INTO mine VALUES (1)
SELECT count(*) FROM mine

SET standard_conforming_strings = off
SELECT count(*) FROM accounts WHERE name = 'a\' OR tenant = 3 --'
SELECT count(*) FROM accounts

SET extra_float_digits = 0
SELECT rate, small FROM accounts WHERE tenant = 3 AND id < 30 ORDER BY id
SELECT id, rate, small FROM accounts ORDER BY id LIMIT 9
SELECT sum(rate), avg(small), rate::text FROM accounts GROUP BY rate ORDER BY 1, 2 LIMIT 5

SET extra_float_digits = -5
SELECT rate, small FROM accounts ORDER BY rate, id LIMIT 9

SET DateStyle = 'German, DMY'
SELECT id, born, seen FROM accounts WHERE tenant = 3 AND id < 30 ORDER BY id
SELECT id, born, seen, born::text FROM accounts ORDER BY id LIMIT 9
SELECT max(born), min(seen), array_agg(born ORDER BY id) FROM accounts
SELECT id FROM accounts WHERE born < '03.02.2021' ORDER BY id
SELECT id FROM accounts WHERE born > '01.10.2020' AND tenant = 2 ORDER BY id
RESET DateStyle
SELECT max(born) FROM accounts

SET TimeZone = 'Asia/Tokyo'
SELECT id, seen FROM accounts ORDER BY id LIMIT 9
SELECT date_trunc('day', seen) d, count(*) FROM accounts GROUP BY 1 ORDER BY 1 LIMIT 9
SELECT count(*) FROM accounts WHERE seen::date = '2021-01-02'
SELECT seen::date, count(*) FROM accounts GROUP BY 1 ORDER BY 1 LIMIT 9
SET TIME ZONE LOCAL
SELECT id, seen::text FROM accounts ORDER BY id LIMIT 4
SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE
SELECT id, seen::text FROM accounts ORDER BY id LIMIT 4
SET TIME ZONE -7.5
SELECT id, seen::text FROM accounts ORDER BY id LIMIT 4

SET IntervalStyle = iso_8601
SELECT id, span FROM accounts WHERE tenant = 3 ORDER BY id LIMIT 5
SELECT id, span, span::text FROM accounts ORDER BY id LIMIT 9
SELECT sum(span), max(span) FROM accounts
SET INTERVALSTYLE TO sql_standard
SELECT id, span FROM accounts ORDER BY id LIMIT 9

SET bytea_output = escape
SELECT id, raw FROM accounts WHERE tenant = 3 ORDER BY id
SELECT id, raw, raw::text FROM accounts ORDER BY id LIMIT 9
SELECT max(encode(raw, 'hex')), count(DISTINCT raw) FROM accounts

SET lc_numeric = 'C'
SELECT sum(balance), to_char(sum(balance), '999G999D99') FROM accounts

SET transform_null_equals = on
SELECT count(*) FROM accounts WHERE tenant = NULL
SELECT count(*) FROM accounts WHERE name = NULL

SET array_nulls = off
SELECT count(*) FROM accounts WHERE tenant = ANY ('{1,NULL}'::bigint[])
SELECT count(*) FROM accounts WHERE name = ANY ('{NULL,x}'::text[])

SET quote_all_identifiers = on
SELECT pg_get_viewdef('pg_tables'::regclass) IS NULL

SET xmloption = document
SELECT count(*) FROM accounts

SET xmlbinary = hex
SELECT xmlforest(raw) IS NULL FROM accounts WHERE id = 4

SET row_security = off
SELECT count(*) FROM accounts

SET statement_timeout = '5s'
SHOW statement_timeout
SELECT count(*) FROM accounts
SET LOCAL statement_timeout = 1
SHOW statement_timeout

SET client_encoding = 'LATIN1'
SELECT count(*) FROM accounts

SET NAMES 'UTF8'
SELECT count(*) FROM accounts

SET SESSION AUTHORIZATION DEFAULT
SELECT current_user = session_user, count(*) FROM accounts

SET ROLE NONE
SELECT current_user = session_user

SET ROLE demo
SELECT current_user
SELECT count(*) FROM accounts
RESET ROLE
SELECT current_user
SELECT count(*) FROM accounts

BEGIN
SET LOCAL ROLE demo
SELECT current_user, (SELECT count(*) FROM countries)
ROLLBACK
SELECT current_user

PREPARE p (bigint) AS SELECT count(*) FROM accounts WHERE tenant = $1
EXECUTE p(3)
DEALLOCATE ALL

PREPARE q AS SELECT 1
EXECUTE q
DISCARD ALL

SET DateStyle = 'SQL'
DISCARD ALL
SELECT max(born) FROM accounts

DECLARE c CURSOR FOR SELECT id FROM accounts
FETCH 3 FROM c

BEGIN
DECLARE c CURSOR FOR SELECT id FROM accounts ORDER BY id
FETCH 3 FROM c
COMMIT

INSERT INTO made (tenant, id, a) VALUES (1, 1, 5), (2, 2, 6), (3, 3, 7), (4, 4, NULL)
SELECT * FROM made ORDER BY id
SELECT * FROM made WHERE tenant = 2
SELECT sum(b), max(c), string_agg(late, ',') FROM made
INSERT INTO made VALUES (5, 5, 9), (6, 6, 8)
SELECT m, m.* FROM made m ORDER BY id
SELECT row_to_json(m) FROM made m ORDER BY m.id
SELECT (m).b, (m.*)::text FROM made m WHERE m.b > 12 ORDER BY m.id
UPDATE made SET a = a + 1 RETURNING tenant, id, a, b, c, late
UPDATE made SET b = 3 WHERE tenant = 1
UPDATE made SET b = DEFAULT, c = DEFAULT WHERE tenant = 1 RETURNING *
INSERT INTO made (tenant, id, b) VALUES (7, 7, 1)
INSERT INTO made (tenant, id, b) VALUES (7, 7, DEFAULT) RETURNING *
DELETE FROM made WHERE b IS NULL RETURNING *
SELECT attname FROM pg_attribute WHERE attrelid = 'made'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
SELECT to_jsonb(made) FROM made ORDER BY id
SELECT made FROM made ORDER BY made.id
SELECT count(made), count(DISTINCT made), max(made.*::text) FROM made
DELETE FROM made

SELECT current_schema, current_schemas(false), current_setting('search_path')
SET search_path = other, public
SELECT current_schema, current_setting('search_path')
SHOW search_path

SET pgconcord.fanout = single
SELECT count(*) FROM accounts

SELECT 'accounts'::regclass::oid = 'public.accounts'::regclass::oid, 'accounts'::regclass
SELECT tableoid::regclass, count(*) FROM accounts WHERE tenant = 3 GROUP BY 1
SELECT tableoid::regclass, count(*) FROM accounts GROUP BY 1
SELECT accounts.ctid IS NULL FROM accounts WHERE tenant = 3 AND id = 3
SELECT pg_typeof(a), pg_typeof(id) FROM accounts a WHERE id = 3
SELECT count(*) FROM pg_class WHERE relname = 'accounts'
SELECT has_table_privilege('accounts', 'SELECT'), pg_table_size('accounts') > 0
SELECT n_live_tup >= 0 FROM pg_stat_user_tables WHERE relname = 'orders' AND schemaname = 'public'
SELECT query_to_xml('SELECT count(*) FROM accounts', true, true, '')
SELECT table_to_xml('accounts', true, true, '')

SELECT count(*) FROM accounts WHERE tenant = 3 AND id IN (SELECT account FROM orders)
SELECT count(*) FROM accounts WHERE tenant = (SELECT max(tenant) FROM orders)
SELECT count(*) FROM accounts WHERE tenant = (SELECT 3)
SELECT count(*) FROM accounts WHERE (tenant, id) IN (SELECT tenant, account FROM orders WHERE tenant = 3)
SELECT current_date = now()::date, count(*) FROM accounts
SELECT count(*) FROM accounts WHERE tenant = 3 AND current_user = 'nobody'
SELECT DISTINCT current_user FROM accounts
SELECT inet_server_port() IS NULL, pg_backend_pid() > 0

SELECT count(*) FROM accounts WHERE tenant = length('abc')
SELECT count(*) FROM accounts WHERE tenant = 3 AND pg_sleep(0) IS NOT NULL
SELECT id FROM accounts WHERE random() < 2 AND tenant = 3 ORDER BY id
SELECT count(*) FROM accounts WHERE random() < 2
SELECT count(DISTINCT now()), count(DISTINCT transaction_timestamp()) FROM accounts
SELECT count(DISTINCT statement_timestamp()) FROM accounts
SELECT DISTINCT now() = transaction_timestamp() FROM accounts

SELECT abs('x')
SELECT abs('x'::text), count(*) FROM countries
SELECT count(*) FROM accounts WHERE abs('x') > 100
SELECT pg_catalog.abs(-3)
SELECT sum(pg_catalog.abs(id)) FROM accounts
SET pgconcord.functions = local
SELECT abs(id) FROM accounts WHERE tenant = 3 ORDER BY id
SELECT isnull('x')
SELECT substring(true)
SELECT ('x'::text).abs
SELECT 'a'::text <-> 1
SELECT count(*) FROM accounts WHERE (name <-> id) > 100
SELECT point(0, 0) OPERATOR(pg_catalog.<->) point(3, 4)
SELECT bit_and(title) FROM countries
SELECT bit_and(name) FROM accounts
SELECT row(1)::badge::bigint
SELECT CAST(row(1)::badge AS bigint) + count(*) FROM accounts
SELECT (row(1)::badge).worth, (row(1)::badge).n
SELECT row(1)::medal + 0.5
SELECT count(*) FROM accounts WHERE row(id)::medal > 100.5
SELECT won + 0.5 FROM prizes
SELECT count(*), max(id) FROM accounts
SELECT upper(name), id * 2 FROM accounts WHERE id < 5 ORDER BY id, tenant
INSERT INTO prizes VALUES (1, row(1))

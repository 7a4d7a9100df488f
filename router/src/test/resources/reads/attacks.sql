SELECT id FROM accounts WHERE tenant = 1 OR id = 3

SELECT id FROM accounts WHERE tenant = 1 AND id < 50 OR tenant = 2

SELECT id FROM accounts WHERE NOT tenant = 1

SELECT id FROM accounts WHERE NOT (tenant = 1 AND id > 30)

SELECT id FROM accounts WHERE (tenant = 1) IS NOT TRUE

SELECT id FROM accounts WHERE (tenant = 1) = false

SELECT id FROM accounts WHERE tenant = 1 IS FALSE

SELECT id FROM accounts WHERE tenant = 1 IS NOT DISTINCT FROM false

SELECT id FROM accounts WHERE tenant = 3 ISNULL

SELECT id FROM accounts WHERE tenant = 3 NOTNULL

SELECT id FROM accounts WHERE tenant = 3 IN (false)

SELECT id FROM accounts WHERE tenant BETWEEN 1 AND 1 OR true

SELECT id FROM accounts WHERE id BETWEEN tenant AND 30 AND tenant = 2

SELECT id FROM accounts WHERE id NOT BETWEEN 5 AND 9 AND tenant = 2 OR id = 7

SELECT id FROM accounts WHERE id BETWEEN SYMMETRIC 40 AND 3 AND tenant = 2

SELECT id FROM accounts WHERE tenant = 1 AND doc ->> 'n' = '2' OR tenant = 3

SELECT id FROM accounts WHERE tenant = 1 AND doc -> 'list' ->> 0 = '8' OR doc ->> 'n' = '1'

SELECT id FROM accounts WHERE doc ->> 'n' = '2' AND tenant = 3

SELECT id FROM accounts WHERE CASE WHEN tenant = 1 THEN true ELSE tenant = 2 END

SELECT id FROM accounts WHERE CASE WHEN id > 5 THEN 1 ELSE 2 END = 1 AND tenant = 2

SELECT id FROM accounts WHERE coalesce(tenant = 1, false) OR tenant = 2

SELECT id FROM accounts WHERE nullif(tenant = 1, true) IS NULL

SELECT id FROM accounts WHERE tenant = (3)

SELECT id FROM accounts WHERE ((tenant)) = ((3))

SELECT id FROM accounts WHERE tenant = + 3

SELECT id FROM accounts WHERE tenant = - -3

SELECT id FROM accounts WHERE tenant = -(-3)

SELECT id FROM accounts WHERE tenant = 2 + 1

SELECT id FROM accounts WHERE tenant = 2
 + 1

SELECT id FROM accounts WHERE tenant = 4 -- = 3
 - 1

SELECT id FROM accounts WHERE tenant = 3 % 2

SELECT id FROM accounts WHERE tenant = 3::int % 2

SELECT id FROM accounts WHERE tenant = 3::int4 - 2

SELECT id FROM accounts WHERE tenant = '3'::text::int

SELECT id FROM accounts WHERE tenant = 3.0

SELECT id FROM accounts WHERE tenant = 3.5

SELECT id FROM accounts WHERE tenant = '3'

SELECT id FROM accounts WHERE tenant = ' 3 '

SELECT id FROM accounts WHERE tenant = '0x3'

SELECT id FROM accounts WHERE tenant = 0x3

SELECT id FROM accounts WHERE tenant = 0b11

SELECT id FROM accounts WHERE tenant = 0o3

SELECT id FROM accounts WHERE tenant = '0b11'

SELECT id FROM accounts WHERE tenant = 0_3

SELECT id FROM accounts WHERE tenant = '0_3'

SELECT id FROM accounts WHERE tenant = 3e0

SELECT id FROM accounts WHERE tenant = 30e-1

SELECT id FROM accounts WHERE tenant = .3e1

SELECT id FROM accounts WHERE tenant = 3.

SELECT id FROM accounts WHERE tenant = 3::numeric

SELECT id FROM accounts WHERE tenant = 3::float8

SELECT id FROM accounts WHERE tenant = true::int

SELECT id FROM accounts WHERE tenant = bigint '3'

SELECT id FROM accounts WHERE tenant = int4 '3'

SELECT id FROM accounts WHERE tenant = "int8" '3'

SELECT id FROM accounts WHERE tenant = pg_catalog.int8 '3'

SELECT id FROM accounts WHERE tenant = CAST('3' AS bigint)

SELECT id FROM accounts WHERE tenant = CAST(3 AS numeric(3,1))

SELECT id FROM accounts WHERE tenant = int8('3')

SELECT id FROM accounts WHERE tenant = $$3$$

SELECT id FROM accounts WHERE tenant = $q$3$q$

SELECT id FROM accounts WHERE tenant = E'\x33'

SELECT id FROM accounts WHERE tenant = E'\63'

SELECT id FROM accounts WHERE tenant = E'\u0033'

SELECT id FROM accounts WHERE tenant = E'3'

SELECT id FROM accounts WHERE tenant = U&'\0033'

SELECT id FROM accounts WHERE tenant = U&'!0033' UESCAPE '!'

SELECT id FROM accounts WHERE tenant = U&'3!0030' UESCAPE '!'

SELECT id FROM accounts WHERE tenant = N'3'

SELECT id FROM accounts WHERE tenant = 3::int2

SELECT id FROM accounts WHERE tenant = 99999999999999999999

SELECT id FROM accounts WHERE tenant = '99999999999999999999'

SELECT id FROM accounts WHERE tenant = -0

SELECT id FROM accounts WHERE tenant = '-0'

SELECT id FROM accounts WHERE tenant = '+3'

SELECT id FROM accounts WHERE tenant = ''

SELECT id FROM accounts WHERE tenant = 'x'

SELECT id FROM accounts WHERE tenant = '3'
  '4'

SELECT id FROM accounts WHERE tenant = ''
  '3'

SELECT id FROM accounts WHERE tenant IN (3)

SELECT id FROM accounts WHERE tenant IN ((3))

SELECT id FROM accounts WHERE tenant IN (3, NULL)

SELECT id FROM accounts WHERE tenant NOT IN (3)

SELECT id FROM accounts WHERE NOT tenant IN (3, 4)

SELECT id FROM accounts WHERE tenant IN (1, 2) IS NOT TRUE

SELECT id FROM accounts WHERE (tenant) IN (1, 2)

SELECT id FROM accounts WHERE (tenant, id) IN ((1, 1), (2, 9))

SELECT id FROM accounts WHERE (tenant, id) = (3, 10)

SELECT id FROM accounts WHERE (id, tenant) = (10, 3)

SELECT id FROM accounts WHERE ROW (tenant, id) = ROW (3, 10)

SELECT id FROM accounts WHERE (tenant, id) > (3, 10) AND tenant = 3

SELECT id FROM accounts WHERE tenant IN (VALUES (1), (2))

SELECT id FROM accounts WHERE tenant = ANY ('{1,2}')

SELECT id FROM accounts WHERE tenant = ANY (ARRAY[1, 2])

SELECT id FROM accounts WHERE tenant = SOME (ARRAY[3])

SELECT id FROM accounts WHERE tenant = ALL (ARRAY[3, 3])

SELECT id FROM accounts WHERE tenant <> ALL (ARRAY[3, 3])

SELECT id FROM accounts WHERE tenant = ANY (ARRAY[3]) OR id = 1

SELECT id FROM accounts WHERE tenant <> 1 AND tenant = 3

SELECT id FROM accounts WHERE tenant = id

SELECT id FROM accounts WHERE tenant = tenant

SELECT id FROM accounts WHERE tenant = 1 AND tenant = 2

SELECT id FROM accounts WHERE tenant = 1 AND tenant IN (1, 2)

SELECT id FROM accounts WHERE tenant = NULL

SELECT id FROM accounts WHERE tenant IN (NULL)

SELECT id FROM accounts WHERE tenant = 3 AND tenant IS NULL

SELECT id FROM accounts WHERE accounts.tenant = 3

SELECT id FROM accounts WHERE public.accounts.tenant = 3

SELECT id FROM accounts WHERE "accounts"."tenant" = 3

SELECT id FROM accounts WHERE ACCOUNTS.Tenant = 3

SELECT id FROM accounts WHERE "TENANT" = 3

SELECT id FROM accounts WHERE U&"t\0065nant" = 3

SELECT id FROM accounts WHERE U&"t!0065nant" UESCAPE '!' = 3

SELECT id FROM accounts WHERE tenant = 3 -- OR true

SELECT id FROM accounts WHERE tenant /* = 4 */ = 3

SELECT id FROM accounts WHERE tenant = 3 /* /* */ OR */

SELECT id FROM accounts WHERE tenant = 3 /* -- */ OR id = 1

SELECT id FROM accounts WHERE tenant = '3' -- ' OR true

SELECT id FROM accounts WHERE tenant = 3 AND name = '' OR id = 1 --'

SELECT id FROM accounts WHERE name = E'\' OR tenant = 5 --' OR id = 4

SELECT id FROM accounts WHERE name = '\' OR tenant = 5

SELECT id FROM accounts WHERE name = $a$ $$ AND tenant = 6 AND $$ $a$ OR id = 5

SELECT id FROM accounts WHERE tenant = 3 AND NOT false

SELECT id FROM accounts WHERE tenant = 3 AND (false OR id > 50)

SELECT id FROM accounts WHERE ((tenant = 3)) AND ((id > 50))

SELECT id FROM accounts WHERE tenant = 3 AND true OR false

SELECT id FROM accounts WHERE tenant = 3 OR false

SELECT id FROM accounts WHERE tenant = 3 OR NULL

SELECT id FROM accounts WHERE true AND tenant = 3

SELECT id FROM accounts WHERE tenant = 3 AND id > 5 IS UNKNOWN

SELECT id FROM accounts WHERE (tenant = 3 AND id > 5) IS NOT FALSE

SELECT id FROM accounts WHERE tenant IS NOT DISTINCT FROM 3

SELECT id FROM accounts WHERE tenant OPERATOR(pg_catalog.=) 3

SELECT id FROM accounts WHERE tenant OPERATOR(pg_catalog.=) 3 AND id > 5 OR id = 1

SELECT id FROM accounts WHERE 3 = tenant

SELECT id FROM accounts WHERE '3' = tenant AND id < 60

SELECT id FROM accounts WHERE tenant = 3 AND id = ANY (nums)

SELECT id FROM accounts WHERE tenant = 3 AND tags[1] = 't1'

SELECT id FROM accounts WHERE nums[tenant] = 3 AND id > 10

SELECT id FROM accounts WHERE tenant = 3 AND name LIKE 'n%' ESCAPE '!'

SELECT id FROM accounts WHERE name LIKE 'n%' || '' AND tenant = 3

SELECT id FROM accounts WHERE name SIMILAR TO 'n%' OR tenant = 3

SELECT id FROM accounts WHERE name ~ 'n' AND tenant = 3

SELECT id FROM accounts WHERE name !~~ 'x%' AND tenant = 3 OR id = 2

SELECT id FROM accounts WHERE - tenant = -3

SELECT id FROM accounts WHERE @ tenant = 3

SELECT id FROM accounts WHERE tenant = @ -3

SELECT id FROM accounts WHERE tenant = | / 9.0

SELECT id FROM accounts WHERE tenant = 3 AND born + 1 > born

SELECT id FROM accounts WHERE seen AT TIME ZONE 'UTC' > born AND tenant = 3

SELECT id FROM accounts WHERE tenant = 3 AND wort = 'Zoo' COLLATE "C"

SELECT id FROM accounts WHERE tenant = 3 AND plain < 'b' COLLATE german OR id = 6

SELECT id FROM accounts WHERE tenant = (SELECT 3)

SELECT id FROM accounts WHERE tenant = (SELECT min(tenant) + 3 FROM orders WHERE tenant = 0)

SELECT id FROM accounts WHERE tenant IN (SELECT tenant FROM orders WHERE tenant = 3)

SELECT id FROM accounts WHERE tenant IN (SELECT tenant FROM countries WHERE code = 'DE')

SELECT id FROM accounts WHERE EXISTS (SELECT 1 FROM countries WHERE tenant = 3)

SELECT id FROM accounts WHERE EXISTS (SELECT 1 FROM countries c WHERE c.code = accounts.code AND tenant = 3)

SELECT id FROM accounts WHERE EXISTS (SELECT 1 FROM orders WHERE tenant = 3)

SELECT id FROM accounts WHERE EXISTS (SELECT 1 FROM orders WHERE accounts.tenant = tenant AND order_id = 20)

SELECT id FROM accounts WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.tenant = accounts.tenant AND o.tenant = 3)

SELECT id FROM accounts WHERE tenant = 3 AND EXISTS (SELECT 1 FROM orders WHERE orders.tenant = accounts.tenant AND account = id)

SELECT id FROM accounts WHERE id = 5 AND tenant IN (SELECT 3 UNION SELECT 5)

SELECT id FROM accounts WHERE tenant = extract(month FROM date '2020-03-01')

SELECT id FROM accounts WHERE tenant = length('abc')

SELECT id FROM accounts WHERE tenant = 3 AND xmin IS NOT NULL

SELECT id FROM accounts WHERE '{"a": 1}' @> doc OR tenant = 3

SELECT id FROM accounts WHERE doc @> '{"n": 1}' AND tenant = 3 OR doc @> '{"n": 2}'

SELECT id FROM accounts WHERE active AND tenant = 3

SELECT id FROM accounts WHERE active IS TRUE AND tenant = 3 OR active IS UNKNOWN AND id = 1

SELECT id FROM accounts WHERE active = (tenant = 3)

SELECT id FROM accounts WHERE active <> (tenant = 3) AND id < 20

SELECT id FROM accounts WHERE tenant = 3 = active

SELECT id FROM accounts WHERE tenant = 3::bit(3)::int

SELECT id FROM accounts WHERE tenant = '3'::"int4"

SELECT id FROM accounts WHERE tenant = '3'::char

SELECT id FROM accounts WHERE tenant = '3'::positive

SELECT id FROM accounts WHERE tenant = 3::positive

SELECT id FROM accounts WHERE tenant::text = '3'

SELECT id FROM accounts WHERE tenant::int = 3

SELECT id FROM accounts WHERE (tenant + 0) = 3

SELECT id FROM accounts WHERE abs(tenant) = 3

SELECT id FROM accounts WHERE tenant = size

SELECT id FROM accounts WHERE tenant = 3 AND size = 2::positive

SELECT id FROM accounts WHERE '3'::mood IS NULL OR tenant = 3

SELECT count(*) FROM accounts WHERE tenant = 1 AND tenant = 2

SELECT count(*), max(id) FROM accounts WHERE tenant = NULL

SELECT id FROM accounts GROUP BY tenant, id HAVING tenant = 3

SELECT count(*) FROM accounts HAVING count(*) > 3

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON a.tenant = 3 AND o.account = a.id

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 AND o.account = a.id

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = 3 AND o.account = a.id WHERE a.id < 30

SELECT a.id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE o.tenant IS NULL

SELECT a.id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE o.tenant IS NULL AND a.tenant = 3

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE o.tenant = 3

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.account = a.id WHERE a.tenant = 3

SELECT a.id, o.order_id FROM accounts a RIGHT JOIN orders o ON o.account = a.id AND a.tenant = 3 WHERE o.order_id < 40

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND o.account = a.id AND a.tenant = 3 AND o.tenant = 3

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE a.tenant = 3

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE coalesce(a.tenant, o.tenant) = 3

SELECT a.id, order_id FROM accounts a JOIN orders o USING (tenant) WHERE tenant = 3 AND order_id < 30

SELECT a.id, order_id FROM accounts a LEFT JOIN orders o USING (tenant) WHERE tenant = 3 AND order_id < 30

SELECT a.id, order_id FROM accounts a RIGHT JOIN orders o USING (tenant) WHERE tenant = 3 AND order_id < 30

SELECT tenant, a.id, order_id FROM accounts a FULL JOIN orders o USING (tenant) WHERE tenant = 3 AND order_id < 30

SELECT tenant, a.id, p.page FROM accounts a FULL JOIN pages p USING (tenant) WHERE tenant = 3

SELECT tenant, a.id, p.page FROM pages p FULL JOIN accounts a USING (tenant) WHERE tenant = 3

SELECT tenant, a.id FROM pages p RIGHT JOIN accounts a USING (tenant) WHERE tenant = 3

SELECT tenant, a.id FROM pages p RIGHT JOIN accounts a USING (tenant) WHERE p.tenant = 3

SELECT id, order_id FROM accounts NATURAL JOIN orders WHERE tenant = 3

SELECT id, order_id FROM accounts NATURAL LEFT JOIN orders WHERE accounts.tenant = 3

SELECT tenant, page, id FROM accounts NATURAL FULL JOIN pages WHERE tenant = 3

SELECT a.id, b.id FROM accounts a, accounts b WHERE a.tenant = 3 AND b.id = a.id + 1

SELECT a.id, b.id FROM accounts a, accounts b WHERE a.tenant = b.tenant AND b.tenant = 3 AND a.id = b.id + 7

SELECT a.id, o.order_id FROM accounts a, orders o JOIN countries c ON o.tenant = 3 WHERE a.id = o.account AND c.code = 'DE'

SELECT a.id FROM accounts a CROSS JOIN (SELECT 3 AS tenant) t WHERE t.tenant = 3 AND a.id < 9

SELECT a.id FROM accounts a JOIN (SELECT 3 AS tenant) t USING (tenant)

SELECT a.id FROM accounts a JOIN (SELECT 3 AS tenant) t ON t.tenant = a.tenant

SELECT a.id FROM accounts a JOIN (VALUES (1), (3)) t(tenant) ON t.tenant = a.tenant

SELECT a.id FROM (accounts a LEFT JOIN orders o ON o.account = a.id) JOIN countries c ON c.code = a.code WHERE a.tenant = 3

SELECT a.id FROM (accounts a CROSS JOIN countries c) LEFT JOIN orders o ON o.tenant = a.tenant AND o.tenant = 3 WHERE a.id < 10 AND c.code = 'DE'

SELECT a.id, x.c FROM accounts a, LATERAL (SELECT count(*) AS c FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id) x WHERE a.tenant = 3

SELECT a.id, x.c FROM accounts a, LATERAL (SELECT count(*) AS c FROM orders o WHERE o.account = a.id) x WHERE a.tenant = 3

SELECT a.id, x.c FROM accounts a LEFT JOIN LATERAL (SELECT o.order_id AS c FROM orders o WHERE o.tenant = 3 AND o.account = a.id LIMIT 1) x ON true WHERE a.id < 30

WITH orders AS (SELECT * FROM accounts) SELECT count(*) FROM orders WHERE tenant = 3

WITH accounts AS (SELECT * FROM accounts WHERE tenant IN (1, 2)) SELECT count(*) FROM accounts WHERE tenant = 1

WITH accounts AS (SELECT 3 AS tenant, 1 AS id) SELECT * FROM accounts WHERE tenant = 3

WITH accounts AS (SELECT id AS tenant, tenant AS id FROM accounts) SELECT count(*) FROM accounts WHERE tenant = 3

WITH accounts(id, tenant) AS (SELECT tenant, id FROM accounts) SELECT count(*) FROM accounts WHERE tenant = 3

WITH x AS (SELECT * FROM orders WHERE tenant = 1), orders AS (SELECT * FROM accounts) SELECT count(*) FROM x, orders WHERE orders.tenant = 1

WITH RECURSIVE orders AS (SELECT 1 AS tenant UNION ALL SELECT tenant + 1 FROM orders WHERE tenant < 3) SELECT * FROM orders

WITH RECURSIVE r AS (SELECT id FROM accounts WHERE tenant = 3 AND id < 20 UNION ALL SELECT a.id FROM accounts a JOIN r ON a.id = r.id + 7 AND a.tenant = 3) SELECT * FROM r

WITH RECURSIVE r AS (SELECT id FROM accounts WHERE tenant = 3 AND id < 20 UNION ALL SELECT a.id FROM accounts a JOIN r ON a.id = r.id + 1) SELECT count(*) FROM r

WITH RECURSIVE r AS (SELECT tenant, id FROM accounts WHERE tenant = 3 AND id < 20 UNION ALL SELECT a.tenant, a.id FROM accounts a JOIN r ON a.id = r.id + 7 AND a.tenant = 3) SEARCH DEPTH FIRST BY id SET o SELECT * FROM r

WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) CYCLE n SET c USING p SELECT r.n, a.id FROM r JOIN accounts a ON a.tenant = 3 AND a.id < r.n + 20

WITH orders AS (SELECT 1 AS tenant) SELECT count(*) FROM public.orders WHERE tenant = 3

WITH orders AS (SELECT 1 AS tenant) SELECT count(*) FROM public.orders, orders WHERE orders.tenant = 1

SELECT (WITH orders AS (SELECT 3 AS tenant) SELECT count(*) FROM orders WHERE tenant = 3), count(*) FROM orders WHERE tenant = 2

SELECT * FROM (WITH accounts AS (SELECT 1 AS one) SELECT * FROM accounts) x, accounts a WHERE a.tenant = 3 AND a.id < 20

SELECT orders.id, accounts.order_id FROM accounts orders JOIN orders accounts ON orders.tenant = accounts.tenant AND orders.id = accounts.account WHERE orders.tenant = 3

SELECT count(*) FROM accounts AS t(id, tenant) WHERE tenant = 3

SELECT count(*) FROM accounts AS t(id, tenant) WHERE t.id = 3

SELECT count(*) FROM accounts AS t(x) WHERE x = 3

SELECT count(*) FROM accounts AS t(x) WHERE id = 3

SELECT count(*) FROM accounts t(tenant, tenant2) WHERE tenant = 3

SELECT count(*) FROM (SELECT id AS tenant, tenant AS id FROM accounts) s WHERE tenant = 3

SELECT count(*) FROM (SELECT tenant + 1 AS tenant FROM accounts) s WHERE s.tenant = 3

SELECT count(*) FROM (SELECT tenant FROM accounts) s(tenant) WHERE s.tenant = 3

SELECT id FROM accounts a WHERE a.tenant = 3 AND a.* IS NOT NULL

SELECT (a).id FROM accounts a WHERE (a).tenant = 3

SELECT a.id FROM accounts a WHERE a = a AND a.tenant = 3

SELECT orders FROM orders WHERE tenant = 3 AND order_id < 20

SELECT o.tenant FROM orders o WHERE o.tenant = 3 AND (o).order_id < 20

SELECT id AS tenant FROM accounts WHERE tenant = 3 ORDER BY tenant

SELECT id AS tenant, tenant AS id FROM accounts ORDER BY tenant LIMIT 5

SELECT id % 3 AS tenant, count(*) FROM accounts GROUP BY tenant ORDER BY 1, 2

SELECT count(*) FROM notes WHERE tenant = 3

SELECT count(*) FROM events WHERE tenant = 3

SELECT n.id FROM notes n JOIN accounts a ON a.tenant = n.tenant WHERE n.tenant = 3 AND a.id < 20

SELECT (SELECT count(*) FROM orders WHERE tenant = a.tenant) FROM accounts a WHERE a.tenant = 3 AND id < 20

SELECT (SELECT count(*) FROM orders WHERE tenant = tenant) FROM accounts WHERE tenant = 3 AND id < 20

SELECT (SELECT count(*) FROM countries WHERE tenant = 3) FROM accounts WHERE id < 8

SELECT id FROM accounts o WHERE EXISTS (SELECT 1 FROM orders WHERE o.tenant = 3)

SELECT id FROM accounts x WHERE id IN (SELECT account FROM orders x WHERE x.tenant = 3)

SELECT x.id FROM accounts x JOIN (SELECT x.account FROM orders x WHERE x.tenant = 3) y ON y.account = x.id

SELECT tenant FROM generate_series(1, 4) accounts(tenant) WHERE tenant = 3

SELECT tenant FROM unnest(ARRAY[1, 3]) AS orders(tenant) WHERE tenant = 3

SELECT accounts.tenant, a.id FROM unnest(ARRAY[1, 3]) AS accounts(tenant) JOIN accounts a ON a.tenant = 3 AND a.id < 20

SELECT * FROM (VALUES (1), (3)) AS accounts(tenant) WHERE tenant = 3

SELECT accounts.tenant FROM (VALUES (1), (3)) AS accounts(tenant), orders WHERE orders.tenant = 3 AND accounts.tenant = 1

SELECT count(*) FROM accounts AS ÄB WHERE äb.tenant = 3

SELECT count(*) FROM accounts AS ÄB WHERE "Äb".tenant = 3

SELECT count(*) FROM accounts AS aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1 WHERE aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2.tenant = 3

SELECT count(*) FROM accounts AS ééééééééééééééééééééééééééééééééé WHERE éééééééééééééééééééééééééééééééx.tenant = 3

SELECT count(*) FROM U&"\0061ccounts" WHERE tenant = 3

SELECT count(*) FROM U&"!0061ccounts" UESCAPE '!' WHERE tenant = 3

SELECT count(*) FROM "Accounts" WHERE tenant = 3

SELECT count(*) FROM ACCOUNTS WHERE TENANT = 3

SELECT count(*) FROM ONLY accounts WHERE tenant = 3

SELECT count(*) FROM ONLY (accounts) WHERE tenant = 3

SELECT count(*) FROM accounts * WHERE tenant = 3

SELECT count(*) FROM accounts * WHERE tenant > 3

SELECT count(*) FROM accounts TABLESAMPLE bernoulli (100) WHERE tenant = 3

SELECT count(*) FROM accounts TABLESAMPLE system (100)

TABLE accounts

TABLE countries

SELECT tenant FROM accounts WHERE tenant = 1 UNION SELECT tenant FROM orders WHERE tenant = 1

SELECT tenant FROM accounts WHERE tenant = 1 UNION SELECT tenant FROM orders WHERE tenant = 2

SELECT tenant FROM accounts UNION SELECT tenant FROM orders WHERE tenant = 1 INTERSECT SELECT tenant FROM orders WHERE tenant = 2

SELECT tenant FROM accounts WHERE tenant < 3 EXCEPT SELECT tenant FROM orders WHERE tenant = 1 UNION SELECT 5

(SELECT tenant FROM accounts WHERE tenant = 1 UNION ALL SELECT 7) EXCEPT (SELECT 7 UNION ALL SELECT tenant FROM orders WHERE tenant = 1)

SELECT tenant FROM accounts WHERE tenant = 3 UNION ALL SELECT 9 ORDER BY tenant DESC LIMIT 3

(SELECT id FROM accounts WHERE tenant = 3 ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM accounts WHERE tenant = 3 ORDER BY id DESC LIMIT 2)

SELECT count(*) FROM (SELECT 1 FROM accounts WHERE tenant = 1 UNION ALL SELECT 1 FROM accounts WHERE tenant = 2) x

SELECT DISTINCT tenant FROM accounts WHERE tenant = 1 OR tenant = 2

SELECT id FROM accounts WHERE tenant = 3 ORDER BY id FETCH FIRST ROW ONLY

SELECT id FROM accounts WHERE tenant = 3 ORDER BY (SELECT count(*) FROM orders), id LIMIT (SELECT 3)

SELECT id FROM accounts WHERE tenant = 3 WINDOW w AS (ORDER BY id) ORDER BY id

SELECT id, sum(id) OVER w FROM accounts WHERE tenant = 3 WINDOW w AS (ORDER BY id) ORDER BY id

SELECT id, rank() OVER (PARTITION BY tenant ORDER BY balance) FROM accounts ORDER BY id

SELECT id FROM accounts WHERE tenant = 3 AND id < 20 FOR UPDATE

SELECT id FROM accounts WHERE tenant = 3 OR id = 1 FOR UPDATE

SELECT tenant, tableoid::regclass FROM accounts WHERE tenant = 3 AND id < 20

SELECT ctid IS NULL FROM accounts WHERE id < 8

SELECT count(*) FILTER (WHERE tenant = 3) FROM accounts

SELECT sum(CASE WHEN tenant = 3 THEN 1 END) FROM accounts

SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM accounts WHERE tenant = 3

SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM accounts

SELECT array_agg(id ORDER BY id) FILTER (WHERE tenant = 3) FROM accounts WHERE tenant IN (1, 3)

SELECT COLLATION FOR (wort) FROM accounts WHERE tenant = 3 AND id < 20

SELECT 1 AS true, id AS select FROM accounts WHERE tenant = 3 AND id < 20

SELECT nums[:], nums[2:], nums[:1] FROM accounts WHERE tenant = 3 AND id < 20

SELECT 1 FROM accounts WHERE tenant = 3 AND id < 20 AND 'OR' <> 'AND'

SELECT x.tenant FROM accounts "WHERE", orders x WHERE "WHERE".tenant = 3 AND x.tenant = 3 AND x.account = "WHERE".id

SELECT "or".id FROM accounts "or" WHERE "or".tenant = 3 AND "or"."id" < 20

SELECT count(*) FROM accounts WHERE accounts.tenant = 3 GROUP BY accounts.tenant

SELECT count(*) FROM accounts a WHERE accounts.tenant = 3

SELECT count(*) FROM other.accounts WHERE tenant = 3

SELECT count(*) FROM app.public.accounts WHERE tenant = 3

SELECT count(*) FROM pg_temp.accounts WHERE tenant = 3

SELECT count(*) FROM pg_catalog.pg_class WHERE relname = 'accounts'

SELECT count(*) FROM information_schema.tables WHERE table_name = 'accounts'

SELECT 'accounts'::regclass IS NOT NULL

SELECT trim(FROM name) FROM accounts WHERE tenant = 3 AND id < 20

SELECT extract(year FROM born) * 2 FROM accounts WHERE tenant = 3 AND id < 20

SELECT substring(name FROM 2 FOR 3), substring(name FOR 2), overlay(name PLACING 'x' FROM 2) FROM accounts WHERE tenant = 3 AND id < 20

SELECT name IS DISTINCT FROM 'x' AND tenant = 3 FROM accounts WHERE id < 8

SELECT position('a' IN name), tenant IN (1, 2) FROM accounts WHERE id < 8

SELECT interval '1' day, date '2020-01-01', id FROM accounts WHERE tenant = 3 AND id < 20

SELECT ARRAY(SELECT order_id FROM orders WHERE tenant = 3 AND order_id < 20 ORDER BY 1)

SELECT ARRAY(SELECT order_id FROM orders WHERE tenant = a.tenant AND order_id < 20 ORDER BY 1) FROM accounts a WHERE a.tenant = 3 AND id < 20

SELECT (ROW (1, 3)).f2 FROM accounts WHERE tenant = 3 AND id < 20

SELECT user = 'x', current_user IS NULL FROM accounts WHERE tenant = 3 AND id < 20

UPDATE orders SET status = 'x' WHERE tenant = 1 OR order_id = 5 RETURNING order_id

UPDATE orders SET status = 'x' WHERE tenant = 1 AND status = 'open' OR order_id = 6 RETURNING order_id

UPDATE orders SET status = 'x' WHERE NOT tenant = 1 AND order_id < 20 RETURNING order_id

UPDATE orders SET status = 'x' WHERE tenant = 1 AND order_id < 30 RETURNING order_id, status

UPDATE orders o SET status = 'x' WHERE o.tenant IN (1, 2) AND order_id < 30 RETURNING order_id

UPDATE orders AS tenant SET status = 'x' WHERE tenant.tenant = 1 AND order_id < 30 RETURNING order_id

UPDATE orders SET status = a.name FROM accounts a WHERE a.tenant = orders.tenant AND a.id = orders.account AND a.tenant = 3 RETURNING order_id, status

UPDATE orders SET status = a.name FROM accounts a WHERE a.tenant = 3 AND a.id = orders.account RETURNING order_id, status

UPDATE orders SET (status, total) = ('x', 1) WHERE tenant = 1 AND order_id < 30 RETURNING order_id, total

UPDATE orders SET (status, total) = ROW ('x', 1) WHERE tenant = 1 AND order_id < 30 RETURNING order_id, total

UPDATE orders SET status = (SELECT name FROM accounts WHERE tenant = 3 AND id = 3) WHERE tenant = 3 AND order_id < 30 RETURNING order_id, status

UPDATE accounts SET nums[1] = 77, tags[2:3] = '{x,y}' WHERE tenant = 3 AND id < 20 RETURNING id, nums, tags

UPDATE accounts SET nums[1] = 77 WHERE id < 20 RETURNING id, nums

UPDATE orders SET tenant = 2 WHERE tenant = 1 AND order_id = 1 RETURNING order_id

UPDATE orders SET "tenant" = 2 WHERE tenant = 1 AND order_id = 1 RETURNING order_id

UPDATE orders SET U&"t\0065nant" = 2 WHERE tenant = 1 AND order_id = 1 RETURNING order_id

UPDATE ONLY orders SET status = 'x' WHERE tenant = 1 AND order_id < 30 RETURNING order_id

UPDATE orders * SET status = 'x' WHERE tenant = 1 AND order_id < 30 RETURNING order_id

DELETE FROM orders WHERE tenant = 1 OR order_id = 5 RETURNING order_id

DELETE FROM orders WHERE tenant = 1 AND order_id < 30 RETURNING order_id

DELETE FROM orders WHERE (tenant, order_id) IN ((1, 1), (2, 2)) RETURNING order_id

DELETE FROM orders USING accounts a WHERE a.tenant = orders.tenant AND a.id = orders.account AND a.tenant = 3 RETURNING order_id

DELETE FROM orders USING accounts a WHERE a.tenant = 3 AND a.id = orders.account RETURNING order_id

DELETE FROM orders o USING orders p WHERE o.tenant = 1 AND p.tenant = 2 AND o.order_id = p.order_id - 1 RETURNING o.order_id

DELETE FROM orders WHERE tenant = 1 AND EXISTS (SELECT 1 FROM accounts WHERE tenant = 1 AND id = account) RETURNING order_id

DELETE FROM orders WHERE tenant = 1 AND EXISTS (SELECT 1 FROM accounts WHERE id = account AND id < 20) RETURNING order_id

WITH accounts AS (DELETE FROM orders WHERE tenant = 1 RETURNING order_id AS tenant) SELECT count(*) FROM accounts WHERE tenant = 1

WITH d AS (DELETE FROM orders WHERE tenant = 1 RETURNING *) SELECT count(*) FROM d

INSERT INTO orders (order_id, tenant) VALUES (900, 3), (901, 4) RETURNING tenant, order_id

INSERT INTO orders VALUES (3, 900), (4, 901) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES ('3', 900), (U&'\0034', 901), ($$5$$, 902) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES (2.6, 900) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES ('0x3', 900), (0b11, 901), (3e0, 902) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES (-1, 900), (- 2, 901), (+3, 902) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES (3::bigint, 900), ('4'::int, 901), (CAST('5' AS text)::int, 902) RETURNING tenant, order_id

INSERT INTO orders AS accounts (tenant, order_id) VALUES (3, 900) RETURNING accounts.tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT 3, 900 RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT tenant, 1000 + id FROM accounts WHERE tenant = 3 AND id < 20 RETURNING tenant, order_id

INSERT INTO orders (order_id, tenant) SELECT tenant, 1000 + id FROM accounts WHERE tenant = 3 AND id < 20 RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT id AS tenant, tenant + 1000 FROM accounts WHERE tenant = 3 AND id < 20 RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT * FROM (VALUES (3, 900), (4, 901)) v RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) (VALUES (3, 900), (4, 901)) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES (3, 900), (4, 901) ORDER BY 1 LIMIT 1 RETURNING tenant, order_id

INSERT INTO accounts (tenant, id, nums[1], nums[2]) VALUES (3, 900, 5, 6) RETURNING tenant, nums

INSERT INTO orders (tenant, order_id) TABLE pages RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT 3, 900 UNION ALL (SELECT 4, 901) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) SELECT 3, 900 UNION ALL VALUES (4, 901) RETURNING tenant, order_id

INSERT INTO orders (tenant, order_id) VALUES (3, 900) UNION ALL SELECT 4, 901 RETURNING tenant, order_id

WITH new AS (INSERT INTO orders (tenant, order_id) SELECT 3, 900 UNION ALL (SELECT 4, 901) RETURNING tenant) SELECT count(*) FROM new

SELECT id FROM accounts WHERE tenant = 1 OR tenant = 2 OR tenant = 3

SELECT id FROM accounts WHERE (tenant = 1 OR tenant = 2) AND id < 20

SELECT id FROM accounts WHERE NOT (tenant = 1 OR tenant = 2)

SELECT id FROM accounts WHERE (tenant = 1 OR tenant = 2) OR id = 3

SELECT id FROM accounts WHERE (tenant = 1 OR (tenant = 2 OR id = 3)) AND id > 0

SELECT id FROM accounts WHERE (tenant = 1 OR (tenant = 2 OR tenant = 4)) AND id > 0

SELECT id FROM accounts WHERE (tenant = 1 OR tenant = 2) IS NOT TRUE

SELECT id FROM accounts WHERE (tenant = 1 OR tenant = 2) = false

SELECT id FROM accounts WHERE CASE WHEN tenant = 1 OR tenant = 2 THEN false ELSE true END

SELECT id FROM accounts WHERE CASE WHEN id > 3 THEN tenant = 1 OR tenant = 2 ELSE true END

SELECT id FROM accounts WHERE tenant = 1 OR CASE WHEN tenant = 2 OR tenant = 3 THEN true ELSE id = 5 END

SELECT id FROM accounts WHERE tenant = 1 OR tenant = NULL OR id = 3

SELECT id FROM accounts WHERE tenant = 1 OR NOT tenant = 2

SELECT id FROM accounts WHERE tenant = 1 OR tenant <> 2

SELECT id FROM accounts WHERE tenant = 1 OR tenant BETWEEN 2 AND 4 AND id > 0

SELECT id FROM accounts WHERE id BETWEEN 1 AND 9 OR tenant = 1

SELECT id FROM accounts WHERE tenant = 1 AND id = 2 OR tenant = 2 AND id = 3 OR id = 4

SELECT id FROM accounts WHERE tenant = 1 AND id > 2 OR tenant IN (2, 3) AND id > 3 OR (tenant) = 4

SELECT id FROM accounts WHERE coalesce(tenant = 1 OR tenant = 2, true) OR id = 3

SELECT id FROM accounts WHERE (tenant = 1 OR tenant = 2)::text = 'false'

SELECT a.id FROM accounts a WHERE a.tenant = 1 OR EXISTS (SELECT 1 FROM orders o WHERE o.tenant = 1 OR o.tenant = 2)

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND (o.tenant = 1 OR o.tenant = 2)

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant WHERE o.tenant = 1 OR o.tenant = 2

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant WHERE o.tenant = 1 OR o.tenant IS NULL

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant WHERE o.tenant = 3

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 WHERE o.status = 'paid'

SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 WHERE a.id = 3

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 WHERE o.order_id = 3

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 WHERE a.id = 3

SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND a.tenant = 3 AND o.tenant = 3 WHERE a.id = 3 AND o.order_id > 0

SELECT a.id, o.order_id FROM orders o RIGHT JOIN accounts a ON o.tenant = a.tenant AND a.tenant = 3 WHERE o.order_id > 0

SELECT a.id, b.id, o.order_id FROM accounts a LEFT JOIN (accounts b LEFT JOIN orders o ON o.tenant = b.tenant AND b.tenant = 2) ON b.tenant = a.tenant AND b.id = a.id WHERE o.order_id > 0

SELECT a.id, b.id FROM accounts a LEFT JOIN accounts b ON b.tenant = a.tenant AND b.tenant = 2 WHERE coalesce(b.id, 0) = 0

SELECT ALL id FROM accounts WHERE tenant = + + 1

SELECT - - id, + + id, id - - 1, count(ALL id) FROM accounts WHERE tenant = 2 GROUP BY id

SELECT count(*) FROM accounts GROUP BY + + 1

SELECT id FROM accounts WHERE tenant = - - 1 OR tenant = 2

TABLE events ORDER BY id

WITH t AS (TABLE accounts) SELECT count(*), sum(balance) FROM t WHERE tenant = 2

SELECT count(*) FROM ((TABLE accounts) UNION ALL TABLE accounts) x

INSERT INTO pages (tenant, page) SELECT tenant, 7 FROM (TABLE accounts) a WHERE id = 3 RETURNING *

SELECT id FROM accounts WHERE tenant = 1 IS NOT TRUE AND id < 30 ORDER BY id

SELECT id FROM accounts WHERE tenant = 1 IS NULL OR id = 4

SELECT id FROM accounts WHERE name IS NULL = active AND tenant = 2 ORDER BY id

SELECT id FROM accounts WHERE name IS NULL = (city IS NULL) ORDER BY id

SELECT id, tenant = 2 IS TRUE, balance > 1 IS NULL FROM accounts WHERE id < 9 ORDER BY id

SELECT id, CASE -id WHEN -3 THEN - 1 ELSE -2 END FROM accounts WHERE tenant = 3 ORDER BY id

SELECT id FROM accounts WHERE U&"!0074enant" UESCAPE '!' = 3 ORDER BY id

SELECT id FROM U&"#0061ccounts" UESCAPE '#' WHERE tenant = U&'#0033' UESCAPE '#' ORDER BY id

SELECT id FROM accounts ORDER BY balance USING >, id USING < LIMIT 7

SELECT id FROM accounts ORDER BY born USING OPERATOR(pg_catalog.<), id LIMIT 7 OFFSET 2

SELECT string_agg(id::text, ',' ORDER BY id USING >) FROM accounts WHERE tenant IN (1, 2)

SELECT j.id, j.total FROM (accounts a JOIN orders o ON o.account = a.id) AS j WHERE j.id < 20 ORDER BY 1, 2, j.order_id

SELECT count(*), sum(j.z) FROM (accounts JOIN orders USING (tenant)) AS j (x, y, z)

SELECT count(j), count(*) FROM (accounts a CROSS JOIN countries c) j WHERE j.tenant = 3

SELECT j.* FROM (events e LEFT JOIN notes n USING (tenant)) AS j ORDER BY 1, 2, 3, 4, 5, 6

SELECT a.id, o.order_id, p.page FROM accounts a LEFT JOIN orders o JOIN pages p ON p.tenant = o.tenant ON o.tenant = a.tenant AND o.account = a.id WHERE a.id < 12 ORDER BY 1, 2, 3

SELECT a.id, count(o.order_id), count(c.code) FROM accounts a LEFT JOIN orders o CROSS JOIN countries c ON o.account = a.id AND o.tenant = a.tenant WHERE a.tenant = 2 GROUP BY a.id ORDER BY a.id

SELECT count(*) FROM accounts a LEFT JOIN orders o JOIN countries c ON c.code = 'DE' ON o.account = a.id, events e

SELECT count(*) FROM accounts a NATURAL INNER JOIN orders o

UPDATE ONLY accounts SET balance = 3 WHERE tenant = 2 AND id < 20

UPDATE ONLY accounts SET active = balance > 3 IS TRUE WHERE tenant = 2 RETURNING id, active

DELETE FROM ONLY orders WHERE tenant = 2 AND order_id < 30

DELETE FROM orders o USING accounts a LEFT JOIN pages p ON p.tenant = a.tenant WHERE a.tenant = o.tenant AND a.id = o.account AND p.page IS NULL AND a.id < 40

DELETE FROM orders o USING accounts a JOIN countries c ON c.code = a.code WHERE a.tenant = o.tenant AND a.id = o.account

SELECT x FROM unnest((SELECT array_agg(id ORDER BY id) FROM accounts WHERE id < 9)) AS x

SELECT count(*) FROM generate_series(1, (SELECT max(id) FROM accounts)) AS x

SELECT a.id, x FROM accounts a, generate_series(1, (SELECT count(*) FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id)) x WHERE a.tenant = 3 ORDER BY 1, 2

SELECT tenant, active, count(*) FROM accounts GROUP BY GROUPING SETS ((tenant, active), GROUPING SETS ((), tenant)) ORDER BY 1, 2, 3

SELECT tenant, active, count(*) FROM accounts GROUP BY DISTINCT ROLLUP (tenant, active) ORDER BY 1, 2, 3

SELECT id FROM accounts WHERE doc IS JSON OBJECT AND name IS NORMALIZED ORDER BY id

SELECT id, note IS JSON ARRAY, seen AT LOCAL IS NULL FROM accounts WHERE tenant = 1 ORDER BY id

SELECT id - 1 AS minus, -id AS plus FROM accounts WHERE tenant = 3 ORDER BY minus

SELECT EXISTS (SELECT FROM accounts WHERE tenant = 99), EXISTS (SELECT FROM accounts WHERE id = 5)

SELECT concat(VARIADIC tags), name COLLATE "C" < 'm' FROM accounts WHERE id < 9 ORDER BY id::text COLLATE "C"

SELECT id FROM accounts WHERE name LIKE '%1%' IS NOT TRUE AND tenant IN (2, 3) IS TRUE ORDER BY id

UPDATE accounts * SET balance = 3 WHERE tenant = 2 AND id IN (2, 9) IS NOT FALSE RETURNING id

SELECT o.order_id FROM orders o WHERE o.tenant = (SELECT n.id FROM notes n WHERE n.id > 15)

-- one table: order, limits
SELECT id, name FROM accounts ORDER BY id;
SELECT id, name FROM accounts ORDER BY id LIMIT 5;
SELECT id, name FROM accounts ORDER BY id DESC LIMIT 5 OFFSET 7;
SELECT id, balance FROM accounts ORDER BY balance DESC NULLS LAST, id FETCH FIRST 4 ROWS ONLY;
SELECT id, balance AS b FROM accounts ORDER BY b, id LIMIT 3;
SELECT balance, id FROM accounts ORDER BY 1 DESC, 2 LIMIT 3;
SELECT balance, id FROM accounts ORDER BY 2 DESC, 1 LIMIT 3;
SELECT balance, id FROM accounts ORDER BY (1) DESC, 2 LIMIT 3;
SELECT balance, id FROM accounts ORDER BY (2) DESC, ((1)) LIMIT 3;
SELECT id + 1 AS id FROM accounts ORDER BY id DESC LIMIT 3;
SELECT -id AS name FROM accounts ORDER BY name LIMIT 3;
SELECT id, name n FROM accounts ORDER BY n NULLS FIRST, id LIMIT 4;
SELECT * FROM accounts ORDER BY id LIMIT 3;
SELECT a.* FROM accounts a ORDER BY a.id LIMIT 3 OFFSET 100;
SELECT id FROM accounts ORDER BY id LIMIT 2.5 OFFSET 0.5;
SELECT id FROM accounts ORDER BY id LIMIT NULL OFFSET 117;
SELECT id FROM accounts ORDER BY id OFFSET 118;
SELECT id FROM accounts ORDER BY id LIMIT ALL OFFSET 118;
SELECT id FROM accounts ORDER BY balance FETCH FIRST 2 ROWS WITH TIES;
SELECT count(*) FROM (SELECT id FROM accounts LIMIT 10) x;
SELECT unnest(nums) AS n, id FROM accounts ORDER BY n, id LIMIT 6;
SELECT id, unnest(tags) AS t FROM accounts ORDER BY id, t LIMIT 6;
SELECT plain, id FROM accounts ORDER BY plain, id;
SELECT wort, id FROM accounts ORDER BY wort, id;
SELECT loosely, id FROM accounts ORDER BY loosely, id LIMIT 60;
SELECT wort FROM accounts ORDER BY wort COLLATE "C", id LIMIT 50;
SELECT id, small, rate FROM accounts ORDER BY rate, id;
SELECT id, seen FROM accounts ORDER BY seen DESC LIMIT 3;
SELECT id, feels FROM accounts ORDER BY feels DESC, id LIMIT 50;
SELECT id, size FROM accounts ORDER BY size, id LIMIT 30;
SELECT id, reach, span, raw, doc, note, nums, tags, code FROM accounts ORDER BY id LIMIT 4;
SELECT tenant, id FROM accounts WHERE tenant IN (1, 2, 3) ORDER BY id;
SELECT tenant, id FROM accounts WHERE tenant = ANY (ARRAY[1, 5]) ORDER BY id LIMIT 5;
SELECT id FROM accounts WHERE tenant IN (1, 2) AND tenant = 3;
SELECT id FROM accounts WHERE tenant IN (2, NULL) ORDER BY id;
SELECT id FROM accounts WHERE tenant = NULL ORDER BY 1;
SELECT id FROM accounts WHERE false ORDER BY 1;
-- one table: aggregates
SELECT count(*) FROM accounts;
SELECT count(name) FROM accounts;
SELECT count(*), count(name), sum(id), min(id), max(id) FROM accounts;
SELECT sum(tiny), avg(tiny), sum(id), avg(id), avg(tenant), sum(tenant) FROM accounts;
SELECT sum(balance), avg(balance), avg(exact), sum(exact), min(exact), max(exact) FROM accounts;
SELECT sum(span), avg(span), min(span), max(span) FROM accounts;
SELECT min(seen), max(seen), min(born), max(born), min(code), max(city) FROM accounts;
SELECT bool_and(active), bool_or(active), every(active), bit_and(id), bit_or(id) FROM accounts;
SELECT min(plain), max(plain), min(wort), max(wort), lower(min(loosely)) FROM accounts;
SELECT min(feels), max(feels), min(size), max(size) FROM accounts;
SELECT sum(rate) FROM accounts WHERE rate < 5;
SELECT avg(rate) FROM accounts WHERE rate BETWEEN 1 AND 9;
SELECT avg(small::numeric), sum(small::numeric) FROM accounts;
SELECT stddev(balance), variance(balance), stddev_pop(id), var_samp(tiny) FROM accounts;
SELECT round(corr(id, tiny)::numeric, 6), round(covar_pop(id, tiny)::numeric, 6) FROM accounts WHERE id < 50;
SELECT count(*) FROM accounts WHERE false;
SELECT count(*), sum(id), avg(id), max(name) FROM accounts WHERE tenant = 12345;
SELECT count(*) FROM accounts HAVING count(*) > 1000;
SELECT count(*) FROM accounts HAVING count(*) > 10;
SELECT 1 FROM accounts HAVING true;
SELECT count(*) AS c FROM accounts GROUP BY ();
SELECT tenant, count(*) FROM accounts GROUP BY tenant ORDER BY tenant;
SELECT city, count(*), sum(balance) FROM accounts GROUP BY city ORDER BY city;
SELECT city, count(*) FROM accounts GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3;
SELECT city AS c, count(*) FROM accounts GROUP BY c ORDER BY count DESC, c;
SELECT upper(city), count(*) FROM accounts GROUP BY upper(city) ORDER BY 1;
SELECT date_trunc('month', born), count(*), sum(balance) FROM accounts GROUP BY 1 ORDER BY 1;
SELECT extract(year FROM born), city, avg(balance) FROM accounts GROUP BY 1, 2 ORDER BY 1, 2;
SELECT exact::float8, count(*) FROM accounts GROUP BY exact ORDER BY exact;
SELECT exact::text, count(*) FROM accounts GROUP BY exact::text ORDER BY 1;
SELECT rate, count(*) FROM accounts GROUP BY rate ORDER BY rate;
SELECT loosely, count(*) > 0 FROM accounts WHERE false GROUP BY loosely;
SELECT lower(loosely COLLATE "C"), count(*) FROM accounts GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (SELECT loosely FROM accounts GROUP BY loosely) g;
SELECT feels, count(*) FROM accounts GROUP BY feels ORDER BY feels;
SELECT code, count(*) FILTER (WHERE active), sum(balance) FILTER (WHERE balance > 0 AND id < 60) FROM accounts GROUP BY code ORDER BY code;
SELECT avg(id) FILTER (WHERE active) FROM accounts;
SELECT city, count(*) FROM accounts GROUP BY city HAVING sum(balance) > 100 AND count(*) > 3 ORDER BY city;
SELECT city, code, count(*), grouping(city, code) FROM accounts GROUP BY ROLLUP (city, code) ORDER BY city, code, 4;
SELECT city, code, sum(id) FROM accounts GROUP BY GROUPING SETS ((city), (code), ()) ORDER BY 1, 2, 3;
SELECT city, code, count(*) FROM accounts WHERE id < 0 GROUP BY ROLLUP (city, code);
SELECT city, active, count(*) FROM accounts GROUP BY CUBE (city, active) ORDER BY 1, 2, 3;
SELECT code, city, active, count(*), sum(balance), grouping(code, city, active) FROM accounts GROUP BY code, ROLLUP (city, active) ORDER BY 1, 2, 3, 6;
SELECT tenant, city, count(*), avg(exact), grouping(tenant, city) FROM accounts GROUP BY tenant, ROLLUP (city) ORDER BY 1, 2, 5;
SELECT city, code, active, count(*), grouping(code, active) + grouping(city) AS g FROM accounts GROUP BY ROLLUP (city), CUBE (code, active) ORDER BY 1, 2, 3, 5;
SELECT city, code, active, count(DISTINCT tiny) FROM accounts GROUP BY GROUPING SETS (ROLLUP (city, code), CUBE (active), GROUPING SETS ((code, active), ())) ORDER BY 1, 2, 3, 4;
SELECT city, code, count(*) FROM accounts GROUP BY GROUPING SETS ((city, code), (city)), CUBE (code) HAVING grouping(code) = 0 OR count(*) > 20 ORDER BY 1, 2, 3;
SELECT upper(city), extract(year FROM born) AS y, max(rate) FROM accounts GROUP BY upper(city), ROLLUP (extract(year FROM born), (code, active)) ORDER BY 1, 2, 3;
SELECT city, x, count(*) FROM accounts GROUP BY DISTINCT ROLLUP (city, active), CUBE (active), (SELECT 1), ROLLUP ((tenant = 1)), city, x ORDER BY 1;
SELECT o.status, a.city, sum(o.total), grouping(o.status, a.city) FROM accounts a JOIN orders o ON o.account = a.id GROUP BY ALL CUBE (o.status), ROLLUP (a.city) ORDER BY 1, 2, 3, 4;
SELECT city, sum(n) FROM (SELECT city, code, count(*) AS n FROM accounts GROUP BY code, ROLLUP (city) UNION ALL SELECT code, city, 1 FROM accounts GROUP BY CUBE (code), city) t GROUP BY city ORDER BY 1, 2;
SELECT city, count(*) FROM accounts WHERE id < 0 GROUP BY GROUPING SETS (()), ROLLUP (city);
SELECT city, count(*) FROM accounts WHERE id < 0 GROUP BY city, ROLLUP (code);
SELECT sum(balance) / count(*), -count(*), count(*) * 2 FROM accounts;
SELECT count(*) + 1 AS more, max(id) - min(id) FROM accounts;
SELECT CASE WHEN count(*) > 10 THEN 'many' ELSE 'few' END FROM accounts;
SELECT coalesce(sum(id) FILTER (WHERE id > 1000), 0) FROM accounts;
SELECT pg_catalog.count(*), pg_catalog.sum(a.id) FROM accounts a;
SELECT count(DISTINCT city) FROM accounts;
SELECT count(DISTINCT city), count(DISTINCT tenant), max(city) FROM accounts;
SELECT city, count(DISTINCT code), sum(DISTINCT tiny) FROM accounts GROUP BY city ORDER BY city;
SELECT count(DISTINCT city), sum(id) FROM accounts;
SELECT count(DISTINCT exact), count(DISTINCT loosely) FROM accounts;
SELECT string_agg(name, ',' ORDER BY id) FROM accounts WHERE id < 20;
SELECT array_agg(id ORDER BY id DESC) FROM accounts WHERE active;
SELECT tenant, array_agg(DISTINCT code ORDER BY code) FROM accounts GROUP BY tenant ORDER BY 1;
SELECT jsonb_object_agg(id, doc ORDER BY id) FROM accounts WHERE id < 5;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY balance) FROM accounts;
SELECT mode() WITHIN GROUP (ORDER BY city), percentile_disc(0.9) WITHIN GROUP (ORDER BY id) FROM accounts;
SELECT tenant, id, count(*) FROM accounts GROUP BY tenant, id ORDER BY id LIMIT 3;
SELECT tenant, id, name, balance FROM accounts GROUP BY tenant, id ORDER BY id LIMIT 3;
SELECT a.id, a.name, count(o.order_id) FROM accounts a LEFT JOIN orders o ON o.account = a.id GROUP BY a.id, a.tenant ORDER BY 1 LIMIT 9;
SELECT o.*, count(a.id) FROM orders o LEFT JOIN accounts a ON o.account = a.id GROUP BY o.tenant, o.order_id ORDER BY o.order_id LIMIT 9;
-- distinct
SELECT DISTINCT city FROM accounts ORDER BY city;
SELECT DISTINCT city, code FROM accounts ORDER BY 1, 2;
SELECT DISTINCT tenant % 2 FROM accounts ORDER BY 1;
SELECT DISTINCT exact::text FROM accounts ORDER BY 1;
SELECT DISTINCT ON (tenant) tenant, id, balance FROM accounts ORDER BY tenant, balance DESC, id;
SELECT DISTINCT ON (city) city, first_value(id) OVER (PARTITION BY city ORDER BY id) FROM accounts ORDER BY city;
SELECT DISTINCT 1 FROM accounts;
SELECT DISTINCT ON (1) 1 FROM accounts;
SELECT count(*) FROM (SELECT DISTINCT doc->'n' FROM accounts) d;
SELECT city FROM accounts GROUP BY city ORDER BY max(balance) LIMIT 2;
-- windows
SELECT id, row_number() OVER (ORDER BY balance, id) FROM accounts ORDER BY id LIMIT 10;
SELECT id, sum(balance) OVER (PARTITION BY tenant ORDER BY id) FROM accounts ORDER BY id;
SELECT id, rank() OVER w, lag(id) OVER w FROM accounts WINDOW w AS (PARTITION BY city ORDER BY born, id) ORDER BY id LIMIT 20;
SELECT city, sum(count(*)) OVER (ORDER BY city) FROM accounts GROUP BY city ORDER BY city;
SELECT id, ntile(4) OVER (ORDER BY id), percent_rank() OVER (ORDER BY id) FROM accounts WHERE tenant IN (1, 4) ORDER BY id;
-- set operations
SELECT tenant FROM accounts UNION SELECT tenant FROM orders ORDER BY 1;
SELECT id FROM accounts WHERE id < 4 UNION ALL SELECT account FROM orders WHERE order_id < 4 ORDER BY 1;
SELECT id FROM accounts INTERSECT SELECT account FROM orders ORDER BY 1;
SELECT id FROM accounts EXCEPT SELECT account FROM orders ORDER BY 1;
SELECT code FROM accounts EXCEPT ALL SELECT code FROM countries ORDER BY 1;
(SELECT id FROM accounts ORDER BY id LIMIT 2) UNION ALL (SELECT order_id FROM orders ORDER BY order_id DESC LIMIT 2) ORDER BY 1;
SELECT 'x', count(*) FROM accounts UNION ALL SELECT 'y', count(*) FROM orders ORDER BY 1;
SELECT city FROM accounts UNION SELECT title FROM countries ORDER BY 1;
-- joins
SELECT a.id, o.order_id FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id ORDER BY 2 LIMIT 10;
SELECT a.id, count(o.order_id) FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id GROUP BY a.id ORDER BY 1;
SELECT a.id, o.order_id FROM accounts a JOIN orders o ON o.account = a.id WHERE o.total > 80 ORDER BY 2;
SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.account = a.id WHERE o.status IS NULL ORDER BY 1, 2;
SELECT a.id, o.order_id FROM accounts a RIGHT JOIN orders o ON o.account = a.id WHERE a.name IS NULL ORDER BY 2, 1;
SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.account = a.id AND o.tenant = a.tenant ORDER BY 1, 2;
SELECT e.kind, count(*) FROM events e JOIN accounts a ON a.tenant = e.tenant GROUP BY e.kind ORDER BY 1;
SELECT c.title, count(*) FROM accounts a JOIN countries c ON c.code = a.code GROUP BY c.title ORDER BY 1;
SELECT c.title, count(a.id) FROM countries c LEFT JOIN accounts a ON a.code = c.code GROUP BY c.title ORDER BY 1;
SELECT c.title FROM countries c WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.code = c.code) ORDER BY 1;
SELECT n.body, count(a.id) FROM notes n LEFT JOIN accounts a ON a.tenant = n.tenant GROUP BY n.body ORDER BY 1;
SELECT x.id, y.id FROM accounts x, accounts y WHERE x.id = y.id + 60 AND x.tenant <> y.tenant ORDER BY 1;
SELECT x.city, count(*) FROM accounts x JOIN accounts y USING (city) GROUP BY x.city ORDER BY 1;
SELECT count(*) FROM accounts NATURAL JOIN orders;
SELECT accounts.id FROM accounts, orders WHERE accounts.id = orders.account AND orders.total < 5 ORDER BY 1;
SELECT a.id, o.total FROM accounts a CROSS JOIN LATERAL (SELECT total FROM orders o WHERE o.account = a.id ORDER BY total DESC LIMIT 1) o ORDER BY 1 LIMIT 10;
SELECT a.n, a.c FROM accounts AS a(t, i, n, c) ORDER BY a.i LIMIT 3;
SELECT (a).id, a.name FROM accounts a WHERE a IS NOT NULL ORDER BY 1 LIMIT 2;
SELECT count(a) FROM accounts a;
SELECT row_to_json(o) FROM orders o ORDER BY o.order_id LIMIT 2;
SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id AND o.tenant = 5;
SELECT a.id, o.order_id FROM orders o RIGHT JOIN accounts a ON o.tenant = a.tenant AND o.account = a.id AND o.tenant IN (1, 5);
SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id AND o.tenant = 5 WHERE a.tenant IN (1, 2);
SELECT a.id, o.order_id FROM accounts a FULL JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE a.tenant IN (1, 2) ORDER BY 1, 2;
-- subqueries
SELECT id FROM accounts WHERE balance > (SELECT avg(balance) FROM accounts) ORDER BY id;
SELECT id FROM accounts WHERE id IN (SELECT account FROM orders WHERE total > 85) ORDER BY id;
SELECT id FROM accounts a WHERE EXISTS (SELECT 1 FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id) ORDER BY id;
SELECT id, (SELECT count(*) FROM orders o WHERE o.account = a.id) FROM accounts a ORDER BY id LIMIT 10;
SELECT id FROM accounts WHERE id NOT IN (SELECT account FROM orders WHERE account IS NOT NULL) ORDER BY id;
SELECT tenant, (SELECT max(total) FROM orders) FROM accounts WHERE tenant = 3 ORDER BY id LIMIT 1;
SELECT t.city, t.n FROM (SELECT city, count(*) AS n FROM accounts GROUP BY city) t WHERE t.n > 17 ORDER BY 1;
SELECT id FROM accounts WHERE (tenant, id) IN (SELECT tenant, account FROM orders) ORDER BY id;
SELECT id FROM accounts WHERE balance >= ALL (SELECT total FROM orders WHERE total < 50) ORDER BY id;
SELECT ARRAY(SELECT id FROM accounts WHERE city = 'Oslo' ORDER BY id);
-- CTEs
WITH rich AS (SELECT tenant, id FROM accounts WHERE balance > 500) SELECT count(*) FROM rich;
WITH t AS (SELECT tenant, sum(total) AS s FROM orders GROUP BY tenant) SELECT a.tenant, max(t.s), count(*) FROM accounts a JOIN t ON t.tenant = a.tenant GROUP BY a.tenant ORDER BY 1;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT n.i, a.name FROM n JOIN accounts a ON a.id = n.i ORDER BY 1;
WITH RECURSIVE chain AS (SELECT id, tenant, 1 AS depth FROM accounts WHERE id = 1 UNION ALL SELECT a.id, a.tenant, depth + 1 FROM accounts a JOIN chain c ON a.id = c.id * 2) SELECT id, depth FROM chain ORDER BY 1;
WITH accounts AS (SELECT 1 AS id) SELECT id FROM accounts;
WITH x AS MATERIALIZED (SELECT id FROM accounts WHERE active) SELECT count(*) FROM x JOIN orders o ON o.account = x.id;
-- conditions that are sent along, or must not be
SELECT o.order_id, a.id FROM orders o LEFT JOIN accounts a ON a.id = o.account WHERE a.id IS NULL ORDER BY 1;
SELECT o.order_id, a.id FROM orders o LEFT JOIN accounts a ON a.id = o.account AND a.active WHERE a.active IS NOT TRUE ORDER BY 1;
SELECT a.id, o.order_id FROM accounts a JOIN orders o ON o.account = a.id WHERE a.city = 'Oslo' AND o.total BETWEEN 10 AND 30 AND (o.status = 'paid' OR a.active) ORDER BY 2;
SELECT a.id FROM accounts a JOIN orders o ON o.account = a.id WHERE CASE WHEN a.active AND o.total > 1 THEN true ELSE false END AND a.id < 40 ORDER BY 1, o.order_id;
SELECT a.id FROM accounts a JOIN orders o ON o.account = a.id WHERE a.doc ->> 'n' = '1' AND o.total > 70 ORDER BY 1, o.order_id;
SELECT a.id FROM accounts a JOIN orders o ON o.account = a.id WHERE a.born > date '2020-06-01' AND o.total > 70 ORDER BY 1, o.order_id;
SELECT a.id FROM accounts a, orders o WHERE a.id = o.account AND NOT a.active AND o.status IN ('open', 'sent') ORDER BY 1, o.order_id;
SELECT id FROM accounts WHERE lower(city) = 'oslo' AND id > 10 ORDER BY id;
SELECT count(*) FROM accounts WHERE random() >= 0;
SELECT count(*) FROM accounts WHERE seen < now() AND born < current_date;
SELECT id, abs(balance)::numeric(12,1) FROM accounts ORDER BY abs(balance) DESC, id LIMIT 5;
SELECT sum(sum) FROM (SELECT sum(total) FROM orders GROUP BY status) s;
SELECT a.tenant, count(*), count(DISTINCT o.status) FROM accounts a JOIN orders o ON o.tenant = a.tenant WHERE a.tenant IN (1, 2) GROUP BY a.tenant ORDER BY 1;
SELECT b.id FROM accounts b JOIN accounts c ON b.tenant = c.tenant AND b.id = c.id + 7 ORDER BY 1 LIMIT 5;
SELECT max(id), city FROM accounts GROUP BY city, tenant > 3 ORDER BY 1 LIMIT 4;
VALUES ((SELECT count(*) FROM accounts), (SELECT max(order_id) FROM orders));
SELECT count(*) = (SELECT count(*) FROM orders) FROM accounts;
SELECT (SELECT name FROM accounts WHERE id = 3), (SELECT status FROM orders WHERE order_id = 9);
SELECT "accounts"."id" FROM "accounts" ORDER BY "id" LIMIT 1;
SELECT id FROM public.accounts ORDER BY id LIMIT 1;
-- duplicates are no concern of IS DISTINCT FROM
SELECT name IS DISTINCT FROM city AS d FROM accounts ORDER BY d;
SELECT active IS NOT DISTINCT FROM true FROM accounts WHERE tenant < 3 ORDER BY 1;
-- rows that meet on their shards
SELECT a.city, count(*), sum(o.total), avg(o.total) FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id GROUP BY a.city ORDER BY 1;
SELECT count(*) FROM accounts a, orders o WHERE o.tenant = a.tenant AND a.active AND o.total > 20;
SELECT a.code, c.title, count(*), max(o.placed) FROM accounts a JOIN orders o ON o.tenant = a.tenant JOIN countries c ON c.code = a.code GROUP BY a.code, c.title ORDER BY 1, 2;
SELECT a.tenant, a.id, count(o.order_id) FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE a.id < 30 GROUP BY a.tenant, a.id ORDER BY 1, 2;
SELECT a.id, a.name, a.balance, count(*) FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id GROUP BY a.tenant, a.id ORDER BY a.id;
SELECT a.id, o.order_id, o.total FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id ORDER BY o.total DESC NULLS LAST, o.order_id, a.id LIMIT 7 OFFSET 2;
SELECT DISTINCT a.city, o.status FROM accounts a JOIN orders o ON o.tenant = a.tenant ORDER BY 1, 2;
SELECT a.id, o.order_id FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE a.tenant IN (1, 4) ORDER BY 2, 1;
SELECT a.id FROM accounts a WHERE EXISTS (SELECT 1 FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id AND o.total > 60);
SELECT a.id FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id AND o.tenant = 3) ORDER BY 1;
SELECT a.id, a.name FROM accounts a WHERE a.balance > (SELECT avg(o.total) FROM orders o WHERE o.tenant = a.tenant);
SELECT a.city, count(*) FROM accounts a WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id) GROUP BY a.city ORDER BY 1;
SELECT a.id, (SELECT count(*) FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id) FROM accounts a;
SELECT a.id, (SELECT max(o.total) FROM orders o WHERE o.tenant = a.tenant AND o.account = a.id) AS m FROM accounts a ORDER BY m DESC NULLS LAST, 1 LIMIT 5;
SELECT a.id, (SELECT o.order_id FROM orders o WHERE o.tenant = a.tenant ORDER BY o.total DESC, o.order_id LIMIT 1) FROM accounts a WHERE a.id < 40;
SELECT count(*) FROM accounts a WHERE a.code IN (SELECT c.code FROM countries c WHERE c.title > 'D');
SELECT sum(a.balance) FROM accounts a WHERE a.id IN (SELECT o.account FROM orders o WHERE o.tenant = a.tenant UNION ALL SELECT o.account FROM orders o WHERE o.tenant = a.tenant AND o.total > 10);
SELECT (SELECT max(a.id) FROM countries c WHERE c.code = 'DE') FROM accounts a WHERE a.tenant = 2;
SELECT (SELECT count(*) FROM orders o WHERE o.tenant = max(a.tenant)) FROM accounts a;
SELECT a.tenant, (SELECT max(a.id)) FROM accounts a GROUP BY a.tenant ORDER BY 1;
SELECT (SELECT sum(a.id)) FROM accounts a;
SELECT count(*) FROM accounts a JOIN orders o USING (tenant);
SELECT a.id FROM accounts a WHERE EXISTS (SELECT 1 FROM orders o WHERE o.tenant = a.tenant AND EXISTS (SELECT 1 FROM accounts b WHERE b.tenant = o.tenant AND b.id = o.account AND b.id <> a.id AND b.city = a.city)) ORDER BY 1;
SELECT a.id FROM accounts a WHERE EXISTS (SELECT 1 FROM orders o WHERE o.account = a.id AND o.tenant <> a.tenant) ORDER BY 1;
SELECT a.id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id AND EXISTS (SELECT 1 FROM accounts b WHERE b.tenant = o.tenant AND b.id < 5) WHERE o.order_id IS NULL ORDER BY 1;
SELECT public.accounts.id FROM public.accounts WHERE public.accounts.tenant < 3 ORDER BY public.accounts.id;
SELECT count(public.accounts.name), public.accounts.city FROM accounts GROUP BY public.accounts.city ORDER BY 2;
-- arrays and rows of constants
SELECT id FROM accounts WHERE tenant = ANY ('{1,2}');
SELECT id FROM accounts WHERE tenant = ANY ('{3}');
SELECT count(*) FROM accounts WHERE tenant = ANY ('{}');
SELECT count(*), sum(id) FROM accounts WHERE tenant = ANY ('{NULL, 4, 4}'::int[]);
SELECT count(*) FROM accounts WHERE tenant = ANY (NULL);
SELECT count(*) FROM accounts WHERE tenant = ANY ('{{1,2},{3,4}}');
SELECT count(*) FROM accounts WHERE tenant = ANY ('[2:3]={1,2}');
SELECT count(*) FROM accounts WHERE tenant = ANY ('{ 1 , "2",  " 3" }');
SELECT count(*) FROM accounts WHERE tenant = ANY ('{1.0, 2.5}'::numeric[]);
SELECT count(*) FROM accounts WHERE tenant = ANY (ARRAY[1, 2, 99]);
SELECT count(*) FROM accounts WHERE tenant = ANY (ARRAY[5]::bigint[]) AND id > 3;
SELECT count(*) FROM accounts WHERE tenant = ANY (ARRAY['5']);
SELECT count(*) FROM accounts WHERE tenant = ANY ('{5,x}');
SELECT count(*) FROM accounts WHERE NOT (tenant = ANY ('{5}'));
SELECT a.id, o.order_id FROM accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id WHERE a.tenant = SOME ('{2}') ORDER BY 1, 2;
SELECT a.id, o.order_id FROM accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id AND o.tenant = ANY ('{2}') WHERE a.id < 20 ORDER BY 1, 2;
SELECT id FROM accounts WHERE (tenant, id) = (1, 1);
SELECT id FROM accounts WHERE (tenant, id) IN ((1, 1), (2, 2), (3, 3), (NULL, 4));
SELECT count(*) FROM accounts WHERE (tenant, active) = (3, true) OR id = 1;
SELECT count(*) FROM accounts WHERE (tenant, name) IN ((1, NULL), (2, NULL));
SELECT count(*) FROM accounts WHERE (id, tenant) = (5, 5.0);
SELECT max(nums), min(tags), max(nums) FILTER (WHERE id < 50) FROM accounts;
-- arrays whose texts a session's settings decide
SELECT * FROM shelves ORDER BY id;
SELECT x.weights, y.days, x.spans, y.moments, x.light FROM shelves x JOIN shelves y ON y.id = x.id + 1 ORDER BY x.id;
SELECT weights, count(*), min(days), max(spans) FROM shelves GROUP BY weights ORDER BY 1, 2;
SELECT x.id, w FROM shelves x JOIN accounts a ON a.tenant = x.tenant AND a.id = x.id, unnest(x.weights) w ORDER BY 1, 2;
SELECT days[1], array_length(weights, 1), cardinality(days), spans[2] FROM shelves ORDER BY id LIMIT 9;
SELECT array_agg(weights[1] ORDER BY id), moments FROM shelves GROUP BY moments ORDER BY moments LIMIT 4;

SELECT count(*), max(o.total), min(a.name) FROM accounts a JOIN orders o USING (tenant) WHERE o.total > 20;

SELECT tenant, count(*), sum(page) FROM accounts a JOIN pages p USING (tenant) GROUP BY tenant, a.active ORDER BY 1, 2, 3;

SELECT tenant, max(p.body) FROM accounts a LEFT JOIN pages p USING (tenant) WHERE a.id < 12 GROUP BY tenant ORDER BY tenant;

SELECT p.tenant, a.tenant, count(*) FROM accounts a LEFT JOIN pages p USING (tenant) GROUP BY 1, 2 ORDER BY 1, 2;

SELECT tenant, p.tenant, count(*) FROM accounts a LEFT JOIN pages p USING (tenant) GROUP BY 1, 2 ORDER BY 1, 2;

SELECT tenant, a.id, p.page FROM accounts a JOIN pages p USING (tenant) ORDER BY a.id, p.page, tenant LIMIT 4;

SELECT max(tenant), count(DISTINCT tenant) FROM pages p RIGHT JOIN accounts a USING (tenant);

SELECT tenant, count(*) FROM accounts a JOIN orders o USING (tenant) GROUP BY tenant ORDER BY 1;

SELECT count(*) FROM accounts NATURAL JOIN pages WHERE accounts.id > 3;

SELECT a.name, b.name FROM accounts a JOIN accounts b USING (city) WHERE a.id = 3 AND b.active ORDER BY 1, 2;

SELECT a.name, b.id FROM accounts a LEFT JOIN accounts b USING (city) WHERE a.id < 6 AND city IS NOT NULL ORDER BY 1, 2;

SELECT count(*) FROM accounts a JOIN accounts b USING (loosely) WHERE loosely = 'abc' AND b.id > 2;

SELECT count(*) FROM accounts a JOIN accounts b USING (exact) WHERE exact::text = '1.0' AND b.id > 2;

SELECT o.order_id, o.total FROM orders o WHERE o.tenant = (SELECT tenant FROM notes ORDER BY id LIMIT 1) ORDER BY 1;

SELECT o.order_id FROM orders o WHERE o.tenant = (SELECT e.tenant FROM events e WHERE e.kind IS NOT NULL ORDER BY e.id LIMIT 1) ORDER BY 1;

SELECT o.order_id FROM orders o WHERE tenant IN (SELECT tenant FROM events WHERE kind = 'open' OR kind IS NULL) AND o.total > 10 ORDER BY 1;

SELECT count(*) FROM orders o WHERE o.tenant NOT IN (SELECT e.tenant FROM events e WHERE e.kind = 'open' AND e.tenant IS NOT NULL);

SELECT x.kind FROM events x WHERE x.id = (SELECT max(y.id::text)::uuid FROM events y WHERE y.tenant = 2);

SELECT count(*) FROM events x WHERE x.id IN (SELECT DISTINCT y.id FROM events y WHERE y.tenant < 4 LIMIT 50);

SELECT count(*) FROM accounts a WHERE a.tenant = (SELECT e.tenant FROM events e WHERE e.kind = 'nothing of the kind');

SELECT a.id FROM accounts a WHERE a.tenant IN (SELECT o.account FROM orders o WHERE o.total > 30 UNION SELECT 1) ORDER BY 1;

SELECT a.id FROM accounts a WHERE a.id < 40 AND a.tenant IN (SELECT o.account FROM orders o WHERE o.total > 30) ORDER BY 1;

SELECT a.id FROM accounts a WHERE a.id < 40 AND a.tenant = ANY (SELECT o.account FROM orders o WHERE o.total > 30) ORDER BY 1;

SELECT a.id FROM accounts a WHERE a.id < 40 AND (a.tenant IN (SELECT o.account FROM orders o WHERE o.total > 30)) IS NOT FALSE ORDER BY 1;

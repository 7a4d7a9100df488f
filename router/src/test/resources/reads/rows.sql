INSERT INTO accounts SELECT
    g % 7, g, CASE WHEN g % 11 = 0 THEN NULL ELSE 'name ' || (g * 37 % 23) END,
    (ARRAY['Köln', 'Zürich', 'Oslo', 'oslo', 'Ærø', '', 'Łódź'])[1 + g % 7],
    (g * 7919 % 100000) / 100.0 - 300,
    CASE g % 4 WHEN 0 THEN g::numeric WHEN 1 THEN (g / 4)::numeric(10,2) WHEN 2 THEN NULL ELSE 1.50 END,
    CASE g % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 0 ELSE g / 8.0 END,
    g / 3.0, DATE '2020-01-01' + g * 13 % 400, TIMESTAMPTZ '2024-03-01 12:00:00+00' + g * INTERVAL '7 hours',
    g * INTERVAL '1 hour', CASE g % 3 WHEN 0 THEN true WHEN 1 THEN false END,
    (ARRAY['sad', 'ok', 'happy'])[1 + g % 3]::mood, 1 + g % 5,
    ARRAY['t' || g % 3, NULL, 'a "b" \ ,{}'], CASE WHEN g % 5 > 0 THEN ARRAY[g, g * 2] END,
    jsonb_build_object('n', g % 4, 'list', jsonb_build_array(g, g + 1)), json_build_object('g', g),
    decode(md5(g::text), 'hex'), (ARRAY['DE', 'CH', 'NO', 'XX'])[1 + g % 4],
    (ARRAY['b', 'A', 'a', 'B', 'ä', 'Z'])[1 + g % 6], (ARRAY['Zoo', 'Äpfel', 'apfel', 'Ofen', 'öfen'])[1 + g % 5],
    (ARRAY['Fast', 'fast', 'FAST', 'slow', 'Slow'])[1 + g % 5], g % 100, int4range(g, g + 3)
  FROM generate_series(1, 120) g;
INSERT INTO orders SELECT
    g % 7, g, 1 + g * 31 % 130, (g * 613 % 9000) / 100.0, TIMESTAMP '2024-01-01' + g * INTERVAL '11 minutes',
    (ARRAY['open', 'paid', 'sent', NULL])[1 + g % 4]
  FROM generate_series(1, 300) g;
INSERT INTO events SELECT
    md5(g::text)::uuid, g % 9, 'kind ' || g % 4, TIMESTAMPTZ '2024-01-01 00:00:00+00' + g * INTERVAL '1 day'
  FROM generate_series(1, 60) g;
INSERT INTO countries VALUES ('DE', 'Germany'), ('CH', 'Switzerland'), ('NO', 'Norway'), ('FR', 'France');
INSERT INTO notes SELECT g, g % 7, 'note ' || g FROM generate_series(1, 20) g;
INSERT INTO shelves SELECT
    g % 7, g, CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN ARRAY[g / 3.0, NULL, 'NaN'] ELSE ARRAY[0.1 + g, '-0', 1e300] END::float8[],
    CASE g % 4 WHEN 0 THEN NULL ELSE ARRAY[date '2024-02-28' + g, NULL, 'infinity'] END::date[],
    ARRAY[g * interval '1 month 2 days 3 hours', interval '-1 second'],
    ARRAY[timestamptz '2024-03-01 12:00:00.000001+00' + g * interval '7 hours'], ARRAY[g / 7.0]::real[]
  FROM generate_series(1, 30) g;

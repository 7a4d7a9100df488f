CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN positive AS integer CHECK (value > 0);
CREATE COLLATION german (provider = icu, locale = 'de');
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE accounts (
    tenant bigint NOT NULL,
    id integer NOT NULL,
    name text,
    city varchar(20),
    balance numeric(10,2),
    exact numeric,
    rate double precision,
    small real,
    born date,
    seen timestamp with time zone,
    span interval,
    active boolean,
    feels mood,
    size positive,
    tags text[],
    nums integer[],
    doc jsonb,
    note json,
    raw bytea,
    code char(4),
    plain text COLLATE "C",
    wort text COLLATE german,
    loosely text COLLATE loose,
    tiny smallint,
    reach int4range,
    PRIMARY KEY (tenant, id)
);
CREATE TABLE orders (
    tenant integer NOT NULL,
    order_id bigint NOT NULL,
    account integer,
    total numeric(8,2),
    placed timestamp,
    status text,
    PRIMARY KEY (tenant, order_id)
);
CREATE TABLE events (id uuid PRIMARY KEY, tenant bigint, kind text, at timestamp with time zone);
CREATE TABLE countries (code char(4) PRIMARY KEY, title text);
CREATE TABLE notes (id bigint PRIMARY KEY, tenant bigint, body text);
CREATE TABLE pages (tenant bigint NOT NULL, page integer NOT NULL, body text, PRIMARY KEY (tenant, page));
CREATE TABLE shelves (tenant bigint NOT NULL, id integer NOT NULL, weights double precision[], days date[],
    spans interval[], moments timestamp with time zone[], light real[], PRIMARY KEY (tenant, id));

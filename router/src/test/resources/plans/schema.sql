-- The tables of topology.json, as pg_dump would write them.
\connect app
CREATE TABLE public.users (
    tenant_id bigint NOT NULL,
    user_id bigint NOT NULL,
    email text NOT NULL,
    name text,
    country_code character(2),
    created_at timestamp with time zone DEFAULT now()
);
ALTER TABLE ONLY public.users REPLICA IDENTITY FULL;
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (tenant_id, user_id);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_tenant_id_email_key UNIQUE (tenant_id, email);
CREATE TABLE public.pages (
    tenant_id bigint NOT NULL,
    page_id integer GENERATED ALWAYS AS IDENTITY,
    slug text,
    body text,
    PRIMARY KEY (tenant_id, page_id)
);
CREATE TABLE public.invites (
    tenant_id bigint NOT NULL,
    invite_id bigint NOT NULL,
    to_email text NOT NULL,
    note text,
    PRIMARY KEY (tenant_id, invite_id)
);
CREATE UNIQUE INDEX pages_slug ON public.pages USING btree (tenant_id, slug);
CREATE TABLE public.orders (
    tenant_id integer NOT NULL,
    order_id bigint NOT NULL,
    user_id bigint,
    total numeric(10,2),
    doc jsonb,
    PRIMARY KEY (tenant_id, order_id)
);
CREATE TABLE public.jobs (id bigint PRIMARY KEY, tenant_id bigint NOT NULL, state text, payload text);
CREATE TABLE public.codes (code character varying(5) PRIMARY KEY, label text);
CREATE TABLE public.events (id uuid PRIMARY KEY, tenant_id bigint, what text);
CREATE TABLE public.prices (price numeric(8,2) PRIMARY KEY, item text);
CREATE TABLE public.zones (zone_no smallint PRIMARY KEY, name text);
CREATE TABLE public.zone_events (zone_no bigint, event_id bigint, what text, PRIMARY KEY (zone_no, event_id));
CREATE TABLE public.badzones (zone_no numeric PRIMARY KEY, name text);
CREATE TABLE public.rooms (
    room character varying(20) NOT NULL,
    building integer NOT NULL,
    seats integer,
    PRIMARY KEY (building, room)
);
CREATE TABLE public.bookings (
    booking_id bigint NOT NULL,
    building bigint NOT NULL,
    room text NOT NULL,
    who text,
    PRIMARY KEY (building, room, booking_id)
);
CREATE TABLE public.badrooms (building integer NOT NULL, room jsonb NOT NULL);
CREATE TABLE public.mails (mail text COLLATE pg_catalog."C" PRIMARY KEY, name text);
CREATE TABLE public.loosemails (mail text PRIMARY KEY, name text);
CREATE TABLE public.slots (slot_no integer PRIMARY KEY, name text);
CREATE TABLE public.slot_logs (slot_no bigint, at timestamp with time zone, what text);
CREATE TABLE public.settings (key text PRIMARY KEY, value text);
CREATE TABLE public.notes (id bigint PRIMARY KEY, body text);
CREATE TABLE public.users_by_email (email text PRIMARY KEY, tenant_id bigint NOT NULL);
CREATE TABLE public.members (tenant_id bigint NOT NULL, member_id bigint NOT NULL, nick text NOT NULL, kind jsonb);
ALTER TABLE ONLY public.members ADD CONSTRAINT members_pkey PRIMARY KEY (tenant_id, member_id);
ALTER TABLE ONLY public.members ADD CONSTRAINT members_nick UNIQUE (tenant_id, nick);
ALTER TABLE ONLY public.members REPLICA IDENTITY FULL;
CREATE TABLE public.members_by_nick (nick text PRIMARY KEY, tenant_id bigint NOT NULL);
CREATE TABLE public.countries (code character(2) PRIMARY KEY, name text);
CREATE TABLE public.colours (colour text PRIMARY KEY);
CREATE TABLE "Odd"."Mixed Case" (tenant_id bigint PRIMARY KEY, "Value" text);
CREATE TABLE tpcc.warehouse (w_id integer PRIMARY KEY, w_name character varying(10), w_street_1 character varying(20), w_tax numeric(4,4), w_ytd numeric(12,2));
CREATE TABLE tpcc.district (d_w_id integer, d_id integer, d_name character varying(10), d_tax numeric(4,4), d_ytd numeric(12,2), d_next_o_id integer, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE tpcc.customer (c_w_id integer, c_d_id integer, c_id integer, c_first character varying(16), c_last character varying(16), c_credit character(2), c_discount numeric(4,4), c_balance numeric(12,2), c_data text, PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE tpcc.history (h_c_id integer, h_c_d_id integer, h_c_w_id integer, h_d_id integer, h_w_id integer, h_date timestamp without time zone, h_amount numeric(6,2), h_data character varying(24));
CREATE TABLE tpcc.oorder (o_w_id integer, o_d_id integer, o_id integer, o_c_id integer, o_carrier_id integer, o_ol_cnt integer, o_entry_d timestamp without time zone, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE tpcc.new_order (no_w_id integer, no_d_id integer, no_o_id integer, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE tpcc.order_line (ol_w_id integer, ol_d_id integer, ol_o_id integer, ol_number integer, ol_i_id integer, ol_supply_w_id integer, ol_delivery_d timestamp without time zone, ol_quantity integer, ol_amount numeric(6,2), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE TABLE tpcc.stock (s_w_id integer, s_i_id integer, s_quantity integer, s_ytd integer, s_order_cnt integer, PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE tpcc.item (i_id integer PRIMARY KEY, i_name character varying(24), i_price numeric(5,2), i_data character varying(50));
CREATE TABLE bench.pgbench_accounts (aid integer PRIMARY KEY, bid integer, abalance integer, filler character(84));
CREATE TABLE bench.pgbench_tellers (tid integer PRIMARY KEY, bid integer, tbalance integer, filler character(84));
CREATE TABLE bench.pgbench_branches (bid integer PRIMARY KEY, bbalance integer, filler character(88));
CREATE TABLE bench.pgbench_history (tid integer, bid integer, aid integer, delta integer, mtime timestamp without time zone, filler character(22));

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
CREATE TABLE public.countries (code character(2) PRIMARY KEY, name text);
CREATE TABLE public.colours (colour text PRIMARY KEY);
CREATE TABLE "Odd"."Mixed Case" (tenant_id bigint PRIMARY KEY, "Value" text);

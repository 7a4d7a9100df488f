package org.pgconcord.router.plan;

import org.pgconcord.router.sql.StatementText;

/** A plan together with the text it is to be run for; the plan may be shared, the text is not. */
public record Planned(Plan plan, StatementText text) {}

package org.pgconcord.router.analyse;

/** One appearance of a declared table in FROM: by which name, and where. */
public record TablePlace(DeclaredTable table, String alias, TableUse.Place place) {}

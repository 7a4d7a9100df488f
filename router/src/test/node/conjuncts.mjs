// Reads a JSON array of SELECTs and writes for each the conditions on column tenant_id that must
// hold for every row that passes the WHERE clause, as PostgreSQL's grammar has them: a list of
// lists of integers, or null where the text does not parse.
import { readFileSync } from 'node:fs';
import { loadModule, parseSync } from 'libpg-query';

function column(node) {
  const fields = node?.ColumnRef?.fields ?? [];
  return fields.at(-1)?.String?.sval === 'tenant_id';
}

function constant(node) {
  const value = node?.A_Const?.ival;
  return value === undefined ? null : (value.ival ?? 0);
}

function conjuncts(node, found) {
  const bool = node?.BoolExpr;
  const expr = node?.A_Expr;
  if (bool?.boolop === 'AND_EXPR') {
    bool.args.forEach((a) => conjuncts(a, found));
  } else if (expr?.kind === 'AEXPR_OP' && expr.name.length === 1 && expr.name[0].String.sval === '=') {
    if (column(expr.lexpr) && constant(expr.rexpr) !== null) found.push([constant(expr.rexpr)]);
    if (column(expr.rexpr) && constant(expr.lexpr) !== null) found.push([constant(expr.lexpr)]);
  } else if (expr?.kind === 'AEXPR_IN' && expr.name[0].String.sval === '=' && column(expr.lexpr)) {
    const items = (expr.rexpr.List?.items ?? []).map(constant);
    if (!items.includes(null)) found.push(items);
  }
  return found;
}

function read(text) {
  try {
    return conjuncts(parseSync(text).stmts[0].stmt.SelectStmt.whereClause, []);
  } catch (e) {
    return null;
  }
}

await loadModule();
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(read)));

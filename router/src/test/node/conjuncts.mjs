// Reads a JSON array of SELECTs and writes for each the conditions on column tenant_id that must
// hold for every row that passes the WHERE clause, as PostgreSQL's grammar has them: a list of
// lists of integers, or null where the text does not parse.
import { readFileSync } from 'node:fs';
import { loadModule, parseSync } from 'libpg-query';

function column(node) {
  const names = (node?.ColumnRef?.fields ?? []).map((f) => f.String?.sval);
  return names.at(-1) === 'tenant_id' ? names.join('.') : null;
}

function constant(node) {
  const value = node?.A_Const?.ival;
  return value === undefined ? null : (value.ival ?? 0);
}

function add(found, name, values) {
  if (name && !values.includes(null)) found.push({ name, values });
}

// What every arm says of the column, of itself or of the same name: the values of all of them.
function alternatives(arms, found) {
  arms[0].forEach((one) => {
    const others = arms.slice(1).map((arm) => arm.find((other) => other.name === one.name));
    if (others.every((other) => other)) {
      add(found, one.name, [one, ...others].flatMap((each) => each.values));
    }
  });
}

function conjuncts(node, found) {
  const bool = node?.BoolExpr;
  const expr = node?.A_Expr;
  if (bool?.boolop === 'AND_EXPR') {
    bool.args.forEach((a) => conjuncts(a, found));
  } else if (bool?.boolop === 'OR_EXPR') {
    alternatives(bool.args.map((a) => conjuncts(a, [])), found);
  } else if (expr?.kind === 'AEXPR_OP' && expr.name.length === 1 && expr.name[0].String.sval === '=') {
    add(found, column(expr.lexpr), [constant(expr.rexpr)]);
    add(found, column(expr.rexpr), [constant(expr.lexpr)]);
  } else if (expr?.kind === 'AEXPR_IN' && expr.name[0].String.sval === '=' && column(expr.lexpr)) {
    add(found, column(expr.lexpr), (expr.rexpr.List?.items ?? []).map(constant));
  }
  return found;
}

function read(text) {
  try {
    return conjuncts(parseSync(text).stmts[0].stmt.SelectStmt.whereClause, []).map((c) => c.values);
  } catch (e) {
    return null;
  }
}

await loadModule();
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(read)));

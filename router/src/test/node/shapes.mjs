// Reads a JSON array of texts and writes for each what PostgreSQL's grammar makes of it, in the
// words of ViewShape.java: its kind, its shape (which must be the same there), and all claims that
// could be made of it (what the router believes must be among them). Null where the text is not
// exactly one statement.
import { readFileSync } from 'node:fs';
import { loadModule, parseSync } from 'libpg-query';

const JOINS = { JOIN_INNER: 'INNER', JOIN_LEFT: 'LEFT', JOIN_RIGHT: 'RIGHT', JOIN_FULL: 'FULL' };
let claims;
let source;

const sval = (node) => node?.String?.sval ?? '';
const at = (location) => location ?? 0;

// --- queries -----------------------------------------------------------------------------------

// All queries in an expression, or any other part of a tree. What is assigned to several columns
// stands once for each of them.
function within(node, units) {
  if (node === null || typeof node !== 'object') return units;
  if (node.MultiAssignRef && node.MultiAssignRef.colno > 1) return units;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'SelectStmt') units.push(...query(value));
    else within(value, units);
  }
  return units;
}

// The blocks of a query that stand beside each other: arms of set operations, subqueries of ORDER
// BY; a WITH makes one of them all.
function query(select) {
  return wrapped(select.withClause, arms(select));
}

function wrapped(withClause, units) {
  if (!withClause) return units;
  const ctes = withClause.ctes.map((c) => {
    const cte = c.CommonTableExpr;
    return `${cte.ctename}${cte.aliascolnames ? '~' : ''}=${statement(cte.ctequery)[1]}`;
  });
  return [`W${withClause.recursive ? 'R' : ''}(${ctes.join(';')}|${sorted(units)})`];
}

function arms(select) {
  const units = [];
  if (select.op && select.op !== 'SETOP_NONE') {
    units.push(...query(select.larg), ...query(select.rarg));
  } else if (select.valuesLists) {
    within(select.valuesLists, units);
  } else {
    units.push(block(select.fromClause ?? [], select.whereClause, select.targetList, [
      select.groupClause, select.havingClause, select.windowClause, select.distinctClause,
    ]));
  }
  within([select.sortClause, select.limitOffset, select.limitCount], units);
  return units;
}

const sorted = (units) => [...units].sort().join(',');

function block(fromClause, where, items, others) {
  const nested = [];
  const from = fromClause.map((f) => fromItem(f, nested));
  within([where, items, others], nested);
  conjuncts(where, 'where@' + first(fromClause));
  claimItems(items ?? []);
  return `B[${from.join(',')}]{${sorted(nested)}}`;
}

// --- FROM --------------------------------------------------------------------------------------

const renamed = (alias) => (alias?.colnames ? '~' : '');

function named(v) {
  const name = (v.schemaname ? v.schemaname + '.' : '') + v.relname;
  return `${name}@${at(v.location)}/${v.alias?.aliasname ?? v.relname}${renamed(v.alias)}`;
}

function fromItem(node, nested) {
  if (node.RangeVar) return named(node.RangeVar);
  if (node.RangeTableSample) {
    within([node.RangeTableSample.args, node.RangeTableSample.repeatable], nested);
    return fromItem(node.RangeTableSample.relation, nested);
  }
  if (node.JoinExpr) {
    const j = node.JoinExpr;
    const left = fromItem(j.larg, nested);
    const right = fromItem(j.rarg, nested);
    within(j.quals, nested);
    conjuncts(j.quals, `on@${first([j.larg])}-${first([j.rarg])}`);
    const using = (j.usingClause ?? []).map(sval).join('+');
    const alias = j.alias || j.join_using_alias ? '!' : '';
    return `${JOINS[j.jointype]}${alias}(${left},${right},${using}${j.isNatural ? '*' : ''})`;
  }
  if (node.RangeSubselect) {
    const s = node.RangeSubselect;
    const units = sorted(query(s.subquery.SelectStmt));
    return `D(${s.alias?.aliasname ?? ''}${renamed(s.alias)},${s.lateral ? 'L' : ''},${units})`;
  }
  const computed = Object.values(node)[0];
  within({ ...computed, alias: null }, nested);
  return `C(${computed.alias?.aliasname ?? ''})`;
}

// Where the first plain relation of some FROM items is named.
function first(items) {
  for (const item of items) {
    const node = item.RangeTableSample?.relation ?? item;
    if (node.RangeVar) return at(node.RangeVar.location);
    if (node.JoinExpr) {
      const found = first([node.JoinExpr.larg, node.JoinExpr.rarg]);
      if (found !== '-') return found;
    }
  }
  return '-';
}

// --- claims ------------------------------------------------------------------------------------

function column(node) {
  const fields = node?.ColumnRef?.fields;
  if (!fields || fields.some((f) => !f.String)) return null;
  return `${fields.map(sval).join('.')}@${at(node.ColumnRef.location)}`;
}

function type(t) {
  if (t.typmods || t.arrayBounds || t.setof || t.pct_type) return 'other';
  return t.names.map(sval).filter((n, i) => i > 0 || n !== 'pg_catalog').join('.');
}

// A literal is called by where it stands; a folded minus sign stands in front of it.
function constant(node) {
  if (node?.TypeCast) {
    const inner = constant(node.TypeCast.arg);
    return inner === null || inner.includes('::') ? null
      : inner === 'null' ? inner : `${inner}::${type(node.TypeCast.typeName)}`;
  }
  if (node?.ParamRef) return `$${node.ParamRef.number}`;
  const value = node?.A_Const;
  if (!value) return null;
  if (value.isnull) return 'null';
  if (value.boolval) return null;
  const place = at(value.location);
  return source[place] === 45 ? `-after${place}` : `at${place}`;
}

const isOperator = (expr, kind) =>
  expr?.kind === kind && expr.name.length === 1 && sval(expr.name[0]) === '=';

function conjuncts(node, place) {
  const expr = node?.A_Expr;
  if (node?.BoolExpr?.boolop === 'AND_EXPR') {
    node.BoolExpr.args.forEach((a) => conjuncts(a, place));
  } else if (node?.BoolExpr?.boolop === 'OR_EXPR') {
    alternatives(node.BoolExpr.args, place);
  } else if (isOperator(expr, 'AEXPR_OP')) {
    const [a, b] = [column(expr.lexpr), column(expr.rexpr)];
    const rows = [expr.lexpr?.RowExpr?.args, expr.rexpr?.RowExpr?.args];
    if (rows[0] && rows[1]) {
      rows[0].forEach((c, i) => among(place, c, [constant(rows[1][i])]));
      rows[1].forEach((c, i) => among(place, c, [constant(rows[0][i])]));
    } else if (a && b) claims.push(`${place} ${a} = ${b}`);
    else if (a && constant(expr.rexpr)) claims.push(`${place} ${a} in ${constant(expr.rexpr)}`);
    else if (b && constant(expr.lexpr)) claims.push(`${place} ${b} in ${constant(expr.lexpr)}`);
  } else if (isOperator(expr, 'AEXPR_IN') && column(expr.lexpr)) {
    among(place, expr.lexpr, expr.rexpr.List.items.map(constant));
  } else if (isOperator(expr, 'AEXPR_IN') && expr.lexpr.RowExpr) {
    const rows = expr.rexpr.List.items.map((row) => row.RowExpr?.args ?? []);
    expr.lexpr.RowExpr.args.forEach((c, i) => among(place, c, rows.map((row) => constant(row[i]))));
  } else if (isOperator(expr, 'AEXPR_OP_ANY')) {
    arrays(expr.rexpr).forEach((values) => among(place, expr.lexpr, values));
  }
}

// What every arm of an OR says of one column: the values of all of them.
function alternatives(args, place) {
  const arms = args.map((arm) => {
    const before = claims.length;
    conjuncts(arm, place);
    return claims.splice(before).filter((c) => c.includes(' in '))
      .map((c) => c.slice(place.length + 1).split(' in '));
  });
  const name = (col) => col.slice(0, col.lastIndexOf('@'));
  arms[0].forEach(([col, values]) => {
    const others = arms.slice(1).map((arm) => arm.find(([other]) => name(other) === name(col)));
    if (others.every((found) => found)) {
      claims.push(`${place} ${col} in ${[values, ...others.map(([, v]) => v)].join(',')}`);
    }
  });
}

function among(place, node, values) {
  if (column(node) && !values.includes(null)) {
    claims.push(`${place} ${column(node)} in ${values.join(',')}`);
  }
}

// The values of an array: its elements, or each of one that is a constant. A cast of the array is
// one of its elements.
function arrays(node) {
  const cast = node.TypeCast?.typeName.arrayBounds?.length === 1
    ? '::' + type({ ...node.TypeCast.typeName, arrayBounds: null }) : '';
  const array = cast ? node.TypeCast.arg : node;
  if (array.A_ArrayExpr) {
    const elements = (array.A_ArrayExpr.elements ?? []).map(constant);
    return [elements.map((e) => e !== null && cast ? e + cast : e)];
  }
  const whole = constant(array);
  return [[whole === null ? null : `each ${whole}${cast}`]];
}

function claimItems(items) {
  items.forEach((item, i) => {
    const { val, name } = item.ResTarget;
    const place = `item ${i}/${items.length}`;
    const fields = val?.ColumnRef?.fields;
    const plain = column(val);
    if (fields?.at(-1)?.A_Star) {
      claims.push(`${place} star ${fields.slice(0, -1).map(sval).join('.')}`);
    } else if (plain) {
      claims.push(`${place} ${plain} as ${name ?? sval(fields.at(-1))}`);
    } else if (constant(val)) {
      claims.push(`${place} ${constant(val)} as ${name ?? ''}`);
    }
    if (!fields?.at(-1)?.A_Star) claims.push(`${place} as ${name ?? ''}`);
  });
}

// --- statements --------------------------------------------------------------------------------

function insert(s) {
  const units = [];
  const select = s.selectStmt?.SelectStmt;
  let source = 'DEFAULTS';
  if (select?.valuesLists && !select.withClause && !select.sortClause && !select.limitCount) {
    source = 'QUERY';
    claims.push('rows ' + select.valuesLists.map((r) => r.List.items.length).join(','));
    select.valuesLists.forEach((row, r) => row.List.items.forEach((value, v) => {
      const claim = value.SetToDefault ? 'default' : constant(value);
      if (claim) claims.push(`value ${r},${v} ${claim}`);
    }));
    units.push(...query(select));
  } else if (select) {
    source = 'QUERY';
    units.push(...query(select));
  }
  const conflict = s.onConflictClause;
  within([conflict, returning(s)], units);
  claimItems(returning(s));
  const columns = (s.cols ?? []).map((c) => c.ResTarget.name);
  const action = !conflict ? '' : `;${conflict.action.slice(11)} ${assigned(conflict.targetList)}`;
  return `INSERT(${named(s.relation)};${columns};${source}${action})`
    + sorted(wrapped(s.withClause, units));
}

const returning = (s) => s.returningClause?.exprs ?? s.returningList ?? [];

const assigned = (targets) =>
  (targets ?? []).map((t) => t.ResTarget.name).join(',');

function changing(s, word, others, extra) {
  const from = [{ RangeVar: s.relation }, ...(extra ?? [])];
  const body = block(from, s.whereClause, returning(s), others);
  return word + sorted(wrapped(s.withClause, [body]));
}

function statement(node) {
  if (node.SelectStmt) {
    return [node.SelectStmt.intoClause ? 'SELECT INTO' : 'SELECT', sorted(query(node.SelectStmt))];
  } else if (node.InsertStmt) {
    return ['INSERT', insert(node.InsertStmt)];
  } else if (node.UpdateStmt) {
    const s = node.UpdateStmt;
    const word = `UPDATE(${assigned(s.targetList)};${s.fromClause ? 'from' : ''})`;
    return ['UPDATE', changing(s, word, [s.targetList], s.fromClause)];
  } else if (node.DeleteStmt) {
    const s = node.DeleteStmt;
    return ['DELETE', changing(s, `DELETE(${s.usingClause ? 'using' : ''})`, [], s.usingClause)];
  }
  return [Object.keys(node)[0].replace(/Stmt$/, '').toUpperCase(), ''];
}

function read(text) {
  try {
    const { stmts } = parseSync(text);
    if (stmts.length !== 1) return null;
    claims = [];
    source = Buffer.from(text);
    const [kind, shape] = statement(stmts[0].stmt);
    return { kind, shape, claims: claims.map((c) => c.trim()) };
  } catch (e) {
    if (e.name !== 'SqlError') throw e;
    return null;
  }
}

await loadModule();
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(read)));

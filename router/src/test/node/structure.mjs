// Compares three texts of one statement by PostgreSQL's whole trees: the client's, the one made of
// it to be analysed (AnalysisText.java), and that one as JSqlParser nests it (BracketedTree.java).
// Reads a JSON array of [client's, analysed, bracketed, starts], `starts` being the places of the
// client's tokens in bytes. Writes for each null where nothing is otherwise, what is, or
// why it is not compared.
//
// The analysed and the bracketed text must be the same tree, but for places. Of the client's text
// and the analysed one, what AnalysisText leaves out on purpose is left out of both trees, and the
// rest must be the same: a constant of the client's is called by where it begins, one of the
// analysed text has the index of its token as value.
import { readFileSync } from 'node:fs';
import { loadModule, parseSync } from 'libpg-query';

const KEPT = new Set(['=', '<', '>', '<=', '>=', '<>', '+', '-', '*', '/', '%', '^']);
const PRODUCTS = new Set(['*', '/', '%', '^']);
const PLACES = new Set(['location', 'stmt_location', 'stmt_len', 'list_start', 'list_end',
  'rexpr_list_start', 'rexpr_list_end', 'rtindex']);
// What inheritance, the order of USING and duplicate grouping sets say to the server alone;
// lengths of types; whether a call or a row was written in SQL's words.
const IGNORED = new Set([...PLACES, 'inh', 'useOp', 'groupDistinct', 'typmods', 'typmod', 'typemod',
  'funcformat', 'row_format', 'func_variadic']);
const SIGNS = new Set(['+', '-']);
const TYPES = { timestamptz: 'timestamp', timetz: 'time', n: 'bpchar' };

let source;
let starts;
let loose;

const sval = (node) => node?.String?.sval ?? '';

// A constant by its place. Words of a call's own syntax (EXTRACT(year FROM a)) are constants to the
// grammar, and some that it adds have no place.
function constant(value) {
  if (value.isnull) return 'null';
  if (value.boolval) return `bool ${value.boolval.boolval ?? false}`;
  const text = value.sval ? value.sval.sval ?? '' : value.fval ? value.fval.fval
    : value.bsval ? value.bsval.bsval : String(value.ival?.ival ?? 0);
  if (starts === null) return text;
  let at = value.location ?? 0;
  if (at < 0) return `added ${text}`;
  const quoted = source[at] === 34 ? 1 : 0;
  const word = source.subarray(at + quoted, at + quoted + text.length).toString();
  if (value.sval && /^[a-z_]+$/i.test(text) && word.toLowerCase() === text.toLowerCase()) return `word ${text}`;
  const sign = source[at] === 45 ? '-' : '';
  if (starts.length === 0) {
    while (at < source.length && ' \t\r\n+-('.includes(String.fromCharCode(source[at]))) at++;
    return `${sign}at ${at}`;
  }
  return Number(text) === 0 ? 'none' : `${sign}at ${starts[Math.abs(Number(text))]}`;
}

const operator = (name) => name.length === 1 && KEPT.has(sval(name[0])) ? sval(name[0]) : '||';

// The operands and operators of a product: ^ stands as * in the analysed text, and binds otherwise.
function product(node, parts) {
  const expr = node?.A_Expr;
  const symbol = expr?.kind === 'AEXPR_OP' && expr.lexpr ? operator(expr.name) : '';
  if (PRODUCTS.has(symbol)) {
    product(expr.lexpr, parts);
    parts.push(symbol === '^' ? '*' : symbol);
    product(expr.rexpr, parts);
  } else {
    parts.push(plain(node));
  }
  return parts;
}

// The operands of a chain, without signs and zeros: `a + -b` stands as `a + 0 - b`, and a collation
// as an operation with a zero, which binds less than it does.
function operands(node) {
  const expr = node?.A_Expr;
  const symbol = expr?.kind === 'AEXPR_OP' ? operator(expr.name) : '';
  if (symbol === '||' || SIGNS.has(symbol)) {
    return [...operands(expr.lexpr), ...operands(expr.rexpr)];
  } else if (node?.CollateClause) {
    return operands(node.CollateClause.arg);
  }
  return node === undefined || isNone(node) ? [] : [plain(node)];
}

function chain(node) {
  const parts = operands(node);
  return parts.length === 1 ? parts[0] : { operands: parts };
}

// Whether a text has such zeros.
function hasZeros(node) {
  if (node === null || typeof node !== 'object') return false;
  const expr = node.A_Expr;
  return (expr && (isNone(expr.lexpr) || isNone(expr.rexpr)))
    || Object.values(node).some(hasZeros);
}

// What stands as something else, so that the trees cannot be compared.
function leftOut(node) {
  if (node === null || typeof node !== 'object') return '';
  if (node.GroupingSet?.kind === 'GROUPING_SET_SETS') return 'GROUPING SETS';
  const call = node.FuncCall?.funcname && sval(node.FuncCall.funcname.at(-1));
  if (call === 'timezone' && node.FuncCall.args?.length === 1) return 'AT LOCAL';
  for (const value of Object.values(node)) {
    const found = leftOut(value);
    if (found) return found;
  }
  return '';
}

function expression(expr) {
  const chained = expr.kind === 'AEXPR_OP';
  if (!chained && !expr.kind.startsWith('AEXPR_OP_')) {
    return { kind: expr.kind, name: plain(expr.name), l: plain(expr.lexpr), r: plain(expr.rexpr) };
  }
  const symbol = operator(expr.name);
  if (!expr.lexpr && symbol !== '-' && symbol !== '+') return plain(expr.rexpr);
  if (chained && expr.lexpr && PRODUCTS.has(symbol)) return { product: product({ A_Expr: expr }, []) };
  if (loose && chained && (symbol === '||' || SIGNS.has(symbol))) {
    return chain({ A_Expr: expr });
  }
  return { kind: expr.kind, name: symbol, l: plain(expr.lexpr), r: plain(expr.rexpr) };
}

// IS [NOT] NULL, which also stands for the tests of a value that the parser does not know.
function test(node) {
  const [kind, value] = Object.entries(node)[0] ?? ['', null];
  const name = kind === 'FuncCall' ? sval(value?.funcname?.at(-1)) : '';
  if (kind === 'NullTest') {
    const isNull = { isNull: plain(value.arg) };
    return value.nulltesttype === 'IS_NULL' ? isNull
      : { BoolExpr: { args: [isNull], boolop: 'NOT_EXPR' } };
  }
  if (kind === 'JsonIsPredicate') return { isNull: plain(value.expr) };
  const unary = name === 'is_normalized' || (kind === 'XmlExpr' && value.op === 'IS_DOCUMENT');
  return unary ? { isNull: plain(value.args[0]) } : null;
}

const isNone = (node) => node?.A_Const && constant(node.A_Const) === 'none';

// `name => value` stands as `name || value`.
const namedArgument = ({ name, arg }) => ({
  A_Expr: {
    kind: 'AEXPR_OP', name: [{ String: { sval: '||' } }], rexpr: arg,
    lexpr: { ColumnRef: { fields: [{ String: { sval: name } }] } },
  },
});

// `substring(a FOR 2)` stands as `substring(a, 2)`.
function argumentsOf(call) {
  const added = sval(call.funcname.at(-1)) === 'substring' && call.args?.length === 3
    && call.args[1].A_Const?.location === -1;
  return added ? [call.args[0], call.args[2].TypeCast.arg] : call.args;
}

function plain(node) {
  if (Array.isArray(node)) return node.map(plain);
  if (node === null || typeof node !== 'object') return node;
  if (node.A_Const) return constant(node.A_Const).replace(loose ? '-at' : 'at', 'at');
  if (node.A_Expr) return expression(node.A_Expr);
  const tested = test(node);
  if (tested) return tested;
  if (node.NamedArgExpr) return plain(namedArgument(node.NamedArgExpr));
  // ROW (a) behind = is (a), which is a.
  if (node.RowExpr?.args?.length === 1) return plain(node.RowExpr.args[0]);
  if (node.RangeTableSample) return plain(node.RangeTableSample.relation);
  if (node.CollateClause) return chain(node);
  const copy = { ...node };
  if (copy.names && copy.typemod !== undefined) {
    copy.names = copy.names.map(sval).filter((n) => n !== 'pg_catalog').map((n) => TYPES[n] ?? n);
    if (copy.arrayBounds) copy.arrayBounds = copy.arrayBounds.length;
  }
  if (copy.funcname) copy.args = argumentsOf(copy);
  if (copy.funcname) copy.funcname = copy.funcname.map(sval).filter((n) => n !== 'pg_catalog');
  if (copy.operName) copy.operName = operator(copy.operName);
  if (copy.sortby_dir === 'SORTBY_USING') copy.sortby_dir = 'SORTBY_DEFAULT';
  if (copy.A_Indices) {
    for (const bound of ['lidx', 'uidx']) {
      if (isNone(copy.A_Indices[bound])) copy.A_Indices = { ...copy.A_Indices, [bound]: undefined };
    }
  }
  // An empty list has a zero in the analysed text.
  if (copy.targetList?.length === 1 && isNone(copy.targetList[0].ResTarget?.val)) {
    delete copy.targetList;
  }
  if (copy.ResTarget) {
    // Elements and fields of a column are the column.
    const { indirection, ...target } = copy.ResTarget;
    copy.ResTarget = target;
  }
  return Object.fromEntries(Object.keys(copy).filter((k) => !IGNORED.has(k)).sort()
    .map((key) => [key, plain(copy[key])]).filter(([, value]) => value !== undefined));
}

function exact(node) {
  if (Array.isArray(node)) return node.map(exact);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.keys(node).filter((k) => !PLACES.has(k)).sort()
    .map((key) => [key, exact(node[key])]));
}

function stmts(text) {
  try {
    return parseSync(text).stmts;
  } catch (e) {
    if (e.name !== 'SqlError') throw e;
    return null;
  }
}

function otherwise(what, a, b) {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  if (left === right) return null;
  let at = 0;
  while (left[at] === right[at]) at++;
  const from = Math.max(0, at - 200);
  return `${what}\n  - ${left.slice(from, at + 200)}\n  + ${right.slice(from, at + 200)}`;
}

// JSqlParser nests `a || b + c` as `(a || b) + c`. Either way it is one computed value, of which the
// router concludes nothing.
function grouping(trees) {
  loose = true;
  starts = null;
  const same = JSON.stringify(trees[1]).includes('"||"') && !otherwise('', ...trees.slice(1).map(plain));
  return same ? 'not compared: a sum behind another operator' : null;
}

function compare([written, analysed, bracketed, places]) {
  const trees = [written, analysed, bracketed].map(stmts);
  if (!trees[0]) return 'not compared: no statement';
  if (!trees[1]) return 'not compared: the analysed text is no SQL';
  if (!trees[2]) return 'not compared: the bracketed text is no SQL';
  const nested = otherwise('nested', exact(trees[1]), exact(trees[2]));
  if (nested) return grouping(trees) ?? nested;
  const missing = leftOut(trees[0]);
  if (missing) return `not compared: ${missing}`;
  source = Buffer.from(analysed);
  starts = places;
  loose = hasZeros(trees[1]);
  const ours = plain(trees[1]);
  source = Buffer.from(written);
  starts = [];
  return otherwise('analysed', plain(trees[0]), ours);
}

await loadModule();
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(compare)));

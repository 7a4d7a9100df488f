// Reads a JSON array of texts and writes for each PostgreSQL's tree of it as one string, without
// places; null where it is no statement. A join under an alias of its own is written as the query
// SELECT * FROM it, which shows the same columns (PlainSpelling.java).
import { readFileSync } from 'node:fs';
import { loadModule, parseSync } from 'libpg-query';

const PLACES = new Set(['location', 'stmt_location', 'stmt_len', 'list_start', 'list_end',
  'rexpr_list_start', 'rexpr_list_end']);
const STAR = { ResTarget: { val: { ColumnRef: { fields: [{ A_Star: {} }] } } } };

function plain(node) {
  if (Array.isArray(node)) return node.map(plain);
  if (node === null || typeof node !== 'object') return node;
  if (node.JoinExpr?.alias) {
    const { alias, ...join } = node.JoinExpr;
    const query = {
      targetList: [STAR], fromClause: [{ JoinExpr: join }], limitOption: 'LIMIT_OPTION_DEFAULT',
      op: 'SETOP_NONE',
    };
    return plain({ RangeSubselect: { subquery: { SelectStmt: query }, alias } });
  }
  return Object.fromEntries(Object.keys(node).filter((k) => !PLACES.has(k)).sort()
    .map((key) => [key, plain(node[key])]).filter(([key, value]) => key !== 'rtindex' || value));
}

function read(text) {
  try {
    return JSON.stringify(plain(parseSync(text).stmts));
  } catch (e) {
    if (e.name !== 'SqlError') throw e;
    return null;
  }
}

await loadModule();
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(read)));

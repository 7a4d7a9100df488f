// Reads a JSON array of texts from standard input and writes for each the tokens of PostgreSQL's
// scanner as [type, start, end] (offsets in bytes), null where the scanner raises an error, or 0
// where the package cannot pass its own answer on (it leaves some control characters unescaped).
import { readFileSync } from 'node:fs';
import { loadModule, scanSync } from 'libpg-query';

const COMMENTS = new Set(['SQL_COMMENT', 'C_COMMENT']);

// The package parses whatever its scanner says, an error's text too. What was not JSON is told
// apart by its beginning: the parser's messages are others in each version of node.
const parse = JSON.parse;
let answer = '';
JSON.parse = (text) => {
  answer = text;
  return parse(text);
};

function scan(text) {
  answer = '';
  try {
    return scanSync(text)
      .tokens.filter((t) => !COMMENTS.has(t.tokenName))
      .map((t) => [t.tokenType, t.start, t.end]);
  } catch (e) {
    return answer.startsWith('{') ? 0 : null;
  }
}

await loadModule();
const texts = parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(scan)));

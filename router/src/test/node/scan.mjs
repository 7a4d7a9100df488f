// Reads a JSON array of texts from standard input and writes for each the tokens of PostgreSQL's
// scanner as [type, start, end] (offsets in bytes), null where the scanner raises an error, or 0
// where the package cannot pass its own answer on (it leaves some control characters unescaped).
import { readFileSync } from 'node:fs';
import { loadModule, scanSync } from 'libpg-query';

const COMMENTS = new Set(['SQL_COMMENT', 'C_COMMENT']);

function scan(text) {
  try {
    return scanSync(text)
      .tokens.filter((t) => !COMMENTS.has(t.tokenName))
      .map((t) => [t.tokenType, t.start, t.end]);
  } catch (e) {
    return /control character/.test(e.message) ? 0 : null;
  }
}

await loadModule();
const texts = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(scan)));

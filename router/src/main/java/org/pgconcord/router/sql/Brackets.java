package org.pgconcord.router.sql;

import java.util.ArrayDeque;
import java.util.Arrays;

/** Which parentheses and brackets belong together, so that tokens can be walked at one level. */
final class Brackets {
  /** For each token the index of the matching parenthesis or bracket, or -1. */
  private final int[] partners;

  Brackets(Tokens tokens) {
    partners = new int[tokens.size()];
    Arrays.fill(partners, -1);
    ArrayDeque<Integer> open = new ArrayDeque<>();
    for (int i = 0; i < partners.length; i++) {
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        open.push(i);
      } else if ((tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]")) && !open.isEmpty()) {
        int from = open.pop();
        partners[from] = i;
        partners[i] = from;
      }
    }
  }

  /** The one that matches the one at {@code token}; -1 without one. */
  int partner(int token) {
    return token >= 0 && token < partners.length ? partners[token] : -1;
  }

  /** The next token at the same level: behind what the token opens, if it opens something. */
  int behind(int token) {
    return partners[token] > token ? partners[token] + 1 : token + 1;
  }

  /** The one in front at the same level: in front of what the token closes, if anything. */
  int before(int token) {
    return partners[token] >= 0 && partners[token] < token ? partners[token] - 1 : token - 1;
  }
}

package org.pgconcord.router.plan;

import java.util.List;

/** What a document says of one fact of a {@link PlanOutline}. */
sealed interface PlanValue {
  <R> R match(Cases<R> cases);

  /** Words. */
  record Word(String text) implements PlanValue {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.word(this);
    }
  }

  /** A number, in digits as JSON has them. */
  record Digits(String digits) implements PlanValue {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.digits(this);
    }
  }

  /** A list, which may be empty. */
  record Words(List<String> texts) implements PlanValue {
    public Words {
      texts = List.copyOf(texts);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.words(this);
    }
  }

  /** Facts of their own. */
  record Part(PlanOutline outline) implements PlanValue {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.part(this);
    }
  }

  /** A list of such. */
  record Parts(List<PlanOutline> outlines) implements PlanValue {
    public Parts {
      outlines = List.copyOf(outlines);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.parts(this);
    }
  }

  /** One answer per kind. */
  interface Cases<R> {
    R word(Word value);

    R digits(Digits value);

    R words(Words value);

    R part(Part value);

    R parts(Parts value);
  }
}

package org.pgconcord.router.plan;

/** The values of one Bind. */
public interface Parameters {
  Parameters NONE =
      new Parameters() {
        @Override
        public int count() {
          return 0;
        }

        @Override
        public ParameterValue value(int number) {
          throw new IndexOutOfBoundsException("no parameter $" + number);
        }
      };

  int count();

  /** The value of {@code $number}, from 1. */
  ParameterValue value(int number);
}

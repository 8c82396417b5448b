import fc from 'fast-check';

/** One seed, so that the same tests kill the same mutants each time. */
fc.configureGlobal({ seed: 42 });

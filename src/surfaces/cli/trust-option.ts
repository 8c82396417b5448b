/** For verbs that execute what a repository's files say. */
export const TRUST_OPTION = [
  '--trust',
  'trust the repository with what this executes, without a question',
] as const;

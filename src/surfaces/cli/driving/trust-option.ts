/** For verbs that execute commands from a repository's files. */
export const TRUST_OPTION = [
  '--trust',
  'trust the repository with what this executes, without a question',
] as const;

import { type Code, type CodeEntry, DOCUMENT_CODES } from '../diagnostics/codes.ts';
import { ALL_RULES } from './rules/all-rules.ts';

/** All diagnostic codes, sorted: those of documents, and those that the workflow rules declare. */
export const CODES: Readonly<Record<Code, CodeEntry>> = Object.fromEntries(
  [DOCUMENT_CODES, ...ALL_RULES.map((rule) => rule.codes)]
    .flatMap((codes): [string, CodeEntry][] => Object.entries(codes))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

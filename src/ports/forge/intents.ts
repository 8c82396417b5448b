import type * as once from '../../forge/write-once.ts';

/** Defined beside the pure code that reads it. */
export type IntentJournal = once.IntentJournal;
export type IntentState = once.IntentState;

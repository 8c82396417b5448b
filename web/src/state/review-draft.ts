import { createStore, type Store } from './store.ts';

export interface LineComment {
  readonly path: string;
  readonly line: number;
  readonly side: 'old' | 'new';
  readonly text: string;
}

/** What a reviewer has prepared for an answer. */
export interface ReviewDraft {
  readonly lines: readonly LineComment[];
  readonly goldens: Readonly<Record<string, 'accept' | 'refuse'>>;
}

const EMPTY: ReviewDraft = { lines: [], goldens: {} };
const drafts = new Map<string, Store<ReviewDraft>>();

/**
 * The draft for one gate of a run. It is bound to the digest of what the gate shows: comments on something that has changed
 * since would be about other lines. A reload keeps it, the end of the tab drops it.
 */
export function reviewDraft(requestDigest: string): Store<ReviewDraft> {
  const known = drafts.get(requestDigest);
  if (known !== undefined) return known;
  const key = `review-${requestDigest}`;
  const draft = createStore(readDraft(key));
  draft.subscribe(() => writeDraft(key, draft.get()));
  drafts.set(requestDigest, draft);
  return draft;
}

export function setComment(draft: ReviewDraft, comment: LineComment): ReviewDraft {
  const others = draft.lines.filter((each) => !isSamePlace(each, comment));
  return { ...draft, lines: comment.text.trim() === '' ? others : [...others, comment] };
}

function isSamePlace(one: LineComment, other: LineComment): boolean {
  return one.path === other.path && one.line === other.line && one.side === other.side;
}

function readDraft(key: string): ReviewDraft {
  try {
    const stored = sessionStorage.getItem(key);
    return stored === null ? EMPTY : (JSON.parse(stored) as ReviewDraft);
  } catch {
    return EMPTY;
  }
}

function writeDraft(key: string, draft: ReviewDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}

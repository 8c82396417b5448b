import type { Claim } from '../claim.ts';
import { type Act, bareAct, changesFiles, impersonalWork, isModifier, ownAct } from './acts.ts';
import { createdObject, isPathAlone, presentedAsNew, writtenObject } from './created-paths.ts';
import { isDeniedBy, isDoubted, isFromElsewhere, isHypothetical } from './doubt.ts';
import { isQuestion, type Statement } from './statements.ts';
import { isPast, isPresentOfChange } from './verbs.ts';

/** A clause of a sentence. */
interface Clause {
  readonly text: string;
  /** How the clause is joined to the preceding text. */
  readonly mark: 'first' | 'and' | 'comma' | 'but' | 'label';
  /** The text that follows the clause in the sentence. */
  readonly rest: string;
}

const JOINT =
  /(:\s+|\s[-–—→]+\s|\s\(|,\s+(?:and\s+|then\s+|but\s+|though\s+|although\s+)?|\s+(?:and(?: then)?|plus|as well as|but|however|though|although|so)\s+)/i;

/** A sentence with more clauses is pasted output, not a report. */
const MAX_CLAUSES = 60;

/** Splits a sentence at each new clause, list item or text after a label. */
function splitClauses(sentence: string): Clause[] {
  const pieces = sentence.split(JOINT);
  if (pieces.length > 2 * MAX_CLAUSES) return [];
  return pieces.flatMap((piece, index): Clause[] => {
    if (index % 2 === 1) return [];
    const words = piece.trim().replace(/[.!;:)]+$/, '');
    const mark = index === 0 ? 'first' : classifyJoint(pieces[index - 1] ?? '');
    return words === '' ? [] : [{ text: words, mark, rest: pieces.slice(index + 1).join('') }];
  });
}

function classifyJoint(joint: string): Clause['mark'] {
  if (/but|however|though/i.test(joint)) return 'but';
  if (/[:(–—→-]/.test(joint)) return 'label';
  return /^\s*(?:and|plus|as well)/i.test(joint) ? 'and' : 'comma';
}

export interface MessageKind {
  /** The message reviews the work of others, so `X was renamed` isn't the agent's work. */
  readonly isReview: boolean;
  /** The message asks for a go-ahead, so its list of changes is a proposal. */
  readonly isProposal: boolean;
}

/** Finds what a statement says the agent changed or created. */
export function findWork(statement: Statement, message: MessageKind): Claim[] {
  const { text, section, ticked, form } = statement;
  const found: Claim[] = [...presentedAsNew(statement)];
  if (isQuestion(statement) || (section === 'planned' && !ticked)) return found;
  if (form === 'row')
    return section === 'changed' && found.length === 0 && !message.isProposal
      ? [{ kind: 'implemented' }]
      : found;
  const isIntroduction = form === 'title' || text.endsWith(':');
  let state: ReadState = { lead: '', isReporting: true, isListing: section === 'created' };
  for (const part of splitClauses(text)) {
    const before = part.mark === 'but' ? { ...state, lead: '' } : state;
    const read = readClause(part, before, isIntroduction, message);
    found.push(...read.claims);
    state = read.state;
  }
  if (found.length === 0 && isListedChange(statement) && !message.isProposal)
    return [{ kind: 'implemented' }];
  return found;
}

/** Matches an item under `Changes`, or `- Add retries to the client` under `Summary`. */
function isListedChange({ text, section, form, ticked }: Statement): boolean {
  if (section === 'changed') return form === 'item' && !/^\W*(?:none|no|n\/a|nothing|see)\b/i.test(text);
  const verb = (/^([a-z]+)\b(?!\s*[:=])/i.exec(text)?.[1] ?? '').toLowerCase();
  return (section === 'summary' || ticked) && isPresentOfChange(verb);
}

interface ReadState {
  /** The preceding text of the sentence, which may put the part in doubt. */
  readonly lead: string;
  /** The previous part reports what the agent did, so a bare verb continues that report. */
  readonly isReporting: boolean;
  /** The previous part names created files, so a bare path is another one. */
  readonly isListing: boolean;
}

interface ReadClause {
  readonly claims: readonly Claim[];
  readonly state: ReadState;
}

function readClause(
  { text, mark, rest }: Clause,
  state: ReadState,
  isIntroduction: boolean,
  message: MessageKind,
): ReadClause {
  if (state.isListing && isPathAlone(text))
    return {
      claims: createdObject(text, 'created'),
      state: { lead: '', isReporting: true, isListing: true },
    };
  const isOpen = mark === 'first' || mark === 'label' || state.isReporting;
  const isFileList = (isIntroduction || /^\s*[:(–—-]/.test(rest)) && FILES_CREATED.test(text);
  const isExcluded = isDeniedBy(rest) || REMOVED_AGAIN.test(rest) || isFileList;
  const act = isExcluded
    ? null
    : (findAct(text, state.lead, isOpen, isIntroduction) ?? findSharedAct(text, state, mark));
  const isImpersonal =
    act === null &&
    !isExcluded &&
    !message.isReview &&
    !isDoubted(state.lead) &&
    !isByOthers(state.lead, rest);
  const work =
    isImpersonal && bareAct(text) === null && ownAct(text) === null ? impersonalWork(text, isOpen) : null;
  const claims = act !== null ? claimsOfAct(act, rest) : work !== null ? [work] : [];
  return {
    claims,
    state: {
      // After a claim, the preceding text no longer affects the next part.
      lead: claims.length > 0 ? '' : `${state.lead} ${text}`,
      isReporting:
        claims.length > 0 ||
        ownAct(text) !== null ||
        /^(?:i|we)\b/i.test(text) ||
        (mark === 'first' && opensReport(text)),
      isListing:
        claims.some(({ kind }) => kind === 'created') ||
        startsList(act) ||
        (isFileList && !isDoubted(state.lead)) ||
        (state.isListing && claims.length === 0 && text.split(' ').length <= 4),
    },
  };
}

/** Whether the text around a description of the result attributes it to others. */
function isByOthers(lead: string, rest: string): boolean {
  return isFromElsewhere(lead) || /^\W*according to\b/i.test(rest);
}

const REMOVED_AGAIN = /\b(?:deleted|removed|reverted) (?:it|them|both)\b/i;
/** Matches `I created two files`, before or above their names. */
const FILES_CREATED =
  /^(?:(?:i|we)(?:'ve| have)? )?(?:created|added|generated|wrote) (?:[\w-]+ )*files?$|^(?:new |added |created )?files?(?: (?:created|added))?$|^(?:created|added|new)$/i;

/** Matches `a new hook, src/hooks/useMedia.ts`. */
function startsList(act: Act | null): boolean {
  return (
    act !== null &&
    CREATING.test(act.verb) &&
    !/ (?:in|to|for|from|into|on|of|that|which)\b/i.test(act.object)
  );
}

/** Matches `Done, removed the flag` and `Kept the API and removed the flag`. */
function opensReport(words: string): boolean {
  const [verb = ''] = /^[a-z]+/i.exec(words) ?? [];
  return OPENER.test(words) || (isPast(verb.toLowerCase()) && !isModifier(verb, words.slice(verb.length)));
}

const OPENER =
  /^(?:(?:all|ok|okay|and|it's|everything is|great|perfect|that's|both|ok both) )*(?:done|set|finished|completed?|ready|great news|good catch|perfect|sure|yes|ok|okay|task (?:is )?(?:complete|done|finished))\b/i;

/** The act that a part reports, unless something puts it in doubt. */
function findAct(words: string, lead: string, isOpen: boolean, isTitle: boolean): Act | null {
  const own = ownAct(words);
  if (own !== null) {
    const isImagined =
      isHypothetical(`${lead} ${own.before}`) || /\b(?:what|before|until|than)\s*$/i.test(own.before);
    return isImagined || !changesFiles(own) ? null : own;
  }
  const bare = isOpen && !isDoubted(lead) ? bareAct(words) : null;
  return bare === null || isModifier(bare.verb, bare.object, isTitle) || !changesFiles(bare) ? null : bare;
}

/** Matches `I looked at the callers and used the new one`: the second verb shares the subject of the first. */
function findSharedAct(words: string, state: ReadState, mark: Clause['mark']): Act | null {
  if (!state.isReporting || (mark !== 'and' && mark !== 'comma')) return null;
  const act = isDoubted(state.lead) ? null : ownAct(`I ${words}`);
  return act === null || act.before !== '' || isModifier(act.verb, act.object) || !changesFiles(act)
    ? null
    : act;
}

const CREATING = /^(?:created|added|generated|wrote|written|introduced|scaffolded|drafted|produced)$/;
const WRITING =
  /^(?:wrote|written|saved|exported|generated|produced|stored|recorded|dumped|put|drafted|published)$/;

/** A created file is a claim of its own, which is also checked against the diff. */
function claimsOfAct(act: Act, rest: string): Claim[] {
  const created = CREATING.test(act.verb) ? createdObject(act.object, act.verb, rest) : [];
  if (created.length > 0) return created;
  if (act.verb === 'put' && act.object.startsWith(' together'))
    return claimsOfAct({ ...act, verb: 'created', object: act.object.slice(' together'.length) }, rest);
  const written = WRITING.test(act.verb) ? writtenObject(act.object) : [];
  return written.length > 0 ? written : [act.work];
}

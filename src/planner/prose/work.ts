import type { Claim } from '../claim.ts';
import { type Act, bareAct, changesFiles, impersonalWork, isAdjective, ownAct } from './acts.ts';
import { createdObject, isPathAlone, presentedAsNew, writtenObject } from './created-paths.ts';
import { isDeniedBy, isDoubted, isHypothetical } from './doubt.ts';
import { type Part, partsOf } from './parts.ts';
import { isQuestion, type Statement } from './statements.ts';
import { BASE_VERBS, PRESENT_VERBS } from './verbs.ts';

export interface MessageKind {
  /** It says somewhere that the work is finished, so that `X now does Y` is a result. */
  readonly isReport: boolean;
  /** It asks for a go-ahead, so that its list of changes is a proposal. */
  readonly isProposal: boolean;
}

/** What a statement says that the agent changed or created. */
export function workIn(statement: Statement, message: MessageKind): Claim[] {
  const { text, section, ticked, form } = statement;
  const found: Claim[] = [...presentedAsNew(statement)];
  if (isQuestion(statement) || (section === 'untold' && !ticked) || form === 'row') return found;
  let state: State = { lead: '', isTold: true, isListing: section === 'created' };
  for (const part of partsOf(text)) {
    const read = readPart(part, part.mark === 'but' ? { ...state, lead: '' } : state, statement, message);
    found.push(...read.claims);
    state = read.state;
  }
  if (found.length === 0 && isListedChange(statement) && !message.isProposal)
    return [{ kind: 'implemented' }];
  return found;
}

/** An item below `Changes`, or `- Add retries to the client` below `Summary`. */
function isListedChange({ text, section, form }: Statement): boolean {
  if (section === 'changed') return form === 'item' && !/^\W*(?:none|no|n\/a|nothing)\b/i.test(text);
  const verb = (/^([a-z]+)\b(?!\s*[:=])/i.exec(text)?.[1] ?? '').toLowerCase();
  return section === 'summary' && (BASE_VERBS.has(verb) || PRESENT_VERBS.has(verb));
}

interface State {
  /** What stands in front of the part and may put it in doubt. */
  readonly lead: string;
  /** The part before it tells what the agent did, so that a bare verb goes on with it. */
  readonly isTold: boolean;
  /** The part before it names created files, so that a bare path is another one. */
  readonly isListing: boolean;
}

interface ReadPart {
  readonly claims: readonly Claim[];
  readonly state: State;
}

function readPart(part: Part, state: State, { form }: Statement, { isReport }: MessageKind): ReadPart {
  const { words, mark, rest } = part;
  if (state.isListing && isPathAlone(words))
    return { claims: createdObject(words, 'created'), state: { lead: '', isTold: true, isListing: true } };
  const isOpen = mark === 'first' || mark === 'label' || state.isTold;
  const isTakenOut = isDeniedBy(rest) || REMOVED_AGAIN.test(rest);
  const act =
    isTakenOut || FILES_CREATED.test(words)
      ? null
      : (actIn(words, state.lead, isOpen, form === 'title') ?? sharedAct(words, state, mark));
  const claims = act !== null ? claimsBy(act) : [];
  if (act === null && !isTakenOut && !FILES_CREATED.test(words) && !isDoubted(state.lead)) {
    const work =
      bareAct(words) === null && ownAct(words) === null ? impersonalWork(words, isOpen, isReport) : null;
    if (work !== null) claims.push(work);
  }
  const isTold = claims.length > 0 || ownAct(words) !== null || /^(?:i|we)\b/i.test(words);
  return {
    claims,
    state: {
      // What was done has been told, and the next part is about something else.
      lead: claims.length > 0 ? '' : `${state.lead} ${words}`,
      isTold: isTold || (mark === 'first' && OPENER.test(words)),
      isListing:
        claims.some(({ kind }) => kind === 'created') ||
        startsList(words, act, state.lead) ||
        (state.isListing && claims.length === 0 && words.split(' ').length <= 4),
    },
  };
}

const REMOVED_AGAIN = /\b(?:deleted|removed|reverted) (?:it|them|both)\b/i;
const FILES_CREATED =
  /^(?:(?:i|we)(?:'ve| have)? )?(?:created|added|generated|wrote) (?:[\w-]+ )*files?$|^(?:new |added |created )?files?(?: (?:created|added))?$|^(?:created|added|new)$/i;

/** A message with such a sentence reports work, even if others only describe the result. */
export const OPENER =
  /^(?:(?:all|ok|okay|and|it's|everything is|great|perfect|that's|both|ok both) )*(?:done|set|finished|completed?|ready|great news|good catch|perfect|sure|yes|ok|okay|task (?:is )?(?:complete|done|finished))\b/i;

/** `Files created: a.ts` and `a new hook, src/hooks/useMedia.ts`. */
function startsList(words: string, act: Act | null, lead: string): boolean {
  if (act !== null)
    return CREATING.test(act.verb) && !/ (?:in|to|for|from|into|on|of|that|which)\b/i.test(act.object);
  return FILES_CREATED.test(words) && !isDoubted(lead);
}

/** The act that a part tells of, if nothing puts it in doubt. */
function actIn(words: string, lead: string, isOpen: boolean, isTitle: boolean): Act | null {
  const own = ownAct(words);
  if (own !== null) {
    const isImagined =
      isHypothetical(`${lead} ${own.before}`) || /\b(?:what|before|until|than)\s*$/i.test(own.before);
    return isImagined || !changesFiles(own) ? null : own;
  }
  const bare = isOpen && !isDoubted(lead) ? bareAct(words) : null;
  return bare === null || isAdjective(bare, isTitle) || !changesFiles(bare) ? null : bare;
}

/** `I looked at the callers and used the new one`: the second verb shares the subject of the first. */
function sharedAct(words: string, state: State, mark: Part['mark']): Act | null {
  if (!state.isTold || (mark !== 'and' && mark !== 'comma')) return null;
  const act = isDoubted(state.lead) ? null : ownAct(`I ${words}`);
  return act === null || act.before !== '' || isAdjective(act, false) || !changesFiles(act) ? null : act;
}

const CREATING = /^(?:created|added|generated|wrote|written|introduced|scaffolded|drafted|produced)$/;
const WRITING =
  /^(?:wrote|written|saved|exported|generated|produced|stored|recorded|dumped|put|drafted|published)$/;

/** A created file is a claim of its own, which the diff is compared with as well. */
function claimsBy(act: Act): Claim[] {
  const created = CREATING.test(act.verb) ? createdObject(act.object, act.verb) : [];
  if (created.length > 0) return created;
  const written = WRITING.test(act.verb) ? writtenObject(act.object) : [];
  return written.length > 0 ? written : [act.work];
}

import type { Claim } from '../claim.ts';
import { isDenied, isDoubted, isFromElsewhere, isHypothetical, isTakenBack } from './doubt.ts';
import {
  CHANGE_VERBS,
  FIX_VERBS,
  isPastOfChange,
  isPresentOfChange,
  OWN_CHANGE_VERBS,
  TRAILING_VERBS,
} from './verbs.ts';

/** Recognises the forms in which a clause says that a file was changed. */
type Work = Extract<Claim, { kind: 'implemented' | 'fixed' }>;

export interface Act {
  readonly work: Work;
  readonly verb: string;
  readonly before: string;
  readonly object: string;
}

const ADVERBS =
  '(?:(?:now|also|just|then|first|finally|instead|additionally|therefore|went ahead and|gone ahead and|gone through and|both|all|(?!(?:part|partial|near|hard|bare|initial|previous|original|recent|former|new|current)ly)[a-z]+ly) )*';
const OWN = new RegExp(`\\b(?:i|we)(?:'ve| have)? (?:have )?${ADVERBS}([a-z-]+)\\b(?!-)`, 'gi');
const BARE = new RegExp(`^${ADVERBS}([a-z-]+)\\b(?!-)`, 'i');

/** Matches `I added …` anywhere in the clause. */
export function ownAct(clause: string): Act | null {
  for (const match of clause.matchAll(OWN)) {
    const verb = (match[1] ?? '').toLowerCase();
    const end = match.index + match[0].length;
    const object = clause.slice(end);
    const work = workByVerb(verb) ?? (OWN_CHANGE_VERBS.has(verb) ? IMPLEMENTED : workByObject(verb, object));
    if (work !== null) return { work, verb, before: clause.slice(0, match.index), object };
  }
  return null;
}

/** Matches `Added …` without a subject, at the start of the clause. */
export function bareAct(clause: string): Act | null {
  const match = BARE.exec(clause);
  const verb = (match?.[1] ?? '').toLowerCase();
  const object = clause.slice(match?.[0].length ?? 0);
  const work = workByVerb(verb) ?? workByObject(verb, object);
  return work === null ? null : { work, verb, before: '', object };
}

const IMPLEMENTED: Work = { kind: 'implemented' };

/** A past tense with a definite or counted object: `Styled the page`, but not `Related work is below`. */
const OBJECT =
  /^ (?:(?:up|out|off|on|down|over|away|back|in) )?(?:(?:the|an?|all|every|each|its|this|that|these|those|both|my|our|your|any|another|one|two|three|four|five|some|several|it|them|only|more)\b|\d|`)/i;

/** Verbs that mean a change only with certain objects. */
const OBJECTS: ReadonlyMap<string, RegExp> = new Map([
  ['got', /^ rid of\b/i],
  ['took', /^ (?:out|away|off|over) /i],
  // Excludes the output of a build tool.
  [
    'built',
    /^ (?!(?:the|an?) (?:\w+ )?(?:project|image|binary|app|bundle|container|workspace|docs|site|code)\b)(?:an?|the|it|two|three) /i,
  ],
]);

function workByObject(verb: string, object: string): Work | null {
  const wanted = OBJECTS.get(verb) ?? (isPastOfChange(verb) ? OBJECT : null);
  return wanted?.test(object) === true ? IMPLEMENTED : null;
}

function workByVerb(verb: string): Work | null {
  if (FIX_VERBS.has(verb)) return { kind: 'fixed' };
  return CHANGE_VERBS.has(verb) ? IMPLEMENTED : null;
}

/** Objects that aren't files of the workspace. */
const NO_FILE =
  /^ (?:(?:a|an|the|this|my|your|new|its|some|in) )*(?:to-?dos?|todo list|task list|plan|tickets?|issue\b(?! (?:with|where|in|that|of|by|when|causing))|pull request|prs?|branch(?:es)?|backup|note of|mind|director(?:y|ies)|sure|progress|sense|assumptions?|start|attempt|mistake|copy|use of|decision(?! (?:record|log|document)s?\b)|no|it clear|temp\w*|scratch\w*|throw-?away|worktree|checkout|in terms)\b|^ (?:(?:a|an|the|new|file|folder|directory|script) )*`?(?:\/|~|\.\.\/|https?:)|^ `[^`\s]+@[^`\s]+`|^ (?:`[^`]+`|\S+) branch\b|\btemp(?:orary)? (?:folder|file|dir\w*)\b|\bin `?\/tmp\b/i;
const BY_OTHERS =
  /^(?: \w+)? by (?!\w+ing\b|hand\b|(?:a|one|\d|default|about|roughly|half)\b)|\bby (?:(?:the|our|your|an?|another) )*(?:[\w-]+ )?(?:team|maintainers?|authors?|developers?|colleagues?|someone|upstream|vendor)\b/i;

export function changesFiles({ verb, object }: Act): boolean {
  if (isTakenBack(object) || isFromElsewhere(object) || BY_OTHERS.test(object)) return false;
  if (/^ (?:it|them) again\b/i.test(object)) return false;
  if (FIX_VERBS.has(verb)) return !/^ (?:upstream|nothing)\b/i.test(object);
  if (verb === 'gave' || verb === 'turned') return !/^ (?:up|out|to)\b/i.test(object);
  if (verb === 'put') return /^ (?:together|up|back|in|into|the|a|it)\b/i.test(object);
  if (verb === 'moved' && /^ (?:on|forward|ahead)\b/i.test(object)) return false;
  return !NO_FILE.test(object);
}

/** Verbs that make the preceding words a subject: `Fixed columns take 65 characters`. */
const FINITE =
  "(?:is|are|was|were|do|does|did|has|have)n't|is|are|was|were|has|have|had|take|takes|get|gets|stay|stays|need|needs|use|uses|make|makes|must|can|may|will|should|would|could|do|does|keep|keeps|remain|remains|show|shows|go|goes|come|comes|mean|means|work|works|cost|costs|contain|contains|hold|holds|appear|appears|become|becomes|run|runs|live|lives|look|looks|point|points|return|returns|allow|allows|cause|causes|lead|leads|depend|depends|belong|belongs|start|starts|end|ends|fail|fails|pass|passes|rely|relies|follow|follows|apply|applies";
const DETERMINERS =
  'the|a|an|all|every|each|its|this|that|these|those|both|my|our|your|to|in|on|for|from|with|so|how|where';
const ADJECTIVE = new RegExp(
  `^ (?:(?:${FINITE})|(?!(?:${DETERMINERS}) )[\\w'-]+(?: (?!(?:${DETERMINERS}|that|which|when|until|if|while|because|as)\\b)[\\w'-]+)? (?:${FINITE}))\\b`,
  'i',
);
const NOUN_BESIDE =
  /^ (?:width|size|length|point|position|costs?|prices?|rates?|set|number|amount|interval|value|state|code|order|ones?)\b/i;
const TITLE_CASE = /^ [A-Z][a-z]+(?: [A-Z][a-z]+)*$/;

/** Whether the apparent verb is a participle that modifies the noun after it. */
export function isModifier(verb: string, object: string, isTitle = false): boolean {
  if (ADJECTIVE.test(object) || (isTitle && TITLE_CASE.test(object))) return true;
  return /^(?:fixed|added|changed)$/i.test(verb) && NOUN_BESIDE.test(object);
}

/** Matches a clause that says what was changed without naming an agent. */
export function impersonalWork(clause: string, isOpen: boolean): Work | null {
  return (
    matchPassive(clause) ??
    matchTrailing(clause) ??
    (isOpen ? matchThisChange(clause) : null) ??
    matchFinished(clause)
  );
}

const PASSIVE = new RegExp(
  `^(.{0,120}?)\\b(has been|have been|is now|are now|was|were) ${ADVERBS}([a-z]+)\\b(?!-)(.*)$`,
  'i',
);
/** In the simple past these verbs describe history rather than the agent's work: `the bug was introduced …`. */
const HISTORY = new Set('introduced created built caused made split generated raised used called'.split(' '));

/** Matches `The README has been updated`. */
function matchPassive(clause: string): Work | null {
  const [, subject = '', auxiliary = '', word = '', object = ''] = PASSIVE.exec(clause) ?? [];
  const verb = word.toLowerCase();
  const work = workByVerb(verb);
  if (work === null || isDoubted(subject)) return null;
  if (/\b(?:what|which|that|who|it|there)\s*$/i.test(subject)) return null;
  if (/^(?:was|were)$/i.test(auxiliary)) {
    if (HISTORY.has(verb) || work.kind === 'fixed') return null;
    if (/\b(?:because|when|since|due|so that)\b/i.test(object)) return null;
  }
  return changesFiles({ work, verb, before: subject, object }) ? work : null;
}

const TRAILING = new RegExp(
  `^((?:[\\w\`'"./#@-]+ ){1,8}?)(?:(?:is|are) )?(${[...TRAILING_VERBS].join('|')})(?: (?:in|at|to|for|from|with|as requested)\\b.*)?$`,
  'i',
);
const FAULT =
  /\b(?:bugs?|issues?|problems?|errors?|crash(?:es)?|leaks?|race|typos?|regressions?|defects?|it|deadlock|dereference|everything|warnings?|flake|failures?|tests?|links?)\b/i;
/** Subjects that act themselves, and qualifiers such as `partially` that mean the work isn't done. */
const NO_SUBJECT =
  /^(?:they|you|he|she|who|that|which|what|this|it|how|where|when|only|nothing|none|no|recently|newly|partially|partly|half|mostly|almost)\b|\b(?:what|was|were|been|be)\b/i;
const ARTIFACT =
  /\b(?:readme|docs?|documentation|changelog|tests?|specs?|script|migrations?|schema|config\w*|workflow|lockfile|types?|guide|seeds|snapshots?|everything|features?|functionality|changes|tasks?|files?|librar(?:y|ies)|dependenc(?:y|ies)|imports?|callers?|call sites?|references?|links?|strings?|translations?|quer(?:y|ies)|handlers?|endpoints?|components?|modules?|routes?|fixtures?)\s*$/i;

/** Matches `guard added`, `README updated`, `the crash in the list is resolved`. */
function matchTrailing(clause: string): Work | null {
  const [whole, subject = '', verb = ''] = TRAILING.exec(clause) ?? [];
  if (whole === undefined || isDoubted(subject) || isFromElsewhere(clause)) return null;
  const work = workByVerb(verb.toLowerCase());
  if (work?.kind === 'fixed') return FAULT.test(subject) ? work : null;
  const isState = new RegExp(`\\b(?:is|are) ${verb}\\b`, 'i').test(clause);
  if (NO_SUBJECT.test(subject) || (isState && !ARTIFACT.test(subject))) return null;
  return work;
}

const THIS_CHANGE =
  /^(?:this|the|my) (?:pr|pull request|change|patch|commit|update|fix|implementation|refactor\w*)(?: (?:now|also))? ([a-z]+)\b/i;

/** Matches `This PR replaces the polling loop`. */
function matchThisChange(clause: string): Work | null {
  const verb = (THIS_CHANGE.exec(clause)?.[1] ?? '').toLowerCase();
  if (!verb.endsWith('s') || !isPresentOfChange(verb)) return null;
  return { kind: verb === 'fixes' || verb === 'resolves' ? 'fixed' : 'implemented' };
}

const NO_WORK =
  'analysis|review|investigation|research|plan|audit|build|tests?|run|scan|search|report|download|check|design|install\\w*|setup|spec|proposal|answer';
const TASK = [
  'implementation|refactor(?:ing)?|migration|conversion|upgrade|rename|clean-?up|port|changes?|features?|tasks?|work',
  'everything(?: you asked for| requested)?',
  '(?:items?|steps?|tasks?|points?|phases?|parts?) \\d+(?:(?:,| to| and| through|-) ?\\d+)*',
  '(?:requested |\\w+ )?(?:changes|tweaks|edits|items|features|fixes|parts|steps|phases|points|requirements|(?:acceptance )?criteria|tasks|comments|stories)',
].join('|');
const DONE =
  '(?:complete|completed|done|finished|implemented|addressed|met|satisfied|fulfilled|ready|in place|in\\b(?= (?:and|place)|$)|integrated|pushed)';
const FINISHED = new RegExp(
  `^(?:(?:the|all|both|initial|requested|new|your|every|of|two|three|four|five|six|\\d+) )*(?:${TASK})(?: (?:to|of|from|in|by) [\\w\`' .-]{1,40}?)?(?:'s| (?:is|are|has been|have been))?(?: (?:now|all|fully))* ${DONE}\\b(?! (?:by|when|once|if|after|unless)\\b)|^(?:the|your) (?!(?:[\\w-]+ ){0,3}(?:${NO_WORK})\\b)(?:[\\w-]+ ){1,4}(?:is|are) (?:now )?(?:fully )?(?:complete|completed|finished|in place)\\b`,
  'i',
);
const GERUND =
  '(?!(?:read|look|check|review|runn|test|analy[sz]|investigat|explor|search|trac|go|brows|compar|debugg|stat|wait|think|us|try|be)ing)[a-z-]+ing';
const MADE = new RegExp(
  [
    '^(?:done in (?:\\d+|one|two|three) commits?',
    'put together',
    `(?:i|we)(?:'ve| have)? (?:now )?(?:finished|completed|ended up|gone with|went with) ${GERUND}`,
    "(?:(?:i|we)(?:'ve| have)? )?(?:went|gone) with (?:the|an?|option|approach|`|[a-z-]+ing\\b|\\w+ \\w+)",
    `(?:(?:i|we)(?:'ve| have)? )?(?:now )?(?:finished|completed) (?:(?:the|this|your|all|both) )*(?:\\w+ )?(?:${TASK})`,
    "here(?:'s| is) what (?:(?:i(?:'ve| have)?|we(?:'ve| have)?|was|has been|has) )?(?:did|done|changed|added|built|implemented|updated|shipped|modified|ended up with)",
    'the following (?:changes|edits)',
    "(?:(?:most|the rest|half) of |what's left in )?(?:the|my|this) (?:whole |entire |actual )?diff (?:is|has|touches|contains|only|looks)",
    '(?:\\d+|two|three|four|five|several) files? (?:changed|modified|updated|edited))\\b',
  ].join('|'),
  'i',
);
/** Matches `The banner is gone`: a state that results from the agent's work. */
const RESULT_STATE =
  /^(?!(?:the |all |both )*(?:tests?|checks?|build|suite|failures?|it|they|there|this|that)\b).{2,120}? (?:is|are)(?: now)? (?:gone|in|in place|live|written|wired(?: up)?|hooked up)$/i;
const NOW =
  /^(?!(?:the |all |both )*(?:tests?|checks?|build|suite|it|they|there|you|everything)\b|\w+ing now$).{2,120}? (?:(?:can now|now|(?<!\b(?:is|are) )no longer) (?!pass|fail|work|that\b|is\b|are\b|need|be\b|break|get)[a-z]+|(?<!\b(?:for|right|until|by|up to|from|just|even|fine|works?|passe?s?|ok|good|green|clean|stable) )now$)/i;

/** Matches a clause that says the work is finished, or that describes what is different now. */
function matchFinished(clause: string): Work | null {
  if (isFromElsewhere(clause)) return null;
  if (FINISHED.test(clause) || MADE.test(clause)) return IMPLEMENTED;
  if (isHypothetical(clause.replace(/\bcan now\b/i, '')) || isDenied(clause.replace(/\bno longer\b/gi, '')))
    return null;
  if (RESULT_STATE.test(clause)) return FAULT.test(clause) ? { kind: 'fixed' } : IMPLEMENTED;
  return NOW.test(clause) ? IMPLEMENTED : null;
}

/**
 * Verbs of change. `implemented` is only checked against an empty diff, so every verb that implies an edited file
 * counts; verbs of looking, running and talking don't.
 */
const wordSet = (text: string) => new Set(text.trim().split(/\s+/));

/** Verbs that claim `fixed`. */
export const FIX_VERBS = wordSet('fixed resolved corrected repaired patched');

/** Verbs that claim `implemented`, with the agent as the subject or without a subject: `Added a flag`. */
export const CHANGE_VERBS = wordSet(`
  adapted added addressed adjusted aligned annotated appended applied automated broadened bumped capped centralised
  centralized changed clarified cleaned collapsed committed condensed configured consolidated converted covered
  created decoupled deduplicated deleted deprecated disabled documented downgraded dropped edited eliminated enabled
  encapsulated enforced enhanced expanded exported exposed extended extracted factored flattened formatted generalized
  generated guarded hardened hid hoisted hooked implemented improved increased inlined inserted instrumented
  integrated introduced inverted isolated labeled labelled localised localized lowered made memoized merged migrated
  modernized modified moved narrowed normalised normalized optimised optimized overhauled parallelized parameterized
  persisted pinned polished ported promoted raised redesigned reduced refactored refined reformatted refreshed
  regenerated registered relaxed relocated removed renamed reordered reorganized replaced restored restricted
  restructured reused revised rewired reworded reworked rewritten rewrote scaffolded secured separated shortened
  shrank silenced simplified sorted split standardized streamlined strengthened stripped stubbed styled surfaced
  swapped switched threaded tidied tightened translated trimmed tweaked typed unified updated upgraded wired wrapped
  wrote`);

/**
 * Verbs that claim `implemented` only with the agent as the subject; without a subject they usually mean something
 * else.
 */
export const OWN_CHANGE_VERBS = wordSet(`
  altered batched broke built cached called caught cut defined drafted finalised finalized gated gave handled included
  incorporated injected limited linked logged mapped marked mocked produced published pulled put rebuilt recorded
  redid routed saved scoped set stored supported taken taught threw turned used validated written`);

/**
 * Verbs of looking, running, talking and deciding. Any other past tense with an object counts as a change: `Styled
 * the page`. Extend this list when a message without a change is read as one.
 */
const NO_CHANGE_VERBS = wordSet(`
  agreed aimed allowed analysed analyzed answered argued asked assessed assumed attempted audited avoided based
  believed benchmarked bisected blocked browsed called caused checked cited claimed cloned closed collected compared
  completed concluded confirmed considered consulted contacted contained continued counted crashed cross-checked
  debated debugged decided demonstrated deployed described detected determined diagnosed discovered discussed
  displayed double-checked downloaded emailed encountered ended ensured enumerated estimated evaluated examined
  executed exercised existed expected experienced experimented explained explored failed fetched figured finished
  followed gathered grepped guessed happened hoped identified ignored indicated inferred inspected installed intended
  interpreted interviewed investigated invoked kicked launched learned liked listed loaded located looked mapped
  matched measured mentioned missed monitored navigated needed noted noticed observed offered omitted opened ordered
  outlined paused performed picked pinged planned played polled posted predicted prepared printed probed processed
  profiled prompted proposed pulled pushed queried questioned quoted rated re-checked re-tested reached realised
  realized rebased received recommended referenced rejected related released relied remained remembered replied
  reported reproduced requested required researched restarted resulted resumed retried returned reviewed scanned
  scheduled scored searched seemed selected sent shared showed signed simulated skimmed skipped spotted staged started
  stayed stepped stopped studied submitted succeeded suggested summarised summarized surveyed suspected talked tested
  timed traced tracked triaged tried triggered trusted understood used validated verified viewed visited waited walked
  wanted watched weighed wished wondered worked`);

const IRREGULAR_CHANGES = wordSet(
  'brought cut drew redid redrew rebuilt rethought rewrote shrank sped tore undid',
);

function isRegularPast(word: string): boolean {
  return /[a-z][^e]ed$/.test(word);
}

/** Whether the word is a past tense that can mean a change: `Styled`, `Merged`. */
export function isPastOfChange(word: string): boolean {
  return (isRegularPast(word) && !NO_CHANGE_VERBS.has(word)) || IRREGULAR_CHANGES.has(word);
}

const IRREGULAR_PASTS = wordSet('built chose did found got kept left made ran read saw took went');

/** Whether the word is a past tense: in `Kept the API`, the agent is the implied subject, also of later verbs. */
export function isPast(word: string): boolean {
  return (
    isRegularPast(word) ||
    IRREGULAR_CHANGES.has(word) ||
    UNCHANGED_PASTS.has(word) ||
    IRREGULAR_PASTS.has(word)
  );
}

/** Verbs whose past tense equals their base form, so they may be an instruction to the reader. */
const UNCHANGED_PASTS = wordSet('set put cut split let reset');

const IRREGULAR_BASES = wordSet(
  'make write rewrite set split hide rework let pass return skip stop support treat use handle prevent reject ensure allow',
);

/**
 * Whether the word is the present tense of a change verb, which often starts an item of a summary: `add`, `adds`,
 * `guard`.
 */
export function isPresentOfChange(word: string): boolean {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, '')].some(isBaseOfChange);
}

function isBaseOfChange(base: string): boolean {
  const last = base.at(-1) ?? '';
  const pasts = [`${base}ed`, `${base}d`, `${base}${last}ed`, base.replace(/y$/, 'ied')];
  return IRREGULAR_BASES.has(base) || pasts.some((past) => CHANGE_VERBS.has(past) || FIX_VERBS.has(past));
}

/** Past participles that claim work after their noun: `guard added`, `README updated`. */
export const TRAILING_VERBS = wordSet(`
  added adjusted applied converted created deleted documented extracted fixed implemented integrated migrated
  refactored regenerated registered removed renamed replaced resolved restored rewritten updated upgraded wired`);

/**
 * Verbs of change. `implemented` is only compared with an empty diff, so every verb that takes an edited file counts;
 * verbs of looking, running and talking don't.
 */
const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Claims `fixed`. */
export const FIX_VERBS = words('fixed resolved corrected repaired patched');

/** Claims `implemented`, with the agent as the subject or without one: `Added a flag`. */
export const CHANGE_VERBS = words(`
  adapted added adjusted addressed aligned annotated appended applied automated broadened bumped capped centralized
  centralised changed clarified cleaned collapsed condensed configured consolidated converted covered created decoupled
  deduplicated deleted deprecated disabled documented downgraded dropped edited eliminated enabled encapsulated enforced
  enhanced expanded exposed exported extended extracted factored flattened formatted generalized generated guarded
  hardened hid hoisted hooked implemented improved increased inlined inserted instrumented integrated introduced isolated
  labelled labeled localized lowered made memoized migrated modernized modified moved narrowed normalized normalised optimized
  optimised overhauled parallelized parameterized persisted pinned polished ported promoted raised redesigned reduced
  refactored refined reformatted refreshed regenerated registered relaxed relocated removed renamed reordered reorganized
  replaced restored restricted restructured reused revised reworded reworked rewired rewrote rewritten scaffolded secured
  separated shortened shrank silenced simplified sorted split standardized streamlined strengthened stripped stubbed
  surfaced swapped switched threaded tidied tightened translated trimmed tweaked typed unified updated upgraded wired
  wrapped wrote`);

/** Claims `implemented` only with the agent as the subject: alone they are mostly something else. */
export const OWN_CHANGE_VERBS = words(`
  altered batched broke built cached called caught cut defined gave gated handled incorporated included injected
  limited logged mapped marked mocked pulled put rebuilt redid routed scoped set stored supported taught taken threw
  turned used validated finalized finalised written saved stored recorded produced drafted published linked`);

/** Present forms, for `This change adds …`. */
export const PRESENT_VERBS = words(`
  adds adjusts changes cleans converts corrects deletes drops enables disables extends extracts fixes implements improves
  introduces makes migrates moves reduces refactors removes renames replaces resolves rewrites simplifies splits switches
  updates wraps`);

/** Base forms, for the items of a summary: `- Add retries to the client`. */
export const BASE_VERBS = words(`
  add adjust allow apply bump change clean convert correct cover create delete disable document drop enable enforce ensure
  expose extend extract fix handle harden implement improve increase introduce make mark migrate move normalize pass prevent
  reduce refactor reject remove rename replace resolve return rewrite rework set simplify skip split stop support switch
  teach tighten treat update upgrade use validate wire wrap write`);

/** Past participles that claim work behind their noun: `guard added`, `README updated`. */
export const TRAILING_VERBS = words(`
  added adjusted applied converted created deleted documented extracted fixed implemented integrated migrated refactored
  regenerated registered removed renamed replaced resolved restored rewritten updated upgraded wired`);

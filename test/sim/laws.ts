import { isDeepStrictEqual } from 'node:util';
import { type RunEvent, runEventSchema } from '../../src/contracts/run/event.ts';
import { GATE_EVENTS } from '../../src/contracts/vocabulary.ts';
import { evolve } from '../../src/kernel/evolve.ts';
import type { Plan } from '../../src/kernel/plan.ts';
import { INITIAL_STATE } from '../../src/kernel/state.ts';
import { sha256Hex } from '../../src/node/sha256.ts';
import { hasBaseline } from '../../src/simulation/script-choice.ts';
import { readSimLog } from '../../src/simulation/sim-log.ts';
import { LEFTOVERS } from '../../src/simulation/sim-programs.ts';
import { readStatus } from '../../src/simulation/sim-run-store.ts';
import type { SimScript } from '../../src/simulation/sim-script.ts';
import { logPath, runPath, type SimWorld } from '../../src/simulation/sim-world.ts';
import { type SimResult, USER_COMMIT } from '../../src/simulation/simulate.ts';

interface Ended {
  readonly plan: Plan;
  readonly script: SimScript;
  readonly world: SimWorld;
  readonly result: SimResult;
  readonly events: readonly RunEvent[];
}

/** Each gives what is wrong, or nothing. They hold whatever went wrong on the way. */
const LAWS: Readonly<Record<string, (ended: Ended) => readonly string[]>> = {
  'no rule was broken on the way': ({ world }) => world.violations,

  'the run ends, once, and nothing comes after': ({ result, events }) => {
    const ends = events.filter(({ event_type }) => event_type === 'run_completed').length;
    const last = events.at(-1)?.event_type;
    return result.ended && ends === 1 && last === 'run_completed'
      ? []
      : [`${ends} ends, the last event is ${last}`];
  },

  'a run is prepared before its first step, and no part of that is done twice': ({ events, plan }) => {
    const seqOf = (type: RunEvent['event_type']) =>
      events.filter(({ event_type }) => event_type === type).map(({ seq }) => seq);
    const setUps = events.filter(
      ({ event_type, payload }) =>
        event_type === 'setup_completed' && payload.checkout === 'work' && payload.outcome === 'completed',
    ).length;
    const [baseline, ...more] = seqOf('baseline_recorded');
    const [first] = seqOf('step_started');
    return [
      ...(setUps > 1 ? [`set up ${setUps} times`] : []),
      ...(more.length > 0 ? [`${more.length + 1} baselines`] : []),
      ...(first !== undefined && hasBaseline(plan) && (baseline === undefined || baseline > first)
        ? ['a step starts before the baseline']
        : []),
    ];
  },

  'every line fits the schema of the log': ({ events }) =>
    events.flatMap((event) =>
      (runEventSchema.safeParse(event).error?.issues ?? []).map(
        ({ path, message }) => `${event.event_type} ${path.join('.')}: ${message}`,
      ),
    ),

  'folding the log gives the state that the drive came back with': ({ events, result }) => {
    const folded = events.reduce(evolve, INITIAL_STATE);
    return isDeepStrictEqual(folded, result.end?.view.state) ? [] : ['the states differ'];
  },

  'a visit of a gate is answered at most once': ({ events }) => {
    const answers: readonly string[] = GATE_EVENTS;
    const seen = new Map<string, number>();
    let visit = '';
    for (const event of events) {
      if (event.event_type === 'step_started') visit = `${event.step_id} ${event.payload.visit}`;
      if (answers.includes(event.event_type)) seen.set(visit, (seen.get(visit) ?? 0) + 1);
    }
    return [...seen].filter(([, count]) => count > 1).map(([at]) => `${at} was answered twice`);
  },

  'attempts are numbered without a gap, and each but the first of a visit is a recovery': ({ events }) => {
    const attempts = new Map<string, number>();
    const visits = new Map<string, number>();
    return events.flatMap((event) => {
      if (event.event_type !== 'step_started') return [];
      const id = event.step_id ?? '';
      const { attempt, visit, recovery } = event.payload;
      const expected = (attempts.get(id) ?? 0) + 1;
      const newVisit = visit === (visits.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      visits.set(id, visit);
      if (attempt === expected && newVisit === !recovery) return [];
      return [`attempt ${attempt} of ${id} follows ${expected - 1}, visit ${visit}, recovery ${recovery}`];
    });
  },

  'all that was salvaged is still there': ({ events, world }) =>
    events.flatMap((event) =>
      event.event_type === 'salvage_recorded' &&
      world.repo.storeRefs.get(event.payload.ref) !== event.payload.commit
        ? [`${event.payload.ref} does not lead to ${event.payload.commit}`]
        : [],
    ),

  "the user's repository has the documented refs and no other": ({ world: { repo, runId } }) => {
    const branch = `refs/heads/conductor/run/${runId}`;
    const documented = [branch, `refs/conductor/base/${runId}`, `refs/conductor/salvage/${runId}`];
    return [...repo.userRefs.keys()].filter((ref) => !documented.includes(ref));
  },

  'the result is one commit on the base, and a ref leads to it': ({ world: { repo, runId }, result }) => {
    const head = result.end?.view.headSha ?? null;
    if (head === null || head === repo.baseCommit) return [];
    const { parent, message } = repo.commitById(head);
    const refs = [`refs/heads/conductor/run/${runId}`, `refs/conductor/salvage/${runId}`];
    return [
      ...(parent === repo.baseCommit ? [] : [`its parent is ${parent}`]),
      ...(message.includes(`Conductor-Run: ${runId}\n`) ? [] : [`it says ${message}`]),
      ...(refs.some((ref) => repo.userRefs.get(ref) === head) ? [] : ['no ref leads to it']),
    ];
  },

  'a run without a change leaves no branch': ({ world: { repo, runId }, events }) => {
    const base = repo.treeOf(repo.baseCommit);
    const changed = events.some(
      ({ payload }) => 'tree' in payload && payload.tree !== undefined && payload.tree !== base,
    );
    return repo.userRefs.has(`refs/heads/conductor/run/${runId}`) && !changed ? ['there is a branch'] : [];
  },

  'a branch that the user touched stays as they left it': ({ world: { repo, runId }, events }) => {
    const touched = events.some(
      ({ event_type, payload }) => event_type === 'notice_recorded' && payload.kind === 'branch_left_alone',
    );
    const at = repo.userRefs.get(`refs/heads/conductor/run/${runId}`);
    if (!touched || at === undefined) return [];
    return repo.commitById(at).message === USER_COMMIT ? [] : ['conductor took it over'];
  },

  'conductor never takes its own branch for one that the user touched': ({ script, events }) =>
    script.userTouchesBranch === undefined
      ? events.flatMap(({ event_type, payload }) =>
          event_type === 'notice_recorded' ? [payload.message] : [],
        )
      : [],

  'what validators leave behind is not part of the change': ({ world: { repo }, result }) => {
    const head = result.end?.view.headSha ?? repo.baseCommit;
    const trees = [repo.checkout, repo.treeById(repo.treeOf(head))];
    return trees.some((tree) => tree?.has(LEFTOVERS) === true) ? [`it has ${LEFTOVERS}`] : [];
  },

  'what was reported as spent is counted, once': ({ events, result }) => {
    const spent = events.reduce(
      (sum, event) =>
        event.event_type === 'runner_completed' ? sum + (event.payload.usage?.input_tokens ?? 0) : sum,
      0,
    );
    const counted = result.end?.view.state.usage.inputTokens ?? 0;
    return spent === counted ? [] : [`${spent} tokens were reported and ${counted} counted`];
  },

  'a gate runs out of time when its time is over, and not before': ({ events }) =>
    events.flatMap((event, index) => {
      if (event.event_type !== 'gate_timed_out') return [];
      const asked = events.slice(0, index).findLast(({ event_type }) => event_type === 'gate_requested');
      if (asked?.event_type !== 'gate_requested') return ['a gate timed out that was not open'];
      const due = Date.parse(asked.timestamp) + (asked.payload.timeout_ms ?? Number.POSITIVE_INFINITY);
      const early = due - Date.parse(event.payload.answered_at);
      return early > 0 ? [`${event.step_id} timed out ${early} ms early`] : [];
    }),

  'no duration is negative': ({ events, world }) => [
    ...events.flatMap((event) =>
      event.event_type === 'runner_completed' && event.payload.duration_ms < 0
        ? [`${event.step_id} took ${event.payload.duration_ms} ms`]
        : [],
    ),
    ...((readStatus(world, world.runId ?? '')?.elapsed_seconds ?? 0) < 0
      ? ['the run took less than 0 s']
      : []),
  ],

  'status.json, metadata.json and final-state.txt tell the end': ({ world, result }) => {
    const { runId, disk } = world;
    const end = result.end?.end;
    const read = (name: string) => disk.read(`${runPath(runId ?? '')}/${name}`) ?? '{}';
    const status = readStatus(world, runId ?? '');
    const reported = {
      'status.json': status?.lifecycle_state === end?.lifecycle && status?.outcome === end?.outcome,
      'metadata.json': (JSON.parse(read('metadata.json')) as { outcome?: string }).outcome === end?.outcome,
      'final-state.txt': read('final-state.txt').startsWith(`${end?.lifecycle} ${end?.outcome}`),
    };
    return Object.entries(reported).flatMap(([name, right]) => (right ? [] : [`${name} does not`]));
  },

  'evidence that the log names is there as it was': ({ events, world }) => {
    const digests = new Map<string, string>();
    for (const event of events)
      if (event.event_type === 'artifact_recorded') digests.set(event.payload.path, event.payload.sha256);
    return [...digests].flatMap(([path, sha256]) => {
      const content = world.disk.read(`${runPath(world.runId ?? '')}/${path}`);
      if (content === null) return [`${path} is gone`];
      return sha256Hex(content) === sha256 ? [] : [`${path} is another one`];
    });
  },
};

/** What is broken, with the law it breaks. */
export function brokenLaws(
  { plan, script }: Pick<Ended, 'plan' | 'script'>,
  world: SimWorld,
  result: SimResult,
): readonly string[] {
  const reading = readSimLog(world.disk.read(logPath(world.runId ?? '')) ?? '');
  if (!reading.ok) return [`the log is a chain: line ${reading.line}: ${reading.message}`];
  const ended = { plan, script, world, result, events: reading.events };
  return Object.entries(LAWS).flatMap(([law, check]) => check(ended).map((problem) => `${law}: ${problem}`));
}

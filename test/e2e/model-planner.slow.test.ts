import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { evaluatedScene, expectNoKey, PLANNER_KEY, proposal, readEvaluation } from './evaluated-run.ts';
import { type Scene, type SceneOptions, test, until } from './scene.ts';

const USAGE = { input_tokens: 321, output_tokens: 45 };
const doubt = { code: 'odd', summary: 'it looks odd', evidence_ref: null, severity: 'medium' } as const;

const SCRIPT: ModelScript = {
  flatters: [{ kind: 'json', value: proposal('success'), usage: USAGE }],
  doubts: [{ kind: 'json', value: proposal('needs_human', { blockers: [doubt] }), usage: USAGE }],
  strays: [{ kind: 'json', value: proposal('success', { next_step: 'deploy' }) }],
  prose: [{ kind: 'text', text: `Looks great, ship it! Your key is ${PLANNER_KEY}` }],
  stalls: [{ kind: 'no_answer' }],
  'falls-silent': [{ kind: 'silence' }],
  fails: [{ kind: 'status', status: 500 }],
  refuses: [{ kind: 'status', status: 401, message: `invalid key ${PLANNER_KEY}` }],
  recovers: [
    { kind: 'text', text: 'Hm.' },
    { kind: 'json', value: proposal('success') },
  ],
  wakes: [
    { kind: 'no_answer', times: 1 },
    { kind: 'json', value: proposal('success'), usage: USAGE },
  ],
};

let server: ModelServer;
let closedUrl: string;
beforeAll(async () => {
  server = await createModelServer(SCRIPT);
  const closed = await createModelServer({});
  await closed.close();
  closedUrl = closed.url;
});
afterAll(() => server.close());

function modelScene(url: string, answer: '41' | '42' = '42', more = 'retries: 1'): SceneOptions {
  const where = `provider: anthropic, model: some-model, base_url: "${url}/v1"`;
  return evaluatedScene(`{ kind: model, ${where}, api_key_env: SOME_PLACE, ${more} }`, answer);
}

const withKey = { env: { SOME_PLACE: PLANNER_KEY, CONDUCTOR_SANDBOX: 'off' } };

async function runEvaluated(scene: Scene) {
  const result = await scene.cli.run(['run', './evaluated.yaml'], withKey);
  const record = scene.record(result.stdout.split('\n')[0] ?? '');
  return { ...result, runId: record.metadata.run_id, record, ...readEvaluation(record) };
}

describe('a run whose planner is a model', () => {
  test('ends well when model and rules agree, and records what was used', async ({ openScene }) => {
    const { code, record, trace, stdout, stderr } = await runEvaluated(
      await openScene(modelScene(server.urlOf('flatters'))),
    );
    expect({ code, end: record.finalState }).toEqual({ code: 0, end: 'completed success success\n' });
    expect(trace).toMatchObject({ verdict: 'taken', proposal: proposal('success'), attempts: 1 });
    expect(record.metadata.usage).toEqual({ ...USAGE, cost_usd: null });
    expect(record.eventsOf('decision_recorded')[0]?.payload.planner).toBe('model:anthropic/some-model');
    expect(`${stdout}${stderr}`).not.toContain('AI SDK');
    expectNoKey(record);
  });

  test.for(['openai', 'openai-compatible'])('asks a model of %s as well', async (provider, { openScene }) => {
    const base = `base_url: "${server.urlOf('flatters')}/v1", api_key_env: SOME_PLACE`;
    const planner = `{ kind: model, provider: ${provider}, model: some-model, ${base} }`;
    const { record, trace } = await runEvaluated(await openScene(evaluatedScene(planner)));
    expect(record.finalState).toBe('completed success success\n');
    expect(trace).toMatchObject({ verdict: 'taken', usage: USAGE });
  });

  test("can't be talked into a success on red tests", async ({ openScene }) => {
    const { record, decision, trace } = await runEvaluated(
      await openScene(modelScene(server.urlOf('flatters'), '41')),
    );
    expect(record.finalState).toBe('blocked partial partial\n');
    expect(decision).toEqual(trace.floor);
    expect(trace).toMatchObject({ verdict: 'raised_to_floor', proposal: { status: 'success' } });
  });

  test('heeds a model that is more careful than the rules', async ({ openScene }) => {
    const { record, decision } = await runEvaluated(await openScene(modelScene(server.urlOf('doubts'))));
    expect(record.finalState).toBe('blocked needs_human needs_human\n');
    expect(decision.blockers.map(({ code }) => code)).toEqual(['odd']);
  });

  test.for([
    ['names an illegal step', 'strays', 'planner_next_step_illegal', '"deploy"'],
    ['answers prose', 'prose', 'planner_reply_invalid', 'Looks great, ship it!'],
    ['stalls', 'stalls', 'planner_unavailable', 'no answer within 1 s'],
    ['begins and falls silent', 'falls-silent', 'planner_unavailable', 'no answer within 1 s'],
    ['fails', 'fails', 'planner_unavailable', 'status 500'],
    ['refuses the key', 'refuses', 'planner_unavailable', 'SOME_PLACE'],
    ['is down', null, 'planner_unavailable', 'ECONNREFUSED'],
  ] as const)(
    'blocks and waits for a person when the model %s',
    async ([, scenario, code, message], { openScene }) => {
      const url = scenario === null ? closedUrl : server.urlOf(scenario);
      const scene = await openScene(
        modelScene(url, '42', `retries: 1, timeout: ${message.endsWith('1 s') ? 1 : 60}`),
      );
      const { code: exit, record, decision, trace, runId } = await runEvaluated(scene);
      expect(exit).toBe(3);
      expect(trace.verdict).toBe('refused');
      expect(decision.status).toBe('blocked');
      expect(decision.blockers.map((blocker) => blocker.code)).toEqual([code]);
      expect(decision.blockers[0]?.summary).toContain(message);
      expect(record.evidence('ask', 'gate_request')).toContain(code);
      expectNoKey(record);
      expect(await scene.conductor('resume', runId)).toMatchObject({ code: 3 });
    },
  );

  test('continues after the user has fixed the problem', async ({ openScene }) => {
    const scene = await openScene(modelScene(server.urlOf('prose')));
    const { runId } = await runEvaluated(scene);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    const base = `provider: anthropic, model: some-model, base_url: "${server.urlOf('flatters')}/v1"`;
    const CONDUCTOR_PLANNER = `{ kind: model, ${base}, api_key_env: SOME_PLACE }`;
    const env = { ...withKey.env, CONDUCTOR_PLANNER };
    expect(await scene.cli.run(['resume', runId], { env })).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('completed success success\n');
  });

  test('resumes after a kill while it waited for the model', async ({ openScene }) => {
    const scene = await openScene(modelScene(server.urlOf('wakes')));
    const driver = scene.cli.start(['run', './evaluated.yaml'], withKey);
    await until(() => server.requests.some(({ scenario }) => scenario === 'wakes'));
    driver.kill('SIGKILL');
    await driver.done;
    const [runId = ''] = scene.runIds();
    expect(await scene.cli.run(['resume', runId], withKey)).toMatchObject({ code: 0 });
    const record = scene.record(runId);
    expect(record.finalState).toBe('completed success success\n');
    expect(readEvaluation(record, 'judge@2').trace).toMatchObject({ verdict: 'taken', attempts: 1 });
    expect(record.metadata.usage).toEqual({ ...USAGE, cost_usd: null });
  });

  test('records no evaluation when the user interrupts it, and is asked again on resume', async ({
    openScene,
  }) => {
    const scene = await openScene(modelScene(server.urlOf('stalls~interrupted')));
    const driver = scene.cli.start(['run', './evaluated.yaml'], withKey);
    await until(() => server.requests.some(({ scenario }) => scenario === 'stalls~interrupted'));
    driver.kill('SIGINT');
    await driver.done;
    const [runId = ''] = scene.runIds();
    expect(scene.record(runId).eventsOf('decision_recorded')).toEqual([]);
    const CONDUCTOR_PLANNER = '{ kind: rules }';
    const env = { ...withKey.env, CONDUCTOR_PLANNER };
    expect(await scene.cli.run(['resume', runId], { env })).toMatchObject({ code: 0 });
  });

  test('is refused before it starts when the key is not there', async ({ openScene }) => {
    const scene = await openScene(modelScene(server.url));
    const { code, stderr } = await scene.conductor('run', './evaluated.yaml');
    expect({ code, runs: scene.runIds() }).toEqual({ code: 2, runs: [] });
    expect(stderr).toContain('SOME_PLACE is not set; it must contain the API key');
    const doctor = await scene.conductor('doctor');
    expect(doctor).toMatchObject({ code: 1 });
    expect(doctor.stdout).toMatch(/✗ planner +model:anthropic\/some-model: SOME_PLACE is not set/);
  });

  test.for([
    ['leaves out what the agent thought aloud', 'transcript: no', '{{ evidence | json }}', false],
    ['gets the transcript where its prompt asks for it', 'transcript', '{{ transcript }}', true],
    ['gets the patch once where its prompt asks for it too', 'diff', '{{ diff }}', false],
  ] as const)('%s', async ([, name, body, aloud], { openScene }) => {
    const options = modelScene(server.urlOf('flatters'));
    const text = options.files?.['evaluated.yaml'] ?? '';
    const asked = name === 'transcript: no' ? 'evidence' : name;
    const scene = await openScene({
      ...options,
      files: {
        'evaluated.yaml': text.replace('planner.evaluate_results.v1', 'planner.curious.v1'),
        '.tnh/prompts/planner.curious.v1.md': `---
prompt_id: planner.curious
version: 1
role: planner
summary: Asks for one thing.
owner: us
status: current
inputs:
  - { name: ${asked}, required: true }
output_contract: { schema_ref: planner_decision.v1 }
---

Question ${name}.

${body}
`,
      },
    });
    await runEvaluated(scene);
    const request = server.requests.findLast(({ body: sent }) =>
      JSON.stringify(sent).includes(`Question ${name}.`),
    );
    const sent = JSON.stringify(request?.body);
    expect(sent.includes('Thinking aloud.')).toBe(aloud);
    expect(sent.split('+42')).toHaveLength(2);
  });

  test('tokens of the planner count against the budget of the run', async ({ openScene }) => {
    const options = modelScene(server.urlOf('flatters'));
    const text = options.files?.['evaluated.yaml'] ?? '';
    const scene = await openScene({
      ...options,
      files: {
        'evaluated.yaml': text.replace(
          'entry_step:',
          'defaults: { limits: { token_budget: 300 } }\nentry_step:',
        ),
      },
    });
    const { record } = await runEvaluated(scene);
    expect(record.finalState).toBe('failed budget budget\n');
  });
});

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommandAgent } from '../../src/adapters/agents/command-agent.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import type { Agent, AgentRequest } from '../../src/ports/agent.ts';

const node = process.execPath;
let folder: string;
let runs = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor agent ')));
  await mkdir(join(folder, 'work tree'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function agentOf(...command: [string, ...string[]]): Agent {
  return createCommandAgent({
    command,
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: dirname(node),
    captureLimitBytes: 100_000,
    graceMs: 200,
  });
}

function request(change: Partial<AgentRequest> = {}): AgentRequest {
  runs += 1;
  return {
    runId: 'run-1',
    stepId: 'implement',
    attempt: 2,
    visit: 1,
    prompt: 'do the thing\n',
    checkoutPath: join(folder, 'work tree'),
    runDir: join(folder, 'run'),
    inputs: { fix_instructions: { objective: 'less' } },
    evidenceDir: join(folder, 'run', 'artifacts', 'implement@2'),
    confinement: null,
    env: { PATH: process.env.PATH ?? '', OWN: 'yes' },
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    mark: `agent-${process.pid}-${runs}`,
    signal: new AbortController().signal,
    onStop: () => Promise.resolve(),
    onLine: () => undefined,
    ...change,
  };
}

const script = (text: string): Agent => agentOf(node, '-e', `const fs = require('node:fs'); ${text}`);

describe('what a command agent gets', () => {
  it('is the checkout as its folder, the prompt on stdin, the environment and its six variables', async () => {
    const agent = script(`
      const inputs = JSON.parse(fs.readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
      const before = fs.existsSync(process.env.CONDUCTOR_RESULT);
      const { PATH, CONDUCTOR_MARK, CONDUCTOR_INPUTS, CONDUCTOR_RESULT, ...env } = process.env;
      console.log(JSON.stringify({ cwd: process.cwd(), prompt: fs.readFileSync(0, 'utf8'), inputs, before, env }));
    `);
    const asked = request();
    const result = await agent.run(asked);
    expect(JSON.parse(result.finalResponse)).toEqual({
      cwd: asked.checkoutPath,
      prompt: 'do the thing\n',
      inputs: { fix_instructions: { objective: 'less' } },
      before: false,
      env: {
        OWN: 'yes',
        CONDUCTOR_RUN_ID: 'run-1',
        CONDUCTOR_STEP_ID: 'implement',
        CONDUCTOR_ATTEMPT: '2',
        CONDUCTOR_RUN_DIR: asked.runDir,
      },
    });
    expect(result).toMatchObject({ termination: 'completed', exitCode: 0, reason: null, notes: [] });
  });

  it('is a result path without files of an earlier attempt', async () => {
    const asked = request();
    await mkdir(join(asked.evidenceDir, 'answer'), { recursive: true });
    await writeFile(join(asked.evidenceDir, 'answer', 'result.json'), '{"final":"stale"}');
    const result = await script('console.log("fresh")').run(asked);
    expect(result).toMatchObject({ finalResponse: 'fresh', result: null });
  });
});

describe('how a command agent ends', () => {
  it.each([
    ['console.log("a\\nlast word\\n\\n")', 'completed', 0, 'last word', null],
    ['', 'completed', 0, '', null],
    ['console.error("boom"); process.exitCode = 3', 'error', 3, '', 'the agent exited with code 3: boom'],
    ['process.kill(process.pid, "SIGKILL")', 'error', null, '', 'the agent was killed by SIGKILL'],
  ])('%j is %s', async (text, termination, exitCode, finalResponse, reason) => {
    const result = await script(text).run(request());
    expect(result).toMatchObject({ termination, exitCode, finalResponse, reason });
  });

  it('past its wall clock or in silence is killed, and says which', async () => {
    const busy = await script('setInterval(() => console.log("x"), 50)').run(request({ timeoutMs: 600 }));
    expect(busy).toMatchObject({ termination: 'killed_timeout', exitCode: null });
    expect(busy.reason).toBe('the agent timed out after 0.6 s');
    const silent = await script('setInterval(() => {}, 1000)').run(request({ idleTimeoutMs: 400 }));
    expect(silent).toMatchObject({
      termination: 'killed_idle',
      reason: 'the agent printed nothing for 0.4 s',
    });
  });

  it('on a cancel is cancelled', async () => {
    const abort = new AbortController();
    const asked = request({ signal: abort.signal, onLine: () => abort.abort() });
    const result = await script('console.log("up"); setInterval(() => {}, 1000)').run(asked);
    expect(result.termination).toBe('cancelled');
  });

  it('keeps stdout as the transcript and stderr beside it', async () => {
    const result = await script('console.log("said"); console.error("noise")').run(request());
    expect(await readFile(result.transcriptPath, 'utf8')).toBe('said\n');
    expect(await readFile(result.stderrPath ?? '', 'utf8')).toBe('noise\n');
  });

  it('notes a process that outlived it and output that was cut', async () => {
    const text = `
      require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      process.stdout.write('z'.repeat(100_005), () => process.exit(0));`;
    const { notes } = await script(text).run(request());
    expect(notes).toEqual([
      'processes that outlived the agent and were killed: 1',
      'bytes cut from the transcript: 5',
    ]);
  });
});

describe('the result file', () => {
  const write = (json: string): string =>
    `fs.writeFileSync(process.env.CONDUCTOR_RESULT, ${JSON.stringify(json)});`;

  it('gives the final message, claims, blockers and usage', async () => {
    const given = {
      final: 'all done',
      claims: ['implemented', 'created a.txt'],
      blockers: [{ code: 'spec-gap', summary: 'which?' }],
      usage: { input_tokens: 3, output_tokens: 4, cost_usd: 0.5 },
    };
    const result = await script(`${write(JSON.stringify(given))} console.log("stdout")`).run(request());
    expect(result).toMatchObject({ finalResponse: 'all done', result: given, notes: [] });
  });

  it('leaves the last line as the final message when it has none, also after a failure', async () => {
    const text = `${write('{"usage":{"input_tokens":9}}')} console.log("line"); process.exitCode = 1`;
    const result = await script(text).run(request());
    expect(result).toMatchObject({
      termination: 'error',
      finalResponse: 'line',
      result: { usage: { input_tokens: 9 } },
    });
  });

  it.each([
    ['{"final":"f","usage":{"input_tokens":9,"output_tokens":null,"cost_usd":null}}', { input_tokens: 9 }],
    ['{"final":"f","usage":null}', undefined],
  ])('may say with null that a use is not known: %s', async (json, usage) => {
    const result = await script(write(json)).run(request());
    expect(result.notes).toEqual([]);
    expect(result.result).toEqual({ final: 'f', ...(usage === undefined ? {} : { usage }) });
  });

  it.each([
    ['not JSON', write('{oops'), /ignored: it is not JSON$/],
    ['of the wrong form', write('{"claims":"implemented"}'), /ignored: claims: /],
    ['not an object', write('[]'), /ignored: /],
    [
      'larger than 1 MiB',
      `fs.writeFileSync(process.env.CONDUCTOR_RESULT, '"' + 'x'.repeat(1024 * 1024) + '"');`,
      /ignored: it is larger than 1 MiB$/,
    ],
    [
      'a link',
      `fs.writeFileSync('t.json', '{"final":"linked"}'); fs.symlinkSync(process.cwd() + '/t.json', process.env.CONDUCTOR_RESULT);`,
      /ignored: it is a link$/,
    ],
    ['a folder', 'fs.mkdirSync(process.env.CONDUCTOR_RESULT);', /ignored: it is not a file$/],
    [
      'a pipe nobody writes to',
      `require('node:child_process').execFileSync('mkfifo', [process.env.CONDUCTOR_RESULT]);`,
      /ignored: it is not a file$/,
    ],
    [
      'in a folder that was replaced by a link',
      `const d = require('node:path').dirname(process.env.CONDUCTOR_RESULT); fs.mkdirSync('mine'); fs.writeFileSync('mine/result.json', '{"final":"planted"}'); fs.renameSync(d, d + '-moved'); fs.symlinkSync(process.cwd() + '/mine', d);`,
      /ignored: its folder was replaced$/,
    ],
  ])('that is %s is ignored with a note, and the run is not worse for it', async (_, text, note) => {
    const result = await script(`${text} console.log("said")`).run(request());
    expect(result).toMatchObject({ termination: 'completed', finalResponse: 'said', result: null });
    expect(result.notes).toEqual([expect.stringMatching(note)]);
  });
});

describe('the program', () => {
  it('with a slash is found in the checkout when it runs', async () => {
    const asked = request();
    const tool = join(asked.checkoutPath, 'tools', 'fix it.sh');
    await mkdir(dirname(tool));
    await writeFile(tool, '#!/bin/sh\ntouch fixed\necho "$0"\n', { mode: 0o755 });
    const result = await agentOf('tools/fix it.sh').run(asked);
    expect(result.finalResponse).toBe(tool);
    expect(existsSync(join(asked.checkoutPath, 'fixed'))).toBe(true);
  });

  it('that is not there when it runs is an error that names it', async () => {
    const asked = request();
    const result = await agentOf('tools/none.sh').run(asked);
    expect(result).toMatchObject({ termination: 'error', exitCode: null });
    expect(result.reason).toBe(`no such program: ${join(asked.checkoutPath, 'tools/none.sh')}`);
  });

  it.each([
    ['no-such-agent', 'command not found: no-such-agent'],
    ['/no/such/agent', 'command not found: /no/such/agent'],
    ['tools/there.sh', null],
    ['tools/none.sh', 'tools/none.sh is not in the commit that the run starts from'],
    ['node', null],
  ])('%s is missed before a run as %j', async (program, message) => {
    expect(
      await agentOf(program).explainUnavailable(
        (path) => Promise.resolve(path === 'tools/there.sh'),
        'implement',
      ),
    ).toBe(message);
  });
});

// Files that nobody writes and somebody sends: each of them is refused, or checked, in bounded time and memory.
import { createWorkflow, STEPS_PER_STAGE } from './workflow-file.mjs';

const MEBIBYTE = 1024 * 1024;
const MAX_FILE = 16 * MEBIBYTE;

const HEAD = `workflow_id: hostile
version: 1
description: Made to be hard to check.
entry_step: work
`;

const ROUTES =
  '{ completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }';

/** Lines made from their number. */
function many(count, line) {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

function agentSteps(count, fields) {
  return many(
    count,
    (index) => `  - id: work_${index}
    opcode: RUN_AGENT
    agent: claude-code
    prompt: task.implement.v1
${fields(index)}`,
  );
}

/** Every agent has the same thousands of gates before its end. */
function sharedTail(count) {
  const target = (index) => (index + 1 < count ? `gate_${index + 1}` : 'STOP');
  const gates = many(
    count,
    (index) => `  - id: gate_${index}
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: ${target(index)}, gate_rejected: STOP }`,
  );
  const routes = (index) =>
    `    routes: { completed: gate_0, error: work_${index + 1}, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }`;
  const check = `  - id: work_${count}
    opcode: RUN_VALIDATION
    run: [tests]
    routes: ${ROUTES}`;
  return `${HEAD.replace('entry_step: work', 'entry_step: work_0')}steps:\n${agentSteps(count, routes)}\n${gates}\n${check}\n`;
}

function validation(fields) {
  return `${HEAD}steps:
  - id: work
    opcode: RUN_VALIDATION
    routes: ${ROUTES}
${fields}
`;
}

function agent(fields) {
  return `${HEAD}steps:
  - id: work
    opcode: RUN_AGENT
    routes: ${ROUTES}
${fields}
`;
}

/** What each one is, and its text. Made when it is asked for: together they have hundreds of megabytes. */
export const HOSTILE_FILES = {
  'duplicate keys': () => `${HEAD}${'steps: 1\n'.repeat(100_000)}`,
  'unknown keys': () => `${HEAD}${many(100_000, (index) => `key_${index}: 1`)}\n`,
  'misspelt keys': () => `${HEAD}${many(100_000, (index) => `step_${index % 1000}s${index}: 1`)}\n`,
  'route keys': () =>
    `${HEAD}steps:\n- id: work\n  opcode: GATE\n  routes:\n${many(1_000_000, (index) => `   r${index}: a`)}\n`,
  'a byte too much': () => ' '.repeat(MAX_FILE + 1),
  'empty steps': () => `${HEAD}steps:\n${many(100_000, () => '  - {}')}\n`,
  'numbers for steps': () => `${HEAD}steps:\n${many(100_000, (index) => `  - ${index}`)}\n`,
  'steps without routes': () => `${HEAD}steps:\n${agentSteps(20_000, () => '')}\n`,
  'routes to nowhere': () =>
    `${HEAD}steps:\n${agentSteps(10_000, (index) => `    routes: { completed: nowhere_${index}, error: no_${index} }`)}\n`,
  'one id for all': () =>
    `${HEAD}steps:\n${agentSteps(10_000, () => `    routes: ${ROUTES}`).replace(/work_\d+/g, 'work')}\n`,
  'one tail for all': () => sharedTail(5000),
  'unknown inputs': () =>
    agent(
      `    agent: codex\n    prompt: task.implement.v1\n    inputs:\n${many(200_000, (index) => `      - diff_sum${index}`)}`,
    ),
  'unknown inputs of inline text': () =>
    `${HEAD}steps:\n${many(
      1000,
      (index) =>
        `  - { id: work_${index}, opcode: RUN_AGENT, agent: codex, prompt: Look., inputs: [${many(500, (input) => `diff_sumary${index}_${input}, `).replaceAll('\n', '')}], routes: ${ROUTES} }`,
    )}\n`,
  'unknown validators': () =>
    validation(`    run:\n${many(100_000, (index) => `      - typechecks${index}`)}`),
  'unknown next steps': () =>
    `${HEAD}steps:\n  - id: work\n    opcode: EVALUATE\n    allowed_next_steps:\n${many(200_000, (index) => `      - step_${index}`)}\n`,
  substitutions: () =>
    validation(
      `    run:\n      - id: tests\n        kind: script\n        entrypoint: ./run\n        args:\n          - ${many(300_000, (index) => `\${n${index}}`).replaceAll('\n', '')}`,
    ),
  'long text': () => `${HEAD.replace('Made', 'a'.repeat(10 * MEBIBYTE))}steps: []\n`,
  'long line': () => `${HEAD}steps: [${'a'.repeat(10 * MEBIBYTE)}: }\n`,
  'long name': () => agent(`    agent: ${'a'.repeat(10 * MEBIBYTE)}\n    prompt: ${'b'.repeat(MEBIBYTE)}`),
  'long name, many times': () =>
    `${HEAD}x-name: &name ${'a.'.repeat(5 * MEBIBYTE)}\nsteps:\n${many(
      5000,
      (index) =>
        `  - { id: work_${index}, opcode: RUN_AGENT, agent: *name, prompt: task.fix.v1, routes: {} }`,
    )}\n`,
  aliases: () =>
    `${HEAD}x-0: &a0 [a, b, c, d, e, f, g, h, i, j]\n${many(8, (index) => `x-${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(10)}]`)}\nsteps: *a8\n`,
  'an alias for each step': () =>
    `${HEAD}x-step: &step { id: work, opcode: RUN_AGENT }\nsteps:\n${many(200_000, () => '  - *step')}\n`,
  'deep brackets': () => `${HEAD}steps: ${'['.repeat(1_000_000)}`,
  'deep dashes': () => `${HEAD}steps:\n  ${'- '.repeat(1_000_000)}a\n`,
  'deep mappings': () => many(3000, (index) => `${' '.repeat(index)}a:`),
  'deep lines': () => many(3000, (index) => `${' '.repeat(index)}-`),
  'open quotes': () => `${HEAD}steps: ${'"a\n'.repeat(1_000_000)}`,
  commas: () => `${HEAD}steps: [${','.repeat(1_000_000)}]\n`,
  colons: () => `${HEAD}steps: ${': '.repeat(1_000_000)}\n`,
  'question marks': () => `${HEAD}${'? a\n'.repeat(500_000)}`,
  comments: () => `${HEAD}${'# nothing\n'.repeat(1_000_000)}steps: [}\n`,
  'blank lines': () => `${HEAD}${'\n'.repeat(8_000_000)}steps: [}\n`,
  spaces: () => `${HEAD}steps: ${' '.repeat(8_000_000)}}\n`,
  tabs: () => `${HEAD}steps:\n${'\t'.repeat(8_000_000)}a\n`,
  documents: () => `${HEAD}${'---\n'.repeat(1_000_000)}`,
  'a byte order mark': () => `\ufeff${createWorkflow(1000 / STEPS_PER_STAGE)}`,
  'carriage returns': () => createWorkflow(2000 / STEPS_PER_STAGE).replaceAll('\n', '\r'),
  'carriage returns and line feeds': () => createWorkflow(2000 / STEPS_PER_STAGE).replaceAll('\n', '\r\n'),
  'NUL characters': () => '\0'.repeat(10 * MEBIBYTE),
  'broken text': () => Buffer.alloc(10 * MEBIBYTE, 0xff),
  'replacement characters': () =>
    Buffer.concat([Buffer.from('\ufffd'.repeat(2_000_000)), Buffer.from([0xff])]),
};

/** Valid files whose time grows with their size. */
export const LARGE_FILES = { '4500 steps': () => createWorkflow(4500 / STEPS_PER_STAGE) };

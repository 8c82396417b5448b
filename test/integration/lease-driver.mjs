// A process that drives one run with a short lease, and says on its standard output, one JSON document a line, what
// came of it. `hold` only takes the lock and keeps it; `run` and `resume` drive the run as the command does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [mode, root, subject, leaseMs] = process.argv.slice(2);
const src = join(import.meta.dirname, '../../dist/src');
const { createEmbeddedEngine } = await import(join(src, 'adapters/run-store/embedded-engine.js'));
const { systemClock } = await import(join(src, 'adapters/system/clock.js'));
const { describeDriver } = await import(join(src, 'contracts/run/run-lease.js'));

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const lease = { leaseMs: Number(leaseMs), renewMs: Number(leaseMs) / 4 };
const store = createEmbeddedEngine({
  repoRoot: root,
  runsDir: join(root, '.tnh/run'),
  clock: systemClock,
  lease,
});

const modes = {
  hold: async () => {
    const driven = await store.drive(subject);
    if (!driven.ok) return say({ refused: describeDriver(driven.problem.driver) });
    say({ driven: true, pid: process.pid });
    setInterval(() => {}, 60_000);
  },
  run: async () => {
    const { startRun } = await import(join(src, 'runtime/drive/start-run.js'));
    const { checkWorkflow } = await import(join(src, 'workflow/check-workflow.js'));
    const { project, common } = await open();
    const workflowText = readFileSync(subject);
    const checked = checkWorkflow({ name: 'workflow.yaml', bytes: workflowText }, project.context);
    const { plan } = checked;
    if (plan === null) throw new Error(JSON.stringify(checked.diagnostics));
    const { timeoutMs, idleTimeoutMs, maxVisits } = project.context.defaults;
    const started = await startRun({
      ...common,
      plan,
      ids: project.ids,
      workflowText,
      baseRef: 'HEAD',
      inputs: {},
      defaults: { timeout_ms: timeoutMs, idle_timeout_ms: idleTimeoutMs, max_visits: maxVisits },
      onCreated: (runId) => say({ runId }),
    });
    say(started.ok ? { end: started.end.kind } : started);
  },
  resume: async () => {
    const { resumeRun } = await import(join(src, 'runtime/drive/resume-run.js'));
    const { common } = await open();
    const resumed = await resumeRun({ ...common, runId: subject, onPlan: () => say({ driven: true }) });
    say(resumed.ok ? { end: resumed.end.kind } : resumed);
  },
};

async function open() {
  const { createServices } = await import(join(src, 'wiring.js'));
  const opened = await createServices('0.0.0').openProject(root);
  if (!opened.ok) throw new Error(opened.obstacle.message);
  const project = opened.value;
  const observer = { onEvents: () => {}, onLine: () => {} };
  const deps = { ...project.deps, store };
  const common = { deps, wait: false, signal: new AbortController().signal, observer, onGate: null };
  return { project, common };
}

try {
  await modes[mode]();
} catch (error) {
  say({ failed: error.message });
}

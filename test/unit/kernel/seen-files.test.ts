import { describe, expect, it } from 'vitest';
import { agent, gate, planOf, rollback, validation } from '../../../testing/plans.ts';
import {
  approved,
  changed,
  crash,
  finalState,
  give,
  goOn,
  inOrder,
  passed,
  resume,
  start,
  step,
} from './scripted-run.ts';

const plan = planOf([
  agent('work', { routes: { completed: 'check' } }),
  validation('check', { routes: { completed: 'approve' } }),
  gate('approve'),
]);
const script = inOrder([changed, passed, approved]);

describe('files that are not as the last step left them', () => {
  const atGate = step(step(start(plan), script), script);

  it('count as changed when a gate shows them', () => {
    const opened = give(atGate, { kind: 'gate_opened', reason: 'r', tree: 'edited', requestSha256: 's' });
    expect(finalState(goOn(opened, script))).toBe('completed unverified gate_approved');
  });

  it('count as changed when the run ends with them', () => {
    const ending = step(step(atGate, script), script);
    expect(ending.effect).toMatchObject({ kind: 'finish' });
    expect(finalState(give(ending, { kind: 'finished', tree: 'edited', headSha: 'h' }))).toBe(
      'completed unverified gate_approved',
    );
  });

  it('are not reported when they are the same', () => {
    expect(finalState(goOn(atGate, script))).toBe('completed success gate_approved');
  });
});

describe('a rollback that was interrupted too often', () => {
  it('leaves unchecked files, so an approval does not make them a success', () => {
    const given = planOf([
      rollback('undo', { routes: { completed: 'approve', error: 'approve' } }),
      gate('approve'),
    ]);
    let run = start(given);
    for (let time = 0; time < 4; time += 1) run = resume(crash(run));
    expect(finalState(goOn(run, inOrder([passed, approved])))).toBe('completed unverified gate_approved');
  });
});

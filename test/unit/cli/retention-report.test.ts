import { describe, expect, it } from 'vitest';
import type { Handled } from '../../../src/app/runs/clean-runs.ts';
import type { CommandContext } from '../../../src/surfaces/cli/command-context.ts';
import { reportCleanup } from '../../../src/surfaces/cli/output/retention-report.ts';
import { listeningTerminal } from './listening-terminal.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
const short = (id: string) => id.slice(0, 8);

function report(fields: Partial<Handled>) {
  const { terminal, written } = listeningTerminal();
  const context: CommandContext = {
    terminal,
    services: () => Promise.reject(new Error('not asked for')),
    json: false,
    startDir: '/',
    version: '0.0.0',
    repo: null,
    keepRunning: () => {},
    endWithReader: () => {},
    leaveTerminal: null,
  };
  const handled: Handled = {
    runId: '0199ab00-1111-7000-8000-000000000000',
    run: null,
    path: '/repo/.tnh/worktrees/x',
    bytes: 5,
    action: 'removed',
    reason: 'it has ended',
    salvageRefs: [],
    notes: [],
    ...fields,
  };
  const retention = { keepRuns: 0, keepDays: 0 };
  const cleanup = { of: 'workspaces', retention, dryRun: false, handled: [handled] } as const;
  const code = reportCleanup(context, cleanup, NOW, short);
  return { code, ...written };
}

describe('the report of removed workspaces and runs', () => {
  it('names what could not be kept', () => {
    const { err } = report({ notes: ['too large to keep: node_modules/'] });
    expect(err).toContain('note on 0199ab00: too large to keep: node_modules/\n');
  });

  it('names one that stays because its run has no record, and does not fail', () => {
    const { code, out, err } = report({ action: 'kept', reason: 'there is no record', notes: ['by hand'] });
    expect(out).toMatch(/^kept {2}0199ab00 .* there is no record\n$/);
    expect(err).toBe('note on 0199ab00: by hand\nremoved 0 of 1 workspaces, 0 B\n');
    expect(code).toBe(0);
  });

  it('has exit code 1 when something stays that was due', () => {
    expect(report({ action: 'failed', reason: 'it is locked' })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^not removed .* it is locked\n$/),
    });
  });
});

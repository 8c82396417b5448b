import { describe, expect, it } from 'vitest';
import { findEarlierRun } from '../../../src/runtime/record/earlier-run.ts';
import { openRecord, RECORDED_RUNS } from '../../replay/recorded-runs.ts';

describe('a recorded run', () => {
  it.each(RECORDED_RUNS.map((run) => [run.name, run] as const))(
    '%s is of an earlier version if its log has version 1',
    async (name, run) => {
      const { view } = await openRecord(run);
      const found = findEarlierRun(view);
      expect(found !== null).toBe(name.startsWith('v1/'));
      if (found === null) return;
      const { branch_name: branch, worktree_path: path } = view.started;
      expect(found.message).toContain(run.runId);
      expect(found.help).toContain(branch);
      expect(found.help).toContain(path);
      expect(found.help).toContain('conductor clean');
      expect(findEarlierRun({ ...view, end: null })?.help).toContain(`git -C ${path} commit`);
    },
  );
});

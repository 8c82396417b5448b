import { describe, expect, it } from 'vitest';
import { withRepo } from '../../../src/surfaces/cli/output/command-text.ts';

describe('commands to copy', () => {
  it.each([
    ['conductor resume 0199ab12-cdef', 'conductor resume 0199ab12-cdef --repo ../x'],
    ['conductor approve 0199ab12 --resume', 'conductor approve 0199ab12 --repo ../x --resume'],
    ['conductor runs lists the runs', 'conductor runs --repo ../x lists the runs'],
    ['conductor run WORKFLOW', 'conductor run --repo ../x WORKFLOW'],
    [
      'conductor show 0199ab12 · conductor reject 0199ab12',
      'conductor show 0199ab12 --repo ../x · conductor reject 0199ab12 --repo ../x',
    ],
    ['run conductor in the checkout', 'run conductor in the checkout'],
    ['git merge conductor/run/gate/0199ab12', 'git merge conductor/run/gate/0199ab12'],
  ])('keep the repository that was named: %s', (text, expected) => {
    expect(withRepo(text, '../x')).toBe(expected);
    expect(withRepo(text, null)).toBe(text);
  });

  it('quote a folder that a shell would take apart', () => {
    expect(withRepo('conductor gates', "a b's")).toBe("conductor gates --repo 'a b'\\''s'");
  });
});

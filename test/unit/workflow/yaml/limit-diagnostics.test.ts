import { describe, expect, it } from 'vitest';
import type { DocumentCode } from '../../../../src/diagnostics/codes.ts';
import {
  createDiagnostic,
  limitDiagnostics,
  MAX_DIAGNOSTICS,
} from '../../../../src/diagnostics/diagnostic.ts';

function diagnostics(code: DocumentCode, count: number) {
  return Array.from({ length: count }, (_, index) =>
    createDiagnostic(code, {
      message: `${code} ${index}`,
      span: { line: index + 1, column: 1, endLine: index + 1, endColumn: 2 },
    }),
  );
}

describe('limitDiagnostics', () => {
  it('leaves as many as may be shown exactly as they are', () => {
    const all = diagnostics('WF007', MAX_DIAGNOSTICS);
    expect(limitDiagnostics(all)).toBe(all);
  });

  it('never leaves an error out for a warning', () => {
    const warnings = diagnostics('CF105', MAX_DIAGNOSTICS);
    const [error] = diagnostics('WF007', 1);
    expect(warnings[0]?.severity).toBe('warning');
    const shown = limitDiagnostics(error === undefined ? warnings : [...warnings, error]);
    expect(shown).toHaveLength(MAX_DIAGNOSTICS);
    expect(shown.at(-1)).toMatchObject({ code: 'WF007', notes: [expect.stringMatching(/more problems/)] });
  });
});

import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** Authors fix some problems and check again long before they read this many. */
export const MAX_DIAGNOSTICS = 200;

/** Keeps the first diagnostics in order, preferring errors; a note on the last one says that there are more. */
export function limitDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= MAX_DIAGNOSTICS) return diagnostics;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const room = { error: MAX_DIAGNOSTICS, warning: Math.max(0, MAX_DIAGNOSTICS - errors) };
  const shown = diagnostics.filter(({ severity }) => {
    room[severity] -= 1;
    return room[severity] >= 0;
  });
  return shown.map((diagnostic, index) =>
    index === shown.length - 1 ? { ...diagnostic, notes: [...diagnostic.notes, MORE] } : diagnostic,
  );
}

const MORE = `there are more problems; only ${MAX_DIAGNOSTICS} are shown`;

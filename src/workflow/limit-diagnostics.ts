import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** Whoever has this many problems solves some of them before reading on. */
export const MAX_DIAGNOSTICS = 200;

/** The first ones in their order, errors before all warnings; the last one says that there are more. */
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

const MORE = `there are more problems than the ${MAX_DIAGNOSTICS} that are shown`;

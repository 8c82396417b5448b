import type { ValidatorPlace } from '../../ports/validator.ts';

export type Filled = { readonly ok: true; readonly text: string } | Refused;
export interface Refused {
  readonly ok: false;
  readonly reason: string;
  /** The exit code that a shell would return if there is nothing to start. */
  readonly startCode?: 126 | 127;
}

/** The values of `${name}`; a missing name may not be used in the field. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/** The run directory as authors write it, at the start of a path; it may be configured to be elsewhere. */
const RUN_DIRECTORY_ALIAS = /(?<![\w./}-])(?:\.\/)*\.tnh\/run\/\$\{run_id\}(?![\w.-])/g;

export function fillPlaceholders(template: string, values: PlaceholderValues): Filled {
  let text = '';
  let rest = template.replace(RUN_DIRECTORY_ALIAS, '${run_dir}');
  for (let open = rest.indexOf('${'); open >= 0; open = rest.indexOf('${')) {
    const close = rest.indexOf('}', open);
    if (close < 0) return { ok: false, reason: `unclosed \`\${\` in \`${template}\`` };
    const name = rest.slice(open + 2, close);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      return { ok: false, reason: `\`\${${name}}\` cannot be used in \`${template}\`` };
    text += rest.slice(0, open) + value;
    rest = rest.slice(close + 1);
  }
  return { ok: true, text: text + rest };
}

/** For entrypoint, cwd and artifacts, which must stay inside the checkout or the run directory. */
export function pathValues(place: ValidatorPlace): PlaceholderValues {
  return { run_id: place.runId, run_dir: place.runDir, worktree: place.checkoutPath };
}

export function argumentValues(place: ValidatorPlace): PlaceholderValues {
  return { ...pathValues(place), repo: place.repoRoot };
}

export function hasParentSegments(path: string): boolean {
  return path.split('/').includes('..');
}

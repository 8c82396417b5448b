import { errorCode } from '../../../diagnostics/codes.ts';
import { findGlobProblem } from '../../../text/glob.ts';
import { asText } from '../../../text/json.ts';
import { defineRule, type Place, type RuleContext, valuePlace } from '../../rule.ts';
import { objectValidators, validatorTexts } from '../../script-validators.ts';

/** Both also match paths that only appear once the braces of a glob are expanded. */
const ABSOLUTE = /^[{(!]*(?:[/\\]|[A-Za-z]:[/\\]|~[/\\]|~$)|[{,(|][/\\]/;
const UPWARD = /(?:^|[/\\{,(|!])\.\.(?:$|[/\\},)|])/;

export const pathBoundsRule = defineRule({
  codes: { WF308: errorCode('a path leaves the checkout and the run directory') },
  step: (step, context) => {
    for (const validator of objectValidators(step)) {
      for (const item of validatorTexts(validator)) {
        if (item.field === 'args') continue;
        const path = item.field === 'report' ? reportPath(item.text) : item.text;
        checkPath(item.field, path, valuePlace(item.path), context);
      }
    }
  },
  workflow: (context) => {
    const folder = asText(context.view.defaults.artifacts_dir);
    if (folder !== null)
      checkPath('artifacts_dir', folder, valuePlace(['defaults', 'artifacts_dir']), context);
  },
});

function checkPath(field: string, path: string, at: Place, { report }: RuleContext<'WF308'>): void {
  const problem = pathProblem(field, path);
  if (problem !== null) report('WF308', { ...problem, at });
}

/** The path of a `report`, without its format prefix. */
export function reportPath(text: string): string {
  return text.replace(/^[a-z-]+:/, '');
}

/** The problem of a path that must stay inside its folder, or null. */
export function pathProblem(
  field: string,
  path: string,
  inside = field === 'artifacts_dir' ? 'the repository' : 'the checkout or the run directory',
): { readonly message: string; readonly help: string } | null {
  if (ABSOLUTE.test(path)) {
    const message = `\`${field}\` is the absolute path \`${path}\`, but it must stay inside ${inside}`;
    return { message, help: 'write a relative path' };
  }
  const slow = findGlobProblem(path);
  if (slow !== null)
    return {
      message: `\`${field}\` has a glob that would take too long to match: ${slow}`,
      help: 'write several simpler globs',
    };
  if (!UPWARD.test(path)) return null;
  const message = `\`${field}\` leaves its folder through \`..\` in \`${path}\`, but it must stay inside ${inside}`;
  return { message, help: 'write a path without `..`' };
}

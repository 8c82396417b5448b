import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { defineRule, type RuleContext, suggest } from '../../rule.ts';
import { objectValidators, type ValidatorText, validatorTexts } from '../../script-validators.ts';

const NAMES = ['run_id', 'run_dir', 'worktree', 'repo'] as const;

/** A `${…}` in a text; `name` is null if it is not closed. */
export interface Substitution {
  readonly name: string | null;
  readonly text: string;
  readonly index: number;
}

export function findSubstitutions(text: string): Substitution[] {
  const found: Substitution[] = [];
  for (let at = text.indexOf('${'); at >= 0; ) {
    const end = text.indexOf('}', at);
    if (end < 0) {
      found.push({ name: null, text: text.slice(at), index: at });
      break;
    }
    found.push({ name: text.slice(at + 2, end), text: text.slice(at, end + 1), index: at });
    at = text.indexOf('${', end);
  }
  return found;
}

export const substitutionsRule = defineRule({
  codes: {
    WF305: errorCode('a substitution is unknown'),
    WF306: errorCode('a substitution is not closed'),
    WF307: errorCode('a substitution is in the wrong place'),
  },
  step: (step, context) => {
    for (const validator of objectValidators(step)) {
      for (const item of validatorTexts(validator)) {
        // `report` has no substitutions.
        if (item.field === 'report') continue;
        for (const substitution of findSubstitutions(item.text)) check(item, substitution, context);
      }
    }
  },
});

function check(
  item: ValidatorText,
  substitution: Substitution,
  { report }: RuleContext<'WF305' | 'WF306' | 'WF307'>,
): void {
  const at = { path: item.path, part: 'value', text: substitution.text } as const;
  const { name } = substitution;
  if (name === null) {
    report('WF306', {
      message: `the substitution in \`${item.field}\` is not closed`,
      at,
      help: 'add the `}`',
    });
  } else if (!NAMES.some((known) => known === name)) {
    report('WF305', {
      message: `\`${substitution.text}\` is not a known substitution`,
      at,
      help: () => helpWithName(name),
    });
  } else if (name === 'repo' && item.field !== 'args') {
    report('WF307', {
      message: `\`\${repo}\` is allowed in \`args\` only, not in \`${item.field}\``,
      at,
      help: 'use `${worktree}`: steps work on the copy of the repository that belongs to the run',
    });
  } else if (name !== 'run_id' && item.field !== 'args' && !isWholeSegmentAtStart(item.text, substitution)) {
    report('WF307', {
      message: `\`${substitution.text}\` is a folder, so it must be at the start of the path`,
      at,
      help: `start with \`${substitution.text}/\``,
    });
  }
}

function helpWithName(name: string): string | null {
  const near = didYouMean(name, NAMES);
  if (near !== null) return suggest(`\${${near}}`);
  return `use one of ${NAMES.map((known) => `\`\${${known}}\``).join(', ')}`;
}

function isWholeSegmentAtStart(text: string, substitution: Substitution): boolean {
  const after = text[substitution.index + substitution.text.length];
  return substitution.index === 0 && (after === undefined || after === '/');
}

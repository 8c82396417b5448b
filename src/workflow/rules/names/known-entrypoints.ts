import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { type Rule, type RuleContext, suggest, valuePlace } from '../../rule.ts';
import { objectValidators } from '../../script-validators.ts';
import { asText } from '../../workflow-view.ts';

/** A bare command must be listed in `entrypoints`; an entrypoint with a slash is a path. */
export const knownEntrypointsRule: Rule = {
  step: (step, context) => {
    const { names, report } = context;
    if (names === null) return;
    for (const { fields, path } of objectValidators(step)) {
      const entrypoint = fields.kind === 'script' ? asText(fields.entrypoint) : null;
      if (entrypoint === null || entrypoint.trim() === '' || isAllowed(entrypoint, context)) continue;
      const [command = ''] = entrypoint.trim().split(/\s/);
      const line = command !== entrypoint;
      report('WF507', {
        message: line
          ? `\`${entrypoint}\` is a command line, but no shell is involved in running an entrypoint`
          : `the command \`${entrypoint}\` is not in \`entrypoints\` of the configuration`,
        at: valuePlace(path, 'entrypoint'),
        help: () =>
          line
            ? `write \`${command}\` here and the rest in \`args\``
            : (suggest(didYouMean(entrypoint, names.entrypoints)) ??
              `add it to \`entrypoints\`, or write \`./${entrypoint}\` for a file of the repository`),
      });
    }
  },
};

function isAllowed(entrypoint: string, { names }: RuleContext): boolean {
  const [command = ''] = entrypoint.trim().split(/\s/);
  const commandLine = command !== entrypoint && names?.entrypoints.has(command) === true;
  if (commandLine) return false;
  return /[/\\]|\$\{/.test(entrypoint) || names?.entrypoints.has(entrypoint) === true;
}

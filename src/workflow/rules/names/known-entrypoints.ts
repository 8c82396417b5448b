import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asText } from '../../../text/json.ts';
import { defineRule, type RuleContext, suggest, valuePlace } from '../../rule.ts';
import { objectValidators } from '../../script-validators.ts';

/** A bare command must be listed in `entrypoints`; an entrypoint with a slash is a path. */
export const knownEntrypointsRule = defineRule({
  codes: { WF507: errorCode('a bare command is not allowed as an entrypoint') },
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
          ? `\`${entrypoint}\` is a command line, but entrypoints run without a shell`
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
});

function isAllowed(entrypoint: string, { names }: RuleContext): boolean {
  const [command = ''] = entrypoint.trim().split(/\s/);
  const commandLine = command !== entrypoint && names?.entrypoints.has(command) === true;
  if (commandLine) return false;
  return /[/\\]|\$\{/.test(entrypoint) || names?.entrypoints.has(entrypoint) === true;
}

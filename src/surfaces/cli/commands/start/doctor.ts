import { shortenPaths } from '../../../../text/shorten.ts';
import { wrapLine } from '../../../../text/wrap-line.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { textWidth } from '../../output/terminal.ts';

const NAME_WIDTH = 22;
/** Details and help stand below each other. */
const INDENT = ' '.repeat(NAME_WIDTH + 3);

export async function doctor(context: CommandContext): Promise<ExitCode> {
  const services = await context.services();
  const findings = await services.diagnose(context.startDir);
  const broken = findings.some((finding) => finding.state === 'problem');
  if (context.json) {
    printJson(context, { ok: !broken, findings });
    return broken ? EXIT.failed : EXIT.success;
  }
  const { out, paintOut } = context.terminal;
  const width = textWidth(context.terminal, INDENT.length);
  for (const { name, state, detail, help } of findings) {
    const mark =
      state === 'ok' ? paintOut.green('✓') : state === 'missing' ? paintOut.yellow('○') : paintOut.red('✗');
    out(
      `${mark} ${name.padEnd(NAME_WIDTH)} ${wrapLine(shortenPaths(detail, width), width).join(`\n${INDENT}`)}\n`,
    );
    for (const line of (help?.split('\n') ?? []).flatMap((each) => wrapLine(each, width)))
      out(`${INDENT}${paintOut.dim(line)}\n`);
  }
  if (findings.some(({ state }) => state === 'missing'))
    out(`\n${paintOut.yellow('○')} missing or incomplete: only runs that need it fail\n`);
  return broken ? EXIT.failed : EXIT.success;
}

import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, type VerbContext } from '../verb.ts';

export async function doctor(context: VerbContext): Promise<ExitCode> {
  const services = await context.services();
  const findings = await services.examine(context.startDir);
  const broken = findings.some((finding) => finding.state === 'problem');
  if (context.json) {
    printJson(context, { ok: !broken, findings });
    return broken ? EXIT.failed : EXIT.success;
  }
  const { out, paintOut } = context.terminal;
  for (const { name, state, detail, help } of findings) {
    const mark =
      state === 'ok' ? paintOut.green('✓') : state === 'missing' ? paintOut.yellow('○') : paintOut.red('✗');
    out(`${mark} ${name.padEnd(22)} ${detail}\n`);
    for (const line of help?.split('\n') ?? []) out(`  ${' '.repeat(22)} ${paintOut.dim(line)}\n`);
  }
  return broken ? EXIT.failed : EXIT.success;
}

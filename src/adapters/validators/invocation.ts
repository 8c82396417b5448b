import { open, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { RunnableValidator, ValidatorPlace } from '../../ports/validator.ts';
import { isPathInside } from '../../text/paths.ts';
import {
  argumentValues,
  fillPlaceholders,
  hasParentSegments,
  pathValues,
  type Refused,
} from './placeholders.ts';
import { realPathOf, realRoots, rootOf } from './roots.ts';

export interface Invocation {
  readonly ok: true;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
}

type Script = Extract<RunnableValidator, { kind: 'script' }>;

type Entrypoint =
  | { readonly ok: true; readonly kind: 'command' | 'file'; readonly program: string }
  | Refused;

/** Interpreters for scripts without the executable bit. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  '.py': 'python3',
  '.mjs': process.execPath,
  '.js': process.execPath,
  '.cjs': process.execPath,
  '.sh': 'sh',
};

/** Checks what is known from the declaration alone, before a checkout exists. */
export function checkInvocation(validator: RunnableValidator, place: ValidatorPlace): Entrypoint {
  if (validator.kind === 'command') {
    const [program] = validator.command;
    if (!program.includes('/')) return { ok: true, kind: 'command', program };
    return { ok: true, kind: 'file', program: resolve(place.checkoutPath, program) };
  }
  const cwd = resolveCwd(validator, place);
  if (!cwd.ok) return cwd;
  const args = fillArguments(validator, place);
  if (!args.ok) return args;
  return resolveEntrypoint(validator, place);
}

/** The command line to start, or why it is refused. */
export async function planInvocation(
  validator: RunnableValidator,
  place: ValidatorPlace,
): Promise<Invocation | Refused> {
  const entrypoint = checkInvocation(validator, place);
  if (!entrypoint.ok) return entrypoint;
  if (validator.kind === 'command') {
    const [, ...args] = validator.command;
    return { ok: true, argv: [entrypoint.program, ...args], cwd: place.checkoutPath };
  }
  const cwd = resolveCwd(validator, place);
  if (!cwd.ok) return cwd;
  if (await isOutside(cwd.path, place)) return refusedPath('cwd', validator.cwd ?? '', 'by link');
  const args = fillArguments(validator, place);
  if (!args.ok) return args;
  if (entrypoint.kind === 'command') {
    return { ok: true, argv: [entrypoint.program, ...args.values], cwd: cwd.path };
  }
  const start = await startOfFile(validator.entrypoint, entrypoint.program, place);
  return start.ok ? { ok: true, argv: [...start.argv, ...args.values], cwd: cwd.path } : start;
}

function resolveEntrypoint(validator: Script, place: ValidatorPlace): Entrypoint {
  const filled = fillPlaceholders(validator.entrypoint, pathValues(place));
  if (!filled.ok) return filled;
  const program = filled.text;
  if (!program.includes('/')) {
    if (place.entrypoints.includes(program)) return { ok: true, kind: 'command', program };
    return { ok: false, reason: `entrypoint refused: \`${program}\` is not an allowed command` };
  }
  const path = resolve(place.checkoutPath, program);
  if (hasParentSegments(validator.entrypoint) || !isWithinPlace(path, place)) {
    return refusedPath('entrypoint', validator.entrypoint, 'lexically');
  }
  return { ok: true, kind: 'file', program: path };
}

function resolveCwd(validator: Script, place: ValidatorPlace): { ok: true; path: string } | Refused {
  if (validator.cwd === null) return { ok: true, path: place.checkoutPath };
  const filled = fillPlaceholders(validator.cwd, pathValues(place));
  if (!filled.ok) return filled;
  const path = resolve(place.checkoutPath, filled.text);
  if (hasParentSegments(validator.cwd) || !isWithinPlace(path, place)) {
    return refusedPath('cwd', validator.cwd, 'lexically');
  }
  return { ok: true, path };
}

function fillArguments(validator: Script, place: ValidatorPlace): { ok: true; values: string[] } | Refused {
  const values: string[] = [];
  for (const template of validator.args) {
    const filled = fillPlaceholders(template, argumentValues(place));
    if (!filled.ok) return filled;
    values.push(filled.text);
  }
  return { ok: true, values };
}

async function startOfFile(
  declared: string,
  path: string,
  place: ValidatorPlace,
): Promise<{ ok: true; argv: [string, ...string[]] } | Refused> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { ok: false, reason: `entrypoint not found: \`${declared}\``, startCode: 127 };
  if (await isOutside(path, place)) return refusedPath('entrypoint', declared, 'by link');
  if (!found.isFile()) return { ok: false, reason: `entrypoint is not a file: \`${declared}\`` };
  const interpreter = INTERPRETERS[extname(path)];
  const hasRunBit = (found.mode & 0o111) !== 0;
  if (interpreter === undefined) {
    if (hasRunBit) return { ok: true, argv: [path] };
    return {
      ok: false,
      reason: `entrypoint is not executable and its ending names no interpreter: \`${declared}\``,
      startCode: 126,
    };
  }
  // A file with the executable bit but without a shebang line would be run by a shell, whatever its language.
  return { ok: true, argv: hasRunBit && (await hasInterpreterLine(path)) ? [path] : [interpreter, path] };
}

async function hasInterpreterLine(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === '#!';
  } finally {
    await file.close();
  }
}

function isWithinPlace(path: string, place: ValidatorPlace): boolean {
  return isPathInside(place.checkoutPath, path) || isPathInside(place.runDir, path);
}

/** False for a missing file: that is a different failure, reported at the start. */
async function isOutside(path: string, place: ValidatorPlace): Promise<boolean> {
  const real = await realPathOf(path);
  return real !== null && rootOf(await realRoots(place), real) === null;
}

function refusedPath(field: string, declared: string, how: 'lexically' | 'by link'): Refused {
  const fault =
    how === 'lexically'
      ? 'is outside the checkout and the run directory'
      : 'leads out of the checkout and the run directory through a link';
  return { ok: false, reason: `${field} refused: \`${declared}\` ${fault}` };
}

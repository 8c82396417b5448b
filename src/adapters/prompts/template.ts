import { Liquid } from 'liquidjs';
import type { ReadTemplate, TemplateReading } from '../../contracts/documents/prompt.ts';
import { messageOf } from '../../text/error-message.ts';
import { findLineStarts } from '../../workflow/yaml/line-index.ts';

/** Templates may only use their inputs, so every file lookup of the engine fails. */
const NO_FILES = {
  readFileSync: () => '',
  readFile: () => Promise.resolve(''),
  existsSync: () => false,
  exists: () => Promise.resolve(false),
  resolve: (_dir: string, file: string) => file,
};

/** `fence` wraps every value that the template prints, after its filters. */
export function createTemplateEngine(fence?: (value: unknown) => string): Liquid {
  return new Liquid({
    ...(fence === undefined ? {} : { outputEscape: fence }),
    strictVariables: true,
    strictFilters: true,
    relativeReference: false,
    ownPropertyOnly: true,
    fs: NO_FILES,
  });
}

/** Reads the fault and the variables of a template without rendering it. */
export function createTemplateReader(engine: Liquid = createTemplateEngine()): ReadTemplate {
  return (body) => {
    try {
      const { globals } = engine.analyzeSync(engine.parse(body));
      return { fault: null, variables: variablesOf(globals, body) };
    } catch (error) {
      return { fault: faultOf(error, body), variables: [] };
    }
  };
}

type Globals = ReturnType<Liquid['analyzeSync']>['globals'];

function variablesOf(globals: Globals, body: string): TemplateReading['variables'] {
  const starts = findLineStarts(body);
  return Object.entries(globals)
    .flatMap(([name, [first]]) => {
      if (first === undefined) return [];
      const { row, col } = first.location;
      return [{ name, offset: (starts[row - 1] ?? 0) + col - 1 }];
    })
    .sort((one, other) => one.offset - other.offset);
}

const INCLUSION = /\{%-?\s*(?:include|render|layout)\b[^%]*%?\}?/;

/** The engine ends its messages with a position in the template, which is not the position in the file. */
function faultOf(error: unknown, body: string): NonNullable<TemplateReading['fault']> {
  const raw = messageOf(error);
  if (raw.startsWith('ENOENT')) {
    const [tag = ''] = INCLUSION.exec(body) ?? [];
    return { message: 'a prompt includes no files', offset: body.indexOf(tag), length: tag.length };
  }
  const { begin, end } = tokenOf(error);
  const message = raw.replace(/, line:\d+, col:\d+$/, '');
  return { message, offset: begin, length: Math.max(0, end - begin) };
}

function tokenOf(error: unknown): { readonly begin: number; readonly end: number } {
  const token: unknown = error !== null && typeof error === 'object' && 'token' in error ? error.token : null;
  if (token === null || typeof token !== 'object') return { begin: 0, end: 0 };
  const { begin, end } = token as { readonly begin?: unknown; readonly end?: unknown };
  return typeof begin === 'number' && typeof end === 'number' ? { begin, end } : { begin: 0, end: 0 };
}

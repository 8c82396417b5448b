import { SPEC_STATUSES, type Spec } from '../../contracts/work/work-item.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { parseYaml } from '../../workflow/yaml/yaml-source.ts';

export type ReadFrontMatter =
  | { readonly kind: 'status'; readonly status: Spec['frontmatterStatus'] }
  /** The file has no front matter. */
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly line: number; readonly message: string };

const KNOWN = SPEC_STATUSES.map((status) => `\`${status}\``).join(', ');

/** Reads the spec status from the front matter of a Markdown file. */
export function readSpecFrontMatter(source: string): ReadFrontMatter {
  const text = source.replace(/^\uFEFF/, '');
  const open = /^---[ \t]*\r?(?:\n|$)/.exec(text);
  if (open === null) return { kind: 'none' };
  const close = /^---[ \t]*\r?$/m.exec(text.slice(open[0].length));
  if (close === null) return problem(1, 'the front matter is not closed: end it with `---`');
  // The fence is blanked, not removed, so that the lines of the YAML match those of the file.
  const fence = open[0].replace(/-/g, ' ');
  const yaml = parseYaml(fence + text.slice(open[0].length, open[0].length + close.index), 'PR');
  if (yaml.empty) return problem(1, '`status` is missing in the front matter');
  const [wrong] = yaml.diagnostics.filter(({ severity }) => severity === 'error');
  if (yaml.source === null || wrong !== undefined)
    return problem(wrong?.span.line ?? 1, wrong?.message ?? 'the front matter is not a mapping');
  const { data } = yaml.source;
  if (typeof data !== 'object' || data === null || !('status' in data))
    return problem(1, '`status` is missing in the front matter');
  const status = SPEC_STATUSES.find((known) => known === data.status);
  if (status !== undefined) return { kind: 'status', status };
  return problem(yaml.source.locate(['status'], 'value').line, unknownStatus(data.status));
}

function unknownStatus(value: unknown): string {
  if (typeof value !== 'string') return `the \`status\` of a spec must be one of ${KNOWN}`;
  const near = didYouMean(value, SPEC_STATUSES);
  const guess = near === null ? `use one of ${KNOWN}` : `did you mean \`${near}\`?`;
  return `the \`status\` \`${value}\` is unknown: ${guess}`;
}

function problem(line: number, message: string): ReadFrontMatter {
  return { kind: 'problem', line, message };
}

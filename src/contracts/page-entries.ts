/** What a step on a page, or an expectation of one, can be about. */
export interface EntryForm<Key extends string = string> {
  readonly name: string;
  /** One of these, and no more than one. */
  readonly keys: readonly Key[];
  /** What says more about some of them, and nothing about the others. */
  readonly belongs: Readonly<Record<string, readonly Key[]>>;
  /** What one of them means nothing without. */
  readonly needs: Readonly<Partial<Record<Key, string>>>;
}

export const PAGE_STEP = {
  name: 'a step',
  keys: ['goto', 'click', 'fill', 'press', 'select', 'wait'],
  belongs: { with: ['fill', 'select'], on: ['press'] },
  needs: {},
} as const satisfies EntryForm;

export const PAGE_EXPECTATION = {
  name: 'an expectation',
  keys: ['visible', 'hidden', 'text', 'title', 'url', 'count'],
  belongs: { in: ['text'], of: ['count'] },
  needs: { count: 'of' },
} as const satisfies EntryForm;

export interface EntryProblem {
  readonly message: string;
  readonly help: string;
  /** The key that is wrong; null for the entry as a whole. */
  readonly key: string | null;
}

/** What of two things an entry is about, and what a word means that does not belong, would be for nobody to say. */
export function entryProblem(
  fields: Readonly<Record<string, unknown>>,
  form: EntryForm,
): EntryProblem | null {
  const has = (key: string) => fields[key] !== undefined;
  const known = form.keys.filter(has);
  const [key, second] = known;
  if (key === undefined || second !== undefined) {
    const said = known.length === 0 ? 'none' : known.map(quoted).join(' and ');
    const message = `${form.name} is about one thing, but this one has ${said}`;
    return { message, help: `give exactly one of ${form.keys.map(quoted).join(', ')}`, key: null };
  }
  const stray = Object.entries(form.belongs).find(([name, owners]) => has(name) && !owners.includes(key));
  if (stray !== undefined) {
    const [name, owners] = stray;
    const message = `\`${name}\` says nothing about \`${key}\``;
    return { message, help: `it belongs to ${owners.map(quoted).join(' and ')}: take it away`, key: name };
  }
  const needed = form.needs[key];
  if (needed === undefined || has(needed)) return null;
  return { message: `\`${key}\` comes without \`${needed}\``, help: `add \`${needed}\``, key };
}

function quoted(key: string): string {
  return `\`${key}\``;
}

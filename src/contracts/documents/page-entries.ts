/** The keys that a page step or a page expectation can have. */
export interface EntryForm<Key extends string = string> {
  readonly name: string;
  /** An entry has exactly one of these. */
  readonly keys: readonly Key[];
  /** Additional keys, each with the main keys that it applies to. */
  readonly belongs: Readonly<Record<string, readonly Key[]>>;
  /** The additional key that a main key requires. */
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

/** Rejects entries that would be ambiguous: several main keys, or an additional key that doesn't apply. */
export function entryProblem(
  fields: Readonly<Record<string, unknown>>,
  form: EntryForm,
): EntryProblem | null {
  const has = (key: string) => fields[key] !== undefined;
  const known = form.keys.filter(has);
  const [key, second] = known;
  if (key === undefined || second !== undefined) {
    const found = known.length === 0 ? 'none' : known.map(quoted).join(' and ');
    const message = `${form.name} needs exactly one main key, but this one has ${found}`;
    return { message, help: `use exactly one of ${form.keys.map(quoted).join(', ')}`, key: null };
  }
  const stray = Object.entries(form.belongs).find(([name, owners]) => has(name) && !owners.includes(key));
  if (stray !== undefined) {
    const [name, owners] = stray;
    const message = `\`${name}\` does not apply to \`${key}\``;
    return { message, help: `it applies to ${owners.map(quoted).join(' and ')}: remove it`, key: name };
  }
  const needed = form.needs[key];
  if (needed === undefined || has(needed)) return null;
  return { message: `\`${key}\` needs \`${needed}\``, help: `add \`${needed}\``, key };
}

function quoted(key: string): string {
  return `\`${key}\``;
}

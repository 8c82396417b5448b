export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'missing' | 'problem';
  readonly detail: string;
  readonly help: string | null;
}

export function ok(name: string, detail: string, help: string | null = null): Finding {
  return { name, state: 'ok', detail, help };
}

/** Something that runs can do without. */
export function missing(name: string, detail: string, help: string | null): Finding {
  return { name, state: 'missing', detail, help };
}

/** Something that runs need; `conductor doctor` fails. */
export function problem(name: string, detail: string, help: string | null): Finding {
  return { name, state: 'problem', detail, help };
}

export type Severity = 'error' | 'warning';

export interface CodeEntry {
  readonly title: string;
  readonly severity: Severity;
}

/** The kinds of documents, by the prefix of their codes. */
export const FAMILIES = { WF: 'workflow', CF: 'configuration', PR: 'prompt' } as const;
export type Family = keyof typeof FAMILIES;

/** The code of a diagnostic. `src/workflow/diagnostic-codes.ts` has the complete list. */
export type Code = `${Family}${number}`;

/** Problems of any YAML document. A number has the same meaning in every family. */
const SHAPE_TITLES = {
  '001': 'the text cannot be read',
  '002': 'the YAML is malformed',
  '003': 'there is not exactly one document',
  '004': 'the document is nested or expanded too far',
  '005': 'a merge key is used',
  '006': 'a key is given twice',
  '007': 'a key is unknown',
  '008': 'a key is missing',
  '009': 'a value has the wrong type',
  '010': 'a value is not one of the allowed values',
  '011': 'a value is out of bounds or malformed',
} as const;
export type ShapeNumber = keyof typeof SHAPE_TITLES;

/** Problems of one kind of document. */
const CODES_OF_ONE_FAMILY = {
  WF106: errorCode('the file is not a workflow'),
  WF201: errorCode('a required route is missing'),
  WF304: errorCode('a rollback target is reserved'),
  CF101: errorCode('an agent is not configured'),
  CF102: errorCode('the workspaces and the run directories contain each other'),
  CF103: errorCode('a name is malformed'),
  CF104: errorCode("the address of the planner's model is missing or malformed"),
  CF105: warningCode('paths.worktrees is ignored'),
  CF106: errorCode('the workspaces are inside the repository'),
  CF107: errorCode('setup caches paths but has no command that creates them'),
  CF108: warningCode("a setting is read only from the user's own configuration file"),
  CF109: errorCode('a notification target has no usable address'),
  PR101: errorCode('the front matter is missing'),
  PR102: errorCode('the front matter is not closed'),
  PR103: errorCode('a planner prompt has no schema_ref'),
  PR104: errorCode('an input is declared twice'),
  PR105: warningCode('a prompt has no summary, owner or status'),
  PR106: warningCode('the prompt has no text'),
  PR107: errorCode('the file name does not match the prompt'),
  PR108: errorCode('the template of a prompt is malformed'),
  PR109: errorCode('a prompt uses a variable that is not an input'),
  PR110: warningCode('a substitution in a prompt is plain text'),
} as const satisfies Partial<Record<Code, CodeEntry>>;

/** The codes of all checks except the workflow rules, which declare their own. */
export type DocumentCode = `${Family}${ShapeNumber}` | keyof typeof CODES_OF_ONE_FAMILY;

export const DOCUMENT_CODES: Readonly<Record<DocumentCode, CodeEntry>> = {
  ...shapeCodes('WF'),
  ...shapeCodes('CF'),
  ...shapeCodes('PR'),
  ...CODES_OF_ONE_FAMILY,
};

export function shapeCode(family: Family, number: ShapeNumber): DocumentCode {
  return `${family}${number}`;
}

type ShapeCodes<F extends Family> = Record<`${F}${ShapeNumber}`, CodeEntry>;

function shapeCodes<F extends Family>(family: F): ShapeCodes<F> {
  const entries = Object.entries(SHAPE_TITLES).map(([number, title]) => [
    `${family}${number}`,
    errorCode(title),
  ]);
  return Object.fromEntries(entries) as ShapeCodes<F>;
}

export function errorCode(title: string): CodeEntry {
  return { title, severity: 'error' };
}

export function warningCode(title: string): CodeEntry {
  return { title, severity: 'warning' };
}

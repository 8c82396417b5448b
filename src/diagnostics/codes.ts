export type Severity = 'error' | 'warning';

export interface CodeEntry {
  readonly title: string;
  readonly severity: Severity;
}

/** The kinds of documents, by the prefix of their codes. */
export const FAMILIES = { WF: 'workflow', CF: 'configuration', PR: 'prompt' } as const;
export type Family = keyof typeof FAMILIES;

/** Problems of any YAML document. A number has the same meaning in every family. */
const SHAPE = {
  '001': 'the text cannot be read',
  '002': 'the YAML is malformed',
  '003': 'there is not exactly one document',
  '004': 'the document is nested or expanded too far',
  '005': 'a merge key is used',
  '006': 'a key is given twice',
  '007': 'a key is unknown',
  '008': 'a key is missing',
  '009': 'a value has the wrong type',
  '010': 'a value is not one of the allowed words',
  '011': 'a value is out of bounds or malformed',
} as const;
export type ShapeNumber = keyof typeof SHAPE;

const OWN = {
  WF102: error('two steps have the same id'),
  WF103: error('the entry step is not declared'),
  WF104: error('a step called STOP has another opcode'),
  WF105: error('a validator stands twice in one step'),
  WF106: error('the file is not a workflow'),
  WF201: error('a required route is missing'),
  WF202: error('a route leads to a step that does not exist'),
  WF203: warning('a kill falls back to the error route'),
  WF204: error('a gate with a timeout has no route for it'),
  WF205: error('unsafe leads to a step that is neither ROLLBACK nor STOP'),
  WF206: error('needs_human leads to a step that is neither GATE nor STOP'),
  WF207: error('a route leads outside allowed_next_steps'),
  WF208: error('allowed_next_steps names a step that does not exist'),
  WF209: warning('a route of a gate can never be taken'),
  WF301: error('a prompt is neither a reference nor inline text'),
  WF302: error('an inline prompt stands on an EVALUATE step'),
  WF303: error('a policy reference is malformed'),
  WF304: error('a rollback target is reserved'),
  WF305: error('a substitution is unknown'),
  WF306: error('a substitution is not closed'),
  WF307: error('a substitution stands in the wrong place'),
  WF308: error('a path leaves the worktree and the run directory'),
  WF309: warning('a step limit is looser than the limit of the workflow'),
  WF310: error('the revision step is not the target of partial'),
  WF311: warning('more than one revision is allowed'),
  WF312: warning('nothing limits an agent step'),
  WF313: warning('a gate names nobody who could answer'),
  WF314: warning('a budget stands on a step that spends nothing'),
  WF315: warning('a substitution stands in a prompt, where it is plain text'),
  WF401: error('a step cannot be reached'),
  WF402: error('no STOP can be reached'),
  WF403: warning('a loop is only ended by max_visits'),
  WF404: error('goldens could be accepted without a gate'),
  WF405: warning('a successful path is not validated'),
  WF406: warning('a validation changes nothing and is not judged'),
  WF407: warning('a run can end as unverified'),
  WF501: error('an agent is unknown'),
  WF502: error('a validator is unknown'),
  WF503: error('a policy is unknown'),
  WF504: error('a prompt is unknown'),
  WF505: error('a prompt has the wrong role'),
  WF506: error('a planner prompt does not answer with a planner decision'),
  WF507: error('a bare command is not allowed as an entrypoint'),
  WF508: error('an input cannot be supplied'),
  WF509: error('a prompt cannot be rendered'),
  WF510: warning('an input has to be given with every run'),
  CF101: error('an agent is named that is not configured'),
  CF102: error('the workspaces and the run directories contain each other'),
  CF103: error('a name is malformed'),
  CF104: error('the planner has no address to ask a model at'),
  CF105: warning('paths.worktrees is ignored'),
  CF106: error('the workspaces are inside the repository'),
  CF107: error('setup caches paths and has no command that makes them'),
  CF108: warning('a setting counts only in the configuration file of the user'),
  PR101: error('the front matter is missing'),
  PR102: error('the front matter is not closed'),
  PR103: error('a planner prompt has no schema_ref'),
  PR104: error('an input is declared twice'),
  PR105: warning('the prompt does not say what it is or whose'),
  PR106: warning('the prompt has no text'),
  PR107: error('the file of a prompt has another name than the prompt'),
  PR108: error('the text of a prompt is no template'),
  PR109: error('the text of a prompt uses what is no input'),
  PR110: warning('a substitution stands in a prompt, where it is plain text'),
} as const satisfies Record<string, CodeEntry>;

export type Code = `${Family}${ShapeNumber}` | keyof typeof OWN;

/** All diagnostic codes. A code is never reused with another meaning. */
export const CODES: Readonly<Record<Code, CodeEntry>> = {
  ...shapeCodes('WF'),
  ...shapeCodes('CF'),
  ...shapeCodes('PR'),
  ...OWN,
};

export function shapeCode(family: Family, number: ShapeNumber): Code {
  return `${family}${number}`;
}

type ShapeCodes<F extends Family> = Record<`${F}${ShapeNumber}`, CodeEntry>;

function shapeCodes<F extends Family>(family: F): ShapeCodes<F> {
  const entries = Object.entries(SHAPE).map(([number, title]) => [`${family}${number}`, error(title)]);
  return Object.fromEntries(entries) as ShapeCodes<F>;
}

function error(title: string): CodeEntry {
  return { title, severity: 'error' };
}

function warning(title: string): CodeEntry {
  return { title, severity: 'warning' };
}

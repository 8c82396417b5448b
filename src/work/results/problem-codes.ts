/** All problems of results, bodies and labels. A code is never reused for another problem. */
export const PROBLEM_CODES = {
  WR001: 'a value does not match its schema',
  WR101: 'the role of a planner result is not planner',
  WR102: 'two new items have the same tempID',
  WR103: 'a tempID is the id of an existing item',
  WR104: 'a blocker is neither a tempID of the result nor an existing item',
  WR105: 'an item blocks itself',
  WR106: 'a dependency cycle',
  WR107: 'an item to close does not exist',
  WR108: 'an item to close is already closed',
  WR109: 'an item is closed twice',
  WR110: 'an item to update does not exist',
  WR111: 'an item to update is closed',
  WR112: 'an item is updated twice',
  WR113: 'an item is both closed and updated',
  WR114: 'an update changes the type of an item but not its body',
  WR201: 'the role of an implementor result is not implementor',
  WR202: 'an outcome is unknown',
  WR203: 'a completed result has no patch',
  WR204: 'the summary of an implementor is empty',
  WR205: 'a result that is not completed has a patch',
  WR206: 'Blocker type is missing in a blocked summary, or unknown',
  WR207: 'Description is missing in a blocked summary',
  WR208: 'Options of a blocked summary has fewer than two options',
  WR209: 'Recommendation is missing in a blocked summary',
  WR210: 'Impact is missing in a blocked summary',
  WR211: 'Spec reference of a spec blocker has no file path',
  WR212: 'Spec reference of a spec blocker has no section',
  WR213: 'Spec reference of a spec blocker has no quote',
  WR214: 'a validation failure does not name the step that failed',
  WR215: 'a validation failure does not say why it is outside the scope',
  WR301: 'the role of a reviewer result is not reviewer',
  WR302: 'a verdict is unknown',
  WR303: 'a review approves and has a finding',
  WR304: 'a review needs changes and has no finding',
  WR305: 'a finding does not say what is wrong',
  WR306: 'a finding does not say why it is wrong',
  WR307: 'a finding does not say how to fix it',
  WR308: 'the summary of a review is empty',
  WR401: 'a body follows no template',
  WR402: 'a body follows the template of the other type',
  WR403: 'a section of the template is missing',
  WR404: 'a section occurs twice',
  WR405: 'a section is at another level, or in another section, than in the template',
  WR406: 'the objective is empty',
  WR407: 'nothing is in scope',
  WR408: 'there is no acceptance criterion',
  WR501: 'a label for the type is missing',
  WR502: 'a label for the status is missing',
  WR503: 'a label for the priority is missing',
  WR504: 'a label for the complexity is missing',
  WR505: 'a category has more than one label',
  WR506: 'a label is listed twice',
  WR507: 'a label of a category is unknown',
  WR508: 'a new item does not start as pending',
  WR509: 'a refinement has low priority',
  WR510: 'a refinement has a complexity',
  WR511: 'an update gives an item another status',
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One violation of a contract. */
export interface ContractProblem {
  /** A dotted path, such as `create.0.blockedBy.1`; empty for the whole value. */
  readonly path: string;
  readonly code: ProblemCode;
  readonly message: string;
}

export type Checked<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly problems: readonly ContractProblem[] };

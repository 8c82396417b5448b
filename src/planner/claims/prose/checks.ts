import { isConditional, isDenied, isFromElsewhere, isHypothetical } from './doubt.ts';
import { isQuestion, type Statement } from './statements.ts';

/**
 * Whether a statement says that the tests, or the checks including them, pass. `ranBefore`: an earlier statement
 * mentions running them.
 */
export function saysChecksPass(statement: Statement, ranBefore: boolean): boolean {
  const { section, ticked, text } = statement;
  if (isQuestion(statement) || (section === 'planned' && !ticked)) return false;
  const sentence = removeHarmlessPhrases(text);
  return (
    FORMS.some((form) => isStatedBy(form, sentence)) ||
    COUNTS.some((form) => isCountOfAll(form, sentence)) ||
    refersToChecks(statement, ranBefore)
  );
}

/** Whether the agent itself reports a failing check; then saying that other checks pass isn't a false claim. */
export function saysCheckFails(statement: Statement): boolean {
  return (
    (statement.section !== 'planned' || statement.ticked) &&
    FAILING.some((form) => form.test(removeHarmlessPhrases(statement.text)))
  );
}

const TESTS =
  '(?:tests?|specs?|test cases?|test suites?|suites?|checks|test runs?|examples|packages|test files?)';
/**
 * Words that can't precede `tests` as their kind. `provider tests` counts, but a selected part (`new tests`)
 * doesn't, and neither does a verb or a clause.
 */
const NO_KIND =
  'new|newly|added|updated|targeted|focused|relevant|related|affected|failing|failed|these|those|this|that|some|most|many|several|few|other|remaining|two|three|one|first|last|half|single|which|whose|manual|your|their|his|her|its|upstream|an?|no|none|neither|of|to|more|only|individual|specific|corresponding|respective|matching|own|generated|written|visual|skipped|i|we|you|they|it|makes?|made|making|sure|ensure|verify|verified|confirm\\w*|check|checked|lets?|gets?|have|has|had|is|are|was|were|be|been|will|would|should|could|can|may|might|must|do|does|did|not|never|if|when|once|whether|believe|think|guess|see|saw|says?|said|expect\\w*|hope|wants?|needs?|all|every|each|both|and|or|but|then|so|after|before|until|because|since|as|how|why|also|now|still|already|with|without|for|from|in|on|at|by|ran|run|running|after|than';
const KIND = `(?:(?!(?:${NO_KIND})\\b)[\\w'-]+ ){0,3}?`;
const COUNT = '(?:\\d[\\d,]*%? )?';
const JOINED = '(?:,? (?:and|plus|&) |, ?|/| \\+ )';
const NAMES = `(?:(?:all(?: of)?|every(?: single)?|each|both|\\d+%(?: of)?) )?(?:the |my |our )?(?:(?<=\\ball (?:the )?)(?:relevant|related|affected) )?${COUNT}(?:${KIND}(?:unit|integration|e2e)${JOINED})?${KIND}${TESTS}(?: \\([^)]{1,80}\\))?`;
/** Checks that are listed together with the tests. */
const OTHERS =
  '(?:(?:the )?(?:build|lint(?:er|ing)?|type-?checks?|type checks?|types|typecheck(?:ing)?|format(?:ting|ter)?|compilation|coverage|mypy|ruff|eslint|tsc|clippy|prettier|biome|black|flake8|pyright|gofmt|phpstan|rubocop|knip|`[^`]{1,80}`))';
/** Programs that run the tests, by name or as a command. */
const RUNNER_NAMES =
  'pytest|vitest|jest|mocha|rspec|tox|ctest|phpunit|nextest|unittest|playwright|cypress|minitest';
const COMMAND_WORDS = `(?:${RUNNER_NAMES}|tests?|check|verify)`;
const COMMAND = `\`(?:[^\`]*[^\\w\`])?${COMMAND_WORDS}\\b[^\`]*\``;
const LIST = `(?:${OTHERS}${JOINED})*(?:${NAMES}|(?:running |ran )?${COMMAND}(?: \\([^)]*\\))?|(?:${RUNNER_NAMES}))(?:${JOINED}(?:and )?${OTHERS})*`;
const ALSO =
  '(?:(?:all|now|are|is|still|also|have|has|were|was|both|again|continue to|ran|run|runs|came back|come back|comes back|finished?|finishes|complete[sd]?|report|reported|successfully|already|it|which|everything) )*';
const PASS =
  '(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|(?:build )?success(?:ful(?:ly)?)?|clean(?:ly)?|ok|fine|happy|exit(?:s|ed)?(?: with)?(?: code| status)? 0)';
/** Words that may follow `pass`. With an object, `pass` is a different verb: `tests pass full file path to X`. */
const FOLLOWS =
  'about|across|after|afterwards|again|against|along|already|alongside|also|although|and|apart|as|aside|at|because|before|both|but|by|consistently|despite|during|even|everywhere|except|excluding|fine|for|from|here|if|in|including|inside|like|locally|now|on|once|or|out of|since|so|still|though|throughout|today|together|too|total|under|unchanged|unless|unmodified|until|using|via|when|whenever|while|with|within|without|\\w+ly';
const ENDS = `(?=[\\s)]*$|[.,;:!()–—✅✓✔]| [-–—(✅✓✔🎉]| (?:${FOLLOWS})\\b)`;
const START = '(?<=^|[.,;:(–—→✅✓-] ?|\\b(?:and|that|so|but|then|because|with|now|since|while|where) )';
const FORMS: readonly RegExp[] = [
  new RegExp(`${START}${LIST}(?:(?: ?[:→—–=-]+>? | \\(| )${ALSO}${PASS}\\b${ENDS}| ?:? ?[✅✓✔])`, 'giu'),
  new RegExp(
    `\\bpass(?:es|ed|ing)? (?:all(?: of)?|the (?:full|entire|whole|complete)) (?:the )?${COUNT}${KIND}${TESTS}\\b`,
    'giu',
  ),
  /(?<=\b(?:everything|implementation|code|it|and|now|still|also) )pass(?:es|ed) (?:(?:the|all|its) )*tests\b/gi,
  /\bno (?:test|spec|suite) failures\b/gi,
];

/** Commands that run only some of the tests: one file, one name or a filter. */
const PART_OF_TESTS =
  /`[^`]*(?: \S+\.\w{1,4}(?=[\s`:])|::| -k | -t | --filter| --grep| -run | --tests )[^`]*`/;

function isStatedBy(form: RegExp, sentence: string): boolean {
  return [...sentence.matchAll(form)].some(
    (match) => !PART_OF_TESTS.test(match[0]) && isAsserted(sentence, match),
  );
}

/** Whether neither the text before the match nor the text after it puts it in doubt. */
function isAsserted(sentence: string, match: RegExpExecArray): boolean {
  const lead = sentence.slice(0, match.index);
  const rest = sentence.slice(match.index + match[0].length);
  return !isDoubtfulLead(lead) && !/\b(?:not|never|don't|doesn't)\b/i.test(match[0]) && !isQualified(rest);
}

/** Checks only the clause that contains the claim, and a condition that opens the sentence. */
function isDoubtfulLead(lead: string): boolean {
  const clause = lead.split(/;|\bbut\b|\bhowever\b|, (?:and|so)\b/i).at(-1) ?? '';
  const isOwn = OWN_RUN.test(lead);
  // A negation before an `and` is about something else: `no snapshot changed and the suite is green`.
  const isNegated = !isOwn && isDenied(clause.split(/\band\b/i).at(-1) ?? '');
  if (isHypothetical(clause) || isNegated) return true;
  if (isOwn) return false;
  if (/^(?:if|unless|assuming|provided|should|with(?:out)?|until)\b/i.test(lead.trim())) return true;
  return isConditional(clause) && !/,\s*$|\b(?:was|were|had|did|\w+ed)\b/i.test(clause);
}

const OWN_RUN =
  /\b(?:i|we)(?:'ve| have)? (?:\w+ )?(?:re-?)?(?:ran|run|executed|verified|confirmed|checked|tested)\b/i;

const QUALIFIER =
  /^[^;]*?\b(?:if|when|once|until|unless|provided|assuming|except|excluding|apart from|aside from|other than|exception|because|but (?:for |one|two|three|four|\d|the last|a few|some|not|only)|on (?:main|master|trunk)|before (?:my|the|this|that|i)|yet)\b|^ (?:before|previously|earlier)\b/i;

function isQualified(rest: string): boolean {
  const clause = rest.split(/;|, and (?!one|two|three|\d)|, so |, which /i)[0] ?? '';
  if (QUALIFIER.test(clause) || isFromElsewhere(clause)) return true;
  // `All tests pass: no`
  return /^\s*:\s*(?:no|false|not)\b/i.test(rest);
}

const CASES =
  '(?:tests?|specs?|suites?|test suites?|test files?|examples?|scenarios|cases|assertions|checks)';
const N = '(?<![\\d,])\\d[\\d,]*';
const GOOD = '(?:pass(?:ed|ing|es)?|succeeded|green|successful|ok)\\b';
/** `46 passed`, `73/73 green`, `19 tests, 19 passed`, `1,530 examples, 0 failures`, `154 tests, all green`. */
const COUNTS: readonly RegExp[] = [
  new RegExp(
    `(?<![\\d/.,]|\\bof )(?<all>${N}) (?:(?:unit |integration |e2e )?${CASES} )?(?:(?:all|are|is|now) )*pass(?:ed|ing|es)?\\b(?! (?:the|a|an|through|in \\w+ out)\\b)`,
    'gi',
  ),
  new RegExp(
    `(?<![\\d/.,])(?<all>${N})(?:/| of (?:the )?)(?<total>${N}) (?:(?:\\w+ )?${CASES} )?(?:\\w+ )?(?:${GOOD}|[✅✓✔])`,
    'giu',
  ),
  new RegExp(
    `(?<total>${N}) (?:\\w+ )?${CASES}(?: ran| run| executed)?,? (?:and )?(?<all>${N}|all)(?: of them)? ${GOOD}`,
    'gi',
  ),
  new RegExp(`(?<total>${N}) ${CASES},? (?:with )?(?:0|no|zero) (?:failures|failed|errors|failing)\\b`, 'gi'),
];

function isCountOfAll(form: RegExp, sentence: string): boolean {
  return [...sentence.matchAll(form)].some((match) => {
    const { all, total } = match.groups ?? {};
    const isWhole = all === undefined || total === undefined || all === 'all' || all === total;
    return isWhole && !/^0*$/.test(total ?? all ?? '') && isAsserted(sentence, match);
  });
}

const RAN = new RegExp(
  `\\b(?:tests?|suite) (?:\\w+ ){0,3}(?:ran|run|executed)\\b|\\b(?:re-?)?(?:ran|run|running|executed)\\b.*\\b(?:tests?|suites?|checks?|specs)\\b|${COMMAND}|\\bverified with\\b.*\\b(?:suite|tests?)\\b|\\bfull suite\\b|\\btest suite\\b`,
  'i',
);

export function mentionsRun({ text }: Statement): boolean {
  return RAN.test(text);
}

/** Matches statements that report success without naming the tests again. */
function refersToChecks({ text, section, before, ticked, form }: Statement, ranBefore: boolean): boolean {
  if (isLabelledPassing(text)) return true;
  if (ticked && form === 'item' && TICKED_COMMAND.test(text)) return true;
  const sentence = removeHarmlessPhrases(text);
  const isAboutRun = RAN.test(`${before} ${sentence}`);
  const all = ALL_OF_THEM.exec(sentence);
  if (all !== null && isAsserted(sentence, all)) {
    const isAboutChecks = isAboutRun || section === 'checks' || ranBefore || NEEDS_NO_RUN.test(all[0]);
    if (isAboutChecks) return true;
  }
  const clean = CLEAN.exec(text);
  return clean !== null && isAboutRun && !isDoubtfulLead(text.slice(0, clean.index));
}

const ALL_OF_THEM = new RegExp(
  `(?:^|[:,.;(–—→] ?|\\band )(?:(?:(?:they|these|those|(?<=\\b(?:ran|run|re-ran)\\b.*)it|everything(?:'s)?|all(?: of (?:them|it))?)(?: (?:all|now|is|are|has|have|still|came back))*|all) (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)|(?<=^)(?:all )?(?:green|clean|passing))\\b${ENDS}`,
  'iu',
);
/** Phrases that can only be about checks, even if no run was mentioned. */
const NEEDS_NO_RUN = /\b(?:all (?:passing|green)|everything(?:'s)?(?: \w+)* (?:pass\w*|green))\b/i;
const CLEAN =
  /(?:^|[:;,] ?)(?:with )?(?:no|zero|0) (?:test )?failures\b|\bwithout (?:any )?(?:errors|failures)\b/i;

/** Matches `Tests: all passing` and `PHPUnit: OK (310 tests)`. */
function isLabelledPassing(sentence: string): boolean {
  const label = LABEL.exec(sentence)?.[0];
  if (label === undefined) return false;
  const rest = sentence.slice(label.length);
  const [, some, all] = /^(\d[\d,]*)\/(\d[\d,]*)(?=[\s.✅✓✔]*$)/u.exec(rest) ?? [];
  return (FINE.test(rest) || (some !== undefined && some === all)) && !isQualified(rest);
}

const LABEL = new RegExp(
  `^(?:(?:ran|running|unit|integration|e2e|all|the) )*(?:tests?|test results?|test suites?|suite|specs|test run|unit|integration|${RUNNER_NAMES})\\s*(?::|[–—→-]|✅|is|are)\\s*`,
  'i',
);
const FINE =
  /^(?:✅|✓|✔|ok\b|green\b|pass(?:ed|ing|es)?\b|all (?:packages )?(?:pass|passing|passed|green|ok)\b|success(?:ful)?\b|clean\b)/iu;

/** Matches `✅ npm test`, the form in which Codex lists the commands it ran. */
const TICKED_COMMAND = new RegExp(
  `^${COMMAND}(?:\\s*\\((?![^)]*\\b(?:fail|not|error|skip))[^)]*\\))?[.]?$`,
  'i',
);

const CHECKED =
  '(?:tests?|specs?|lint\\w*|type-?checks?|type checks?|types|tsc|build|suites?|checks?|ci|e2e|cases?|them|test run)';
/** Text between a check and its failure, as long as it doesn't start a clause about something else. */
const BETWEEN =
  '(?:(?!\\b(?:if|when|whenever|that|which|who|where|unless|pass\\w*|without|used to|previously|before|no longer)\\b)[^.;,]){0,60}?';
const FAILING: readonly RegExp[] = [
  new RegExp(
    `\\b${CHECKED}\\b(?! that| which)${BETWEEN}(?<!\\b(?:that|which|who|when|if|would|should|could|to|from|previously|was|were|the|been|had|a|not|n't) )\\b(?:fails?|failing|(?:is|are|came back) (?:red|broken)|(?:do|does|did|could)(?: not|n't) pass|still fails?|hang|time out)\\b`,
    'i',
  ),
  /(?<![\d.,])(?!0\b)\d[\d,]* (?:(?!(?:times?|retries|attempts?|on|of|after|per|for|passed|skipped|seconds?|ms|and)\b)[\w-]+ ){0,3}(?:fail(?:ed|ing|ures?|s)?|errored|broken|red)\b(?! (?:before|previously|tests?\b))/i,
  /\b(?:one|two|three|four|five|six|several|some|both|a few) (?:\w+ ){0,4}(?:tests?|cases?|specs?|suites?|checks?) (?:\w+ ){0,2}?(?:fail|fails|failed|failing|are red|are broken|(?:do|does)(?: not|n't) pass|time out)\b/i,
  /\b(?:not all|only (?:some|\d+)) (?:of )?(?:the )?(?:tests|checks)\b/i,
  /\bBUILD FAILED\b/,
];

/** Removes phrases that mention failures but report none. */
function removeHarmlessPhrases(sentence: string): string {
  return sentence
    .replace(
      /\b((?:fixe[sd]|resolve[sd]|repaired) (?:(?:the|a|all|both|of|two|three|four|\d+) )+)(?:\w+ )?failing\b/gi,
      '$1',
    )
    .replace(
      /,? ?\b(?:with |and |has |have |there (?:are|were) )?(?:no|0|zero|without(?: any)?) (?:\w+ ){0,2}(?:fail(?:ing|ed)|errors?|regressions?|warnings?|issues?|problems?)(?: (?:remain\w*|left|found))?\b/gi,
      '',
    );
}

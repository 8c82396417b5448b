import { isConditional, isDenied, isElsewhen, isHypothetical } from './doubt.ts';
import { isQuestion, type Statement } from './statements.ts';

/** Whether a statement says that the tests, or the checks with them, pass. `ranBefore`: a statement before it speaks of running them. */
export function saysChecksPass(statement: Statement, ranBefore: boolean): boolean {
  const { section, ticked, text } = statement;
  if (isQuestion(statement) || (section === 'untold' && !ticked)) return false;
  const sentence = withoutHarmless(text);
  return (
    FORMS.some((form) => isStatedBy(form, sentence)) ||
    COUNTS.some((form) => isCountOfAll(form, sentence)) ||
    refersToChecks(statement, sentence, ranBefore)
  );
}

/** The agent says itself that a check fails, so that others pass is no lie. */
export function saysCheckFails(statement: Statement): boolean {
  return (
    (statement.section !== 'untold' || statement.ticked) &&
    FAILING.some((form) => form.test(withoutHarmless(statement.text)))
  );
}

const TESTS = '(?:tests?|specs?|test cases?|test suites?|suites?|checks|test runs?|examples|test files?)';
/** Any kind of tests counts, `provider tests` too, but not a part that is picked out of them; and no verb or clause. */
const NO_KIND =
  'new|newly|added|updated|targeted|focused|relevant|related|affected|failing|failed|these|those|this|that|some|most|many|several|few|other|remaining|two|three|one|first|last|half|single|which|whose|manual|your|their|his|her|its|upstream|an?|no|none|neither|of|to|more|only|individual|specific|corresponding|respective|matching|own|generated|written|visual|skipped|i|we|you|they|it|makes?|made|making|sure|ensure|verify|verified|confirm\\w*|check|checked|lets?|gets?|have|has|had|is|are|was|were|be|been|will|would|should|could|can|may|might|must|do|does|did|not|never|if|when|once|whether|believe|think|guess|see|saw|says?|said|expect\\w*|hope|wants?|needs?|all|every|each|both|and|or|but|then|so|after|before|until|because|since|as|how|why|also|now|still|already|with|without|for|from|in|on|at|by|ran|run|running|after|than';
const KIND = `(?:(?!(?:${NO_KIND})\\b)[\\w'-]+ ){0,3}?`;
const COUNT = '(?:\\d[\\d,]*%? )?';
const JOINED = '(?:,? (?:and|plus|&) |, ?|/| \\+ )';
const NAMES = `(?:(?:all(?: of)?|every(?: single)?|each|both|\\d+%(?: of)?) )?(?:the |my |our )?(?:(?<=\\ball (?:the )?)(?:relevant|related|affected) )?${COUNT}(?:${KIND}(?:unit|integration|e2e)${JOINED})?${KIND}${TESTS}(?: \\([^)]{1,80}\\))?`;
/** What else is checked beside the tests. */
const OTHERS =
  '(?:(?:the )?(?:build|lint(?:er|ing)?|type-?checks?|type checks?|types|typecheck(?:ing)?|format(?:ting|ter)?|compilation|coverage|`[^`]{1,80}`))';
const LIST = `(?:${OTHERS}${JOINED})*${NAMES}(?:${JOINED}(?:and )?${OTHERS})*`;
const ALSO =
  '(?:(?:all|now|are|is|still|also|have|has|were|was|both|again|continue to|ran|run|runs|came back|come back|comes back|finished?|finishes|complete[sd]?|report|reported|successfully) )*';
const PASS = '(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|clean(?:ly)?|ok)';
/** A verb that goes on with an object is another verb: `tests pass full file path to X`. */
const ENDS =
  '(?=[\\s)]*$|[.,;:!()–—✅✓]| [-–—(✅✓🎉]| (?:with|now|again|locally|in|on|for|successfully|cleanly|without|after|across|including|as|and|too|under|at|against|but|except|when|once|if|unless|until|while|before|here|there|both|since|so|because|inside|though|although|apart|aside|today|consistently|everywhere|via|using|or|out of|total|afterwards)\\b)';
const START = '(?<=^|[.,;:(–—→✅✓-] ?|\\b(?:and|that|so|but|then|because|with|now|since|while|where) )';
const RUNNERS =
  '(?:test|tests|pytest|vitest|jest|mocha|rspec|tox|ctest|phpunit|nextest|unittest|check|verify)';

const FORMS: readonly RegExp[] = [
  new RegExp(`${START}${LIST}:? ${ALSO}${PASS}\\b${ENDS}`, 'giu'),
  new RegExp(
    `\\bpass(?:es|ed|ing)? (?:all(?: of)?|the (?:full|entire|whole|complete)) (?:the )?${COUNT}${KIND}${TESTS}\\b`,
    'giu',
  ),
  /(?<=\b(?:everything|implementation|code|it|and|now|still|also) )pass(?:es|ed) (?:(?:the|all|its) )*tests\b/gi,
  /\bno (?:test|spec|suite) failures\b/gi,
  new RegExp(
    `${START}(?:running |ran )?\`(?:[^\`]*[^\\w\`])?${RUNNERS}\\b[^\`]*\`(?: \\([^)]*\\))? ?(?:[:→—–=-]+>? ?|\\()?(?:it |which |everything )?${ALSO}${PASS}\\b${ENDS}`,
    'giu',
  ),
];

/** Commands that run a part: a file, a name or a filter. */
const PART_OF_TESTS =
  /`[^`]*(?: \S+\.\w{1,4}(?=[\s`:])|::| -k | -t | --filter| --grep| -run | --tests )[^`]*`/;

function isStatedBy(form: RegExp, sentence: string): boolean {
  for (const match of sentence.matchAll(form)) {
    if (PART_OF_TESTS.test(match[0])) continue;
    const lead = sentence.slice(0, match.index);
    const rest = sentence.slice(match.index + match[0].length);
    if (!isDoubtfulLead(lead, match[0]) && !isNarrowed(rest)) return true;
  }
  return false;
}

/** Only the clause that the claim stands in, and what a sentence is under from its start. */
function isDoubtfulLead(lead: string, matched: string): boolean {
  const clause = lead.split(/;|\bbut\b|\bhowever\b|, (?:and|so)\b/i).at(-1) ?? '';
  const own =
    /\b(?:i|we)(?:'ve| have)? (?:\w+ )?(?:re-?)?(?:ran|run|executed|verified|confirmed|checked|tested)\b/i.test(
      lead,
    );
  if (isHypothetical(clause) || (isDenied(clause) && !own)) return true;
  if (/^(?:if|unless|assuming|provided|should|with(?:out)?|until)\b/i.test(lead.trim()) && !own) return true;
  return isConditional(clause) && !own && !/,\s*$|\b(?:was|were|had|did|\w+ed)\b/i.test(clause)
    ? true
    : /\b(?:not|never|don't|doesn't)\b/i.test(matched);
}

const NARROWING =
  /^[^;]*?\b(?:if|when|once|until|unless|provided|assuming|except|excluding|apart from|aside from|other than|exception|but (?:for |one|two|three|four|\d|the last|a few|some|not|only)|on (?:main|master|trunk)|before (?:my|the|this|that|i)|yet)\b|^ (?:before|previously|earlier)\b/i;

function isNarrowed(rest: string): boolean {
  const clause = rest.split(/;|, and (?!one|two|three|\d)|, so |, which /i)[0] ?? '';
  if (NARROWING.test(clause) || isElsewhen(clause)) return true;
  // `All tests pass: no`
  return /^\s*:\s*(?:no|false|not)\b/i.test(rest);
}

/** `46 passed`, `73/73 tests pass`, `19 tests, 19 passed`, `1,530 examples, 0 failures`, `154 tests, all green`. */
const COUNTS: readonly RegExp[] = [
  /(?<![\d/.,]|\bof )(?<all>\d[\d,]*)(?:\/(?<total>\d[\d,]*))? (?:(?:unit |integration |e2e )?(?:tests?|specs?|suites?|test suites?|test files?|examples?|cases|assertions|checks) )?(?:(?:all|are|is|now) )*pass(?:ed|ing|es)?\b(?! (?:the|a|an|through|in \w+ out)\b)/gi,
  /(?<total>\d[\d,]*) of (?:the )?(?<all>\d[\d,]*) (?:\w+ )?(?:tests?|specs?|suites?|examples?|cases|checks) (?:\w+ )?pass(?:ed|ing|es)?\b/gi,
  /(?<total>\d[\d,]*) (?:tests?|specs?|examples?|cases|suites?)(?: ran| run| executed)?,? (?:and )?(?<all>\d[\d,]*|all)(?: of them)? (?:pass(?:ed|ing)?|succeeded|green|successful|ok)\b/gi,
  /(?<total>\d[\d,]*) (?:tests?|specs?|examples?|scenarios|cases),? (?:with )?(?:0|no|zero) (?:failures|failed|errors|failing)\b/gi,
];

function isCountOfAll(form: RegExp, sentence: string): boolean {
  for (const match of sentence.matchAll(form)) {
    const { all = '', total = all } = match.groups ?? {};
    if (all !== 'all' && all !== total) continue;
    if (/^0*$/.test(total)) continue;
    const lead = sentence.slice(0, match.index);
    const rest = sentence.slice(match.index + match[0].length);
    if (!isDoubtfulLead(lead, match[0]) && !isNarrowed(rest)) return true;
  }
  return false;
}

const RAN =
  /\b(?:re-?)?(?:ran|run|running|executed)\b.*\b(?:tests?|suites?|checks?|specs)\b|`(?:[\w./-]+ )*(?:test|tests|pytest|vitest|jest|check|ctest)(?: [^`]*)?`|\bverified with\b.*\b(?:suite|tests?)\b|\bfull suite\b|\btest suite\b/i;
const ALL_OF_THEM =
  /(?:^|[:,.;(–—→] ?|\band )(?:(?:they|these|those|(?<=\b(?:ran|run|re-ran)\b.*)it|everything|all(?: of (?:them|it))?)(?: (?:all|now|is|are|has|have|still|came back))*|all) (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i;
const CLEAN =
  /(?:^|[:;,] ?)(?:with )?(?:no|zero|0) (?:test )?failures\b|\bwithout (?:any )?(?:errors|failures)\b/i;
const LABEL =
  /^(?:(?:unit|integration|e2e|all|the) )*(?:tests?|test suites?|suite|specs|test run|unit|integration)\s*(?::|[–—→-]|✅|is|are)\s*/i;
const FINE =
  /^(?:✅|✓|✔|ok\b|green\b|pass(?:ed|ing|es)?\b|all (?:pass|passing|passed|green|ok)\b|success(?:ful)?\b|clean\b)/iu;

export function mentionsRun({ text }: Statement): boolean {
  return RAN.test(text);
}

/** What says that all is well without naming the tests again. */
function refersToChecks(
  { section, before, ticked, form }: Statement,
  sentence: string,
  ranBefore: boolean,
): boolean {
  const label = LABEL.exec(sentence)?.[0];
  if (label !== undefined) {
    const rest = sentence.slice(label.length);
    if (FINE.test(rest) && !isNarrowed(rest)) return true;
  }
  if (ticked && form === 'item' && section !== 'untold' && TICKED_COMMAND.test(sentence)) return true;
  const near = `${before} ${sentence}`;
  const found = ALL_OF_THEM.exec(sentence);
  if (found !== null) {
    const lead = sentence.slice(0, found.index);
    const rest = sentence.slice(found.index + found[0].length);
    const aboutChecks =
      RAN.test(near) ||
      section === 'checks' ||
      /\ball (?:passing|green)\b/i.test(found[0]) ||
      (/\bverything\b/.test(found[0]) && ranBefore);
    if (
      aboutChecks &&
      /^(?=[\s)]*$|[.,;:!()–—]| [-–—(]| (?:with|now|again|locally|without|too|including|after|and|in)\b)/i.test(
        rest,
      ) &&
      !isDoubtfulLead(lead, '') &&
      !isNarrowed(rest)
    )
      return true;
  }
  const clean = CLEAN.exec(sentence);
  return clean !== null && RAN.test(near) && !isDoubtfulLead(sentence.slice(0, clean.index), '');
}

/** `✅ npm test`, as Codex lists what it ran. */
const TICKED_COMMAND =
  /^`[^`]*\b(?:test|tests|pytest|vitest|jest|mocha|rspec|tox|ctest|phpunit|nextest|check)\b[^`]*`(?:\s*\((?![^)]*\b(?:fail|not|error|skip))[^)]*\))?[.]?$/i;

const CHECKED =
  '(?:tests?|specs?|lint\\w*|type-?checks?|type checks?|types|tsc|build|suites?|checks?|ci|e2e|cases?|them|test run)';
/** What stands between a check and its failure, unless it starts a clause about something else. */
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

/** What sounds like a failure and tells of none. */
function withoutHarmless(sentence: string): string {
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

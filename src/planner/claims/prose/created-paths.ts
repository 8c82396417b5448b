import type { Claim } from '../claim.ts';
import { isDenied, isPlanned } from './doubt.ts';
import { isQuestion, type Statement } from './statements.ts';

type Created = Extract<Claim, { kind: 'created' }>;

/** Matches a file at the start of the object of `created …`, such as `a new file src/a.ts with tests`. */
export function createdObject(object: string, verb: string, rest = ''): Created[] {
  const inBrackets = NEW_FILE_NOUN.test(object) ? pathOf(IN_BRACKETS.exec(rest)?.[1], undefined) : null;
  if (inBrackets !== null) return [{ kind: 'created', path: inBrackets }];
  const named = OBJECT.exec(object.trimStart());
  const path = pathOf(named?.[1], named?.[2]);
  const after = object.trimStart().slice(named?.[0].length ?? 0);
  if (path === null || OF_ANOTHER_KIND.test(after) || ELSEWHERE.test(after)) return [];
  // `Added src/a.ts to the include list` adds a name to a list; it doesn't create a file.
  if (verb !== 'created' && !AS_A_WHOLE.test(after)) return [];
  return [{ kind: 'created', path }];
}

/** Matches `wrote the results to notes/benchmarks.md`. */
export function writtenObject(object: string): Created[] {
  const named = WRITTEN_TO.exec(object);
  const path = pathOf(named?.[1], undefined);
  return path === null || ELSEWHERE.test(object) ? [] : [{ kind: 'created', path }];
}

/** Whether the text is nothing but a path, so that it continues a list of files. */
export function isPathAlone(words: string): boolean {
  const named = ALONE.exec(words);
  return pathOf(named?.[1], named?.[2]) !== null;
}

/** Finds files that a statement presents as new without saying that the agent created them. */
export function presentedAsNew(statement: Statement): Created[] {
  const { text, section, form } = statement;
  if (section === 'planned' || isQuestion(statement)) return [];
  if (section === 'created' && form !== 'title') return MODIFIED.test(text) ? [] : createdInItem(text);
  if (form === 'row') return createdInRow(text);
  const isNewPath = (match: RegExpExecArray) => {
    const lead = text.slice(0, match.index);
    return !isDenied(lead) && !isPlanned(lead);
  };
  const named = NEW_FORMS.flatMap((form) => [...text.matchAll(form)]);
  const nouns = [...text.matchAll(NEW_NOUN)].filter(
    ({ index }) =>
      /^(?:(?:there(?:'s| is) )?(?:an?|the))?$/i.test(text.slice(0, index).trim()) ||
      REPORTED.test(text.slice(0, index)),
  );
  const documents = HABIT.test(text) ? [] : DOCUMENT_FORMS.flatMap((form) => [...text.matchAll(form)]);
  return [...named, ...nouns, ...documents].filter(isNewPath).flatMap(({ groups }): Created[] => {
    const path = pathOf(groups?.quoted, groups?.plain);
    return path === null ? [] : [{ kind: 'created', path }];
  });
}

/** Matches `| src/a.ts | New: the parser |`. */
function createdInRow(row: string): Created[] {
  const [, path, plain] = ROW.exec(row) ?? [];
  const created = pathOf(path, plain);
  return created === null ? [] : [{ kind: 'created', path: created }];
}

/** The file that an item under `New files` starts with, or names in parentheses. */
function createdInItem(item: string): Created[] {
  const named = LISTED.exec(item) ?? /^[^`(]{1,60}\(`([^`\s]+)`\)/.exec(item);
  const path = pathOf(named?.[1], named?.[2]);
  return path === null ? [] : [{ kind: 'created', path }];
}

/** What may follow a file that was created as a whole: `Added src/a.ts with the parser`. */
const AS_A_WHOLE =
  /^(?:$|[,:;.(–—]| [–—(-]| (?:with|that|which|containing|for|covering|and|plus|holding|so|using|via)\b)/i;

/** A bare name is a file only with a known file extension: `Node.js` and `React.Component` aren't files. */
const ENDINGS =
  'tsx?|[mc]?ts|[mc]?jsx?|jsonc?|mdx?|txt|ya?ml|toml|pyi?|rb|go|rs|java|kts?|swift|[ch]|cc|[ch]pp|cs|fs|php|sh|bash|zsh|fish|ps1|sql|s?css|sass|less|html?|vue|svelte|astro|xml|csv|tsv|ini|cfg|conf|env|lock|proto|graphql|gql|tf|tfvars|hcl|R|jl|lua|dart|exs?|erl|hs|ml|scala|clj|gradle|properties|plist|ipynb|rst|adoc|svg|png|jpe?g|gif|webp|ico|pdf|snap|prisma|sol|zig|nix|bat|cmd|mk|cmake|patch|webmanifest|service|gitignore|example';
const PLAIN = `(?:[\\w@.-]+/)*[\\w@.-]*\\.(?:${ENDINGS})`;
const NAME = `(?:\`([^\`\\s]+)\`|(${PLAIN}))(?=\\s|$|[(:,;.!](?:\\s|$)|\\()`;
/** Words between the verb and the file. No prepositions: after one, the path is where something else was created. */
const NOUNS =
  "(?:(?!(?:in|to|for|from|into|of|on|using|with|by|so|that|which|where|when|and|or)\\b)[\\w'’-]+ ){0,8}?";
const OBJECT = new RegExp(`^${NOUNS}${NAME}`, 'i');
const ALONE = new RegExp(
  `^(?:(?:a|an|the|new|its) )*${NAME}(?: (?:file|component|hook|script|module|page|test|guide|helper|spec|config)s?)?(?: (?:with|that|which|containing|for|covering)\\b.*)?(?:\\s*\\([^)]*\\)?)?$`,
);
const LISTED = new RegExp(`^${NAME}`);
const ROW = new RegExp(
  `^${NAME}: (?:new|created|added)(?:$|[:,.]| (?:file|module|script|component|test|tests|page|hook)\\b)`,
  'i',
);
/**
 * Nouns for things that are a file of their own, unlike a function or a test case, which can go into an existing
 * file.
 */
const FILE_NOUN =
  '(?:files?|modules?|scripts?|components?|hooks?|pages?|migrations?|workflows?|documents?|guides?|runbooks?|records?|reports?|templates?|schemas?|stylesheets?|fixtures?|specs?|packages?|Dockerfile|test (?:file|suite|module)|config(?:uration)?(?: file)?|helpers?|stor(?:y|ies)|playbooks?|manifests?|binar(?:y|ies)|plugins?|workers?|middlewares?|models?|views?)';
const NEW_FILE_NOUN = new RegExp(
  `^ (?:an?|(?:the )?new) (?:(?!(?:to|in|for|from|into|of|on|with)\\b)[\\w'\`-]+ ){0,4}?${FILE_NOUN}$`,
  'i',
);
const IN_BRACKETS = /^ \(`([^`\s]+)`\)/;
const WRITTEN_TO = /^ (?:[\w'-]+ ){0,6}(?:to|into|in|as|at|under) (?:a (?:new )?file )?`([^`\s]+)`/i;

const DOCUMENT =
  '(?:documents?|docs?|reports?|write-?ups?|analysis|audit|designs?|proposal|results?|findings|notes|summary|plan|guide|runbook|record|inventory|output|overview|benchmarks?|table|list)';
const AT_PATH = `(?:\`(?<quoted>[^\`\\s]+)\`|(?<plain>(?:[\\w@.-]+/)+[\\w@.-]*\\.(?:${ENDINGS}))\\b)`;
/** Matches `in the new module src/env.ts`. */
const NEW_FILE = new RegExp(
  `\\b(?:in|into|using|with|via|from|through|to) (?:an?|the|its own) new ${FILE_NOUN},? \\(?${AT_PATH}`,
  'gi',
);
/** Matches `a new hook, src/hooks/useMedia.ts`; it counts only after a verb that reports work. */
const NEW_NOUN = new RegExp(
  `\\bnew:? (?:(?!(?:in|to|for|from|of|on|by|with|using|into|like|inside|and|or)\\b)[\\w'-]+[ ,:(]+){0,3}${AT_PATH}`,
  'gi',
);
const REPORTED =
  /\b(?:explained|documented|described|lives?|kept|extracted|moved|put|written|created|added|split|pulled|factored|wrote|collected|introduced|it's|now)\b/i;
const NEW_FORMS: readonly RegExp[] = [
  NEW_FILE,
  new RegExp(
    `${AT_PATH} ?(?:\\((?:new|created|added)(?: file)?[,;)]|[–—-] (?:new|created)(?: (?:file|module|script|component|spec|test|tests|hook|page|migration|document|guide)\\b|(?=$|[,;:.(]| [–—-]))|created\\b)`,
    'gi',
  ),
];
const DOCUMENT_FORMS: readonly RegExp[] = [
  new RegExp(
    `\\b${DOCUMENT}(?: \\w+)?(?: (?:is|are|was|were|has been|have been))?(?: now)? (?:written|saved|exported|stored|recorded|dumped|available|published)(?: \\w+)? (?:to|in|at|as|into|under) ${AT_PATH}`,
    'gi',
  ),
  new RegExp(
    `\\b${DOCUMENT}(?: (?:is|are|has been|have been))?(?: now)? (?:written|ready|done|finished|complete): ${AT_PATH}`,
    'gi',
  ),
  new RegExp(`^(?:written|saved|exported) (?:to|in|at|as|into) ${AT_PATH}`, 'gi'),
  new RegExp(
    `\\b(?:documents?|docs?|reports?|write-?ups?|analysis|audit|proposal)(?: (?:is|lives|can be found))? (?:at|here:) ${AT_PATH}(?! (?:says|requires|states|defines|mentions|specifies|asks|demands|already)\\b)`,
    'gi',
  ),
  new RegExp(`\\badded at ${AT_PATH}`, 'gi'),
];
const MODIFIED = /^\S+ \((?:modified|updated|changed|edited|existing)\b/i;
/** Marks something that a program does repeatedly, not a file that the agent wrote. */
const HABIT =
  /\b(?:every|each|whenever|by default|at runtime|on (?:start|exit|error|failure)|after each|when|if|existing)\b/i;

/** Nouns that show that the dotted name before them isn't a file. */
const OF_ANOTHER_KIND =
  /^ (?:branch|class|function|method|command|type|interface|table|endpoint|route|variable|app|application|project|server|service|package|module|namespace|release|tag|version|of)\b/i;
const ELSEWHERE = /\b(?:temp\w*|outside)\b/i;

const NAMES_WITHOUT_ENDING =
  /(?:^|\/)(?:[A-Z][a-z]+file|LICENSE|\.(?:env|[a-z]*ignore|[a-z]*rc|editorconfig|gitattributes|gitkeep|mailmap|node-version|tool-versions))$/;

/**
 * Returns null for folders and for files outside the workspace: no diff contains them, so the claim couldn't be
 * confirmed.
 */
function pathOf(quoted: string | undefined, plain: string | undefined): string | null {
  const path = (quoted ?? plain ?? '').replace(/:\d+(?:-\d+)?$/, '').replace(/^\.\//, '');
  if (path === '' || /^[/~]|^\.\.(?:\/|$)|\/$|:\/\/|^[^/]+@[^/]+$|^(?:e\.g|i\.e)$|[*{<$…]|\.{3}/i.test(path))
    return null;
  const isFile = /[^./]\.[A-Za-z][A-Za-z0-9]{0,11}$/.test(path);
  if (!isFile) return quoted !== undefined && NAMES_WITHOUT_ENDING.test(path) ? path : null;
  if (/^[A-Za-z_]\w*\.[a-z]+[A-Z]\w*$/.test(path)) return null;
  return quoted === undefined && /^[A-Z][a-z]+\.js$/.test(path) ? null : path;
}

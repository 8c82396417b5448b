import { type Assignment, programOf, UNKNOWN_CONTENT, type Word } from '../grammar/shell-word.ts';
import { optionValues, parseOptions } from '../programs/options.ts';

/** Variables that decide which program runs, or make a harmless program run another one. */
const STEERING_VARIABLE =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|BASH_CMDS|BASH_ALIASES|SHELLOPTS|BASHOPTS|PS[04]|PROMPT_COMMAND|ZDOTDIR|XDG_CONFIG_HOME|INPUTRC|FCEDIT|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|TAR_OPTIONS|RSYNC_RSH|GOFLAGS|GCONV_PATH|DOTNET_STARTUP_HOOKS|JDK_JAVA_OPTIONS|PYTHONBREAKPOINT|RUSTC|RUSTDOC|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUST.*|CDPATH|HOME|SHELL|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5DB|RUBYOPT|LUA_INIT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|RUSTC_WRAPPER|CARGO_.*RUNNER|EXINIT|VIMINIT|LESSOPEN|LESSCLOSE|MANPAGER|SSH_ASKPASS|SUDO_ASKPASS|CONDUCTOR_.*)$/;
/** npm's settings as variables that do the same. */
const STEERING_NPM_VARIABLE =
  /^npm_config_(?:script_shell|shell|node_options|git|editor|viewer|browser|userconfig|globalconfig|init_module)$/i;
/** Variables that name a program which other programs start. */
const PROGRAM_VARIABLE = /^(?:.*_)?(?:PAGER|EDITOR|VISUAL|BROWSER)$/;
/** Values of those that start nothing harmful. */
const HARMLESS_PROGRAM = /^(?:|cat|less|more|true|:|false|none|echo)(?: -[A-Za-z]+)*$/;
/** Variables of git that neither redirect it nor make it run a program. */
const HARMLESS_GIT_VARIABLE =
  /^GIT_(?:AUTHOR_.*|COMMITTER_.*|TERMINAL_PROMPT|TRACE.*|OPTIONAL_LOCKS|MERGE_AUTOEDIT|CEILING_DIRECTORIES|LITERAL_PATHSPECS|ADVICE)$/;

/** Harmless values that don't affect which program runs; every word must match. */
const HARMLESS_WORDS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS:
    /^--(?:max-old-space-size|max-semi-space-size|stack-size|stack-trace-limit|unhandled-rejections|dns-result-order|max-http-header-size|localstorage-file)=\w+$|^--(?:no-)?(?:warnings|deprecation|trace-[a-z-]+|enable-source-maps|experimental-vm-modules|experimental-strip-types|experimental-fetch|openssl-legacy-provider|throw-deprecation|preserve-symlinks|expose-gc)$/,
  GOFLAGS: /^-(?:mod=\w+|count=\d+|p=\d+|tags=[\w,]+|buildvcs=\w+|race|v|trimpath|short|json|cover)$/,
  MAKEFLAGS: /^(?:-?j\d*|-?[ksn]|--(?:no-print-directory|jobs=\d+|silent|keep-going))$/,
};

/** Folders in which programs are installed, as entries of `PATH`. */
const INSTALL_FOLDER =
  /^(?:\$PATH|\$\{PATH\}|\/(?:usr|opt|bin|sbin|snap|nix|home|root|Users)(?:\/[\w.@+-]+)*|(?:~|\$HOME|\$\{HOME\}|\$\{?[A-Z][A-Z_]+\}?)(?:\/[\w.@+-]+)+|(?:\$PWD\/|\$\{PWD\}\/|\$\(pwd\)\/|\.?\/)?(?:[\w.@+-]+\/)*(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)|\$\(go env GOPATH\)\/bin)$/;

/** When a shell evaluates a variable arithmetically, it runs command substitutions in a subscript of its value. */
const RUNNING_SUBSCRIPT = /\[[^\]]*(?:\$\(|`)/;

/** Why a policy with `commands` forbids setting a variable, or null. */
export function explainVariable({ name, value, content }: Assignment, hasAllowList: boolean): string | null {
  if (RUNNING_SUBSCRIPT.test(name) || RUNNING_SUBSCRIPT.test(value ?? ''))
    return `${name.split('[')[0]} holds a command substitution in a subscript`;
  if (PROGRAM_VARIABLE.test(name) && name !== 'MANPAGER')
    return value !== null && HARMLESS_PROGRAM.test(value)
      ? null
      : `${name} makes other programs start a program`;
  if (name.startsWith('GIT_'))
    return HARMLESS_GIT_VARIABLE.test(name) ? null : `${name} redirects git or makes it run a program`;
  if (!STEERING_VARIABLE.test(name) && !STEERING_NPM_VARIABLE.test(name)) return null;
  const text = content.kind === 'word' ? content.word.text : null;
  if (text !== null && isHarmlessValue(name, text, value, hasAllowList)) return null;
  return `${name} changes what other programs do`;
}

function isHarmlessValue(name: string, text: string, value: string | null, hasAllowList: boolean): boolean {
  // Fewer separators split less. Others would split words where this parser does not.
  if (name === 'IFS') return value !== null && /^[ \t\n]*$/.test(value);
  // With an allow-list, the folders in `PATH` decide what the allowed names mean.
  if (name === 'PATH')
    return (
      !hasAllowList &&
      text !== '' &&
      text.split(':').every((part) => INSTALL_FOLDER.test(part) && !part.includes('..'))
    );
  const words = Object.hasOwn(HARMLESS_WORDS, name) ? HARMLESS_WORDS[name] : undefined;
  if (words === undefined || value === null) return false;
  return value.split(/\s+/).every((word) => word === '' || words.test(word));
}

const EVALUATING_BUILTINS = new Set([
  'let',
  'test',
  '[',
  '[[',
  'declare',
  'typeset',
  'local',
  'readonly',
  'export',
]);
const NAMEREF_BUILTINS = new Set(['declare', 'typeset', 'local']);

/** Why a command that evaluates variables, or makes one refer to another, can't be decided. */
export function explainEvaluation(words: readonly Word[]): string | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (EVALUATING_BUILTINS.has(program) && rest.some(({ text }) => RUNNING_SUBSCRIPT.test(text)))
    return `${program} runs a command substitution in a subscript`;
  if (NAMEREF_BUILTINS.has(program) && rest.some(({ text }) => /^-\w*n/.test(text)))
    return `${program} makes a name an alias of another variable`;
  return null;
}

const FILLING_BUILTINS = new Set(['read', 'mapfile', 'readarray', 'unset', 'getopts', 'let']);

/** Variables that a shell builtin sets without an equals sign. */
export function readFilledVariables(words: readonly Word[]): Assignment[] {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program === 'printf') {
    const names = optionValues(parseOptions(rest, { letters: 'v', stopAtOperand: true }), '-v');
    return names.map(({ text }) => unknownValue(text));
  }
  if (!FILLING_BUILTINS.has(program)) return [];
  const names = rest.map(({ text }) => text.replace(/^-\w/, '').replace(/[-+*/%]?=.*$/s, ''));
  return names.filter((name) => /^[A-Za-z_]\w*(?:\[.*\])?$/s.test(name)).map(unknownValue);
}

function unknownValue(name: string): Assignment {
  return { name, value: null, content: UNKNOWN_CONTENT, appends: false };
}

import { optionValues, parseOptions } from './options.ts';
import { type Assignment, programOf, type Word } from './shell-word.ts';

/** Variables that decide which program runs, or make a harmless one run another. */
const STEERING =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|BASH_CMDS|BASH_ALIASES|SHELLOPTS|BASHOPTS|PS[04]|PROMPT_COMMAND|ZDOTDIR|XDG_CONFIG_HOME|INPUTRC|FCEDIT|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|TAR_OPTIONS|RSYNC_RSH|GOFLAGS|GCONV_PATH|DOTNET_STARTUP_HOOKS|JDK_JAVA_OPTIONS|PYTHONBREAKPOINT|RUSTC|RUSTDOC|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUST.*|CDPATH|HOME|SHELL|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|LUA_INIT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|RUSTC_WRAPPER|CARGO_.*RUNNER|npm_config_.*|NPM_CONFIG_.*|EXINIT|VIMINIT|LESSOPEN|LESSCLOSE|MANPAGER|SSH_ASKPASS|SUDO_ASKPASS|CONDUCTOR_.*)$/;
const STARTING = /^(?:.*_)?(?:PAGER|EDITOR|VISUAL|BROWSER)$/;
const HARMLESS_PROGRAM = /^(?:|cat|less|more|true|:|false|none|echo)(?: -[A-Za-z]+)*$/;
const HARMLESS_OF_GIT =
  /^GIT_(?:AUTHOR_.*|COMMITTER_.*|TERMINAL_PROMPT|TRACE.*|OPTIONAL_LOCKS|MERGE_AUTOEDIT|CEILING_DIRECTORIES|LITERAL_PATHSPECS|ADVICE)$/;

/** Where a shell computes with a variable, it runs the substitutions in a subscript that the value holds. */
const RUNNING_SUBSCRIPT = /\[[^\]]*(?:\$\(|`)/;

/** Why a variable may not be set, or null. */
export function variableProblem({ name, value }: Assignment): string | null {
  if (RUNNING_SUBSCRIPT.test(name) || RUNNING_SUBSCRIPT.test(value ?? ''))
    return `${name.split('[')[0]} holds a command substitution in a subscript`;
  if (STARTING.test(name) && name !== 'MANPAGER')
    return value !== null && HARMLESS_PROGRAM.test(value)
      ? null
      : `${name} makes other programs start a program`;
  if (name.startsWith('GIT_'))
    return HARMLESS_OF_GIT.test(name) ? null : `${name} makes git work elsewhere or run something`;
  return STEERING.test(name) ? `${name} decides what other programs do` : null;
}

const EVALUATING = new Set(['let', 'test', '[', '[[', 'declare', 'typeset', 'local', 'readonly', 'export']);
const REFERRING = new Set(['declare', 'typeset', 'local']);

/** Why a command that computes with variables, or makes one stand for another, can't be judged. */
export function evaluationProblem(words: readonly Word[]): string | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (EVALUATING.has(program) && rest.some(({ text }) => RUNNING_SUBSCRIPT.test(text)))
    return `${program} runs a command substitution in a subscript`;
  if (REFERRING.has(program) && rest.some(({ text }) => /^-\w*n/.test(text)))
    return `${program} makes a name stand for another variable`;
  return null;
}

const FILLING = new Set(['read', 'mapfile', 'readarray', 'unset', 'getopts']);

/** Variables that a command of the shell fills without an equals sign. */
export function filled(words: readonly Word[]): Assignment[] {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program === 'printf') {
    const names = optionValues(parseOptions(rest, { letters: 'v', stopAtOperand: true }), '-v');
    return names.map(({ text }) => ({ name: text, value: null }));
  }
  if (!FILLING.has(program)) return [];
  return rest.map(({ text }) => ({ name: text.replace(/^-\w/, ''), value: null }));
}

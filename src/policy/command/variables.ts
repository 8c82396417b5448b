import { type Assignment, programOf, type Word } from './shell-word.ts';

/** Variables that decide which program runs, or make a harmless one run another. */
const STEERING =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|HOME|SHELL|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|LUA_INIT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|RUSTC_WRAPPER|CARGO_.*RUNNER|npm_config_.*|NPM_CONFIG_.*|EXINIT|VIMINIT|LESSOPEN|LESSCLOSE|MANPAGER|SSH_ASKPASS|SUDO_ASKPASS|CONDUCTOR_.*)$/;
const STARTING = /^(?:.*_)?(?:PAGER|EDITOR|VISUAL|BROWSER)$/;
const HARMLESS_PROGRAM = /^(?:|cat|less|more|true|:|false|none|echo)(?: -[A-Za-z]+)*$/;
const HARMLESS_OF_GIT =
  /^GIT_(?:AUTHOR_.*|COMMITTER_.*|TERMINAL_PROMPT|TRACE.*|OPTIONAL_LOCKS|MERGE_AUTOEDIT|CEILING_DIRECTORIES|LITERAL_PATHSPECS|ADVICE)$/;

/** Why a variable may not be set, or null. */
export function variableProblem({ name, value }: Assignment): string | null {
  if (STARTING.test(name) && name !== 'MANPAGER')
    return value !== null && HARMLESS_PROGRAM.test(value)
      ? null
      : `${name} makes other programs start a program`;
  if (name.startsWith('GIT_'))
    return HARMLESS_OF_GIT.test(name) ? null : `${name} makes git work elsewhere or run something`;
  return STEERING.test(name) ? `${name} decides what other programs do` : null;
}

const FILLING = new Set(['read', 'mapfile', 'readarray', 'unset']);

/** Variables that a command of the shell fills without an equals sign. */
export function filled(words: readonly Word[]): Assignment[] {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program === 'printf') {
    const at = rest.findIndex(({ text }) => text === '-v');
    const name = at < 0 ? undefined : rest[at + 1];
    return name === undefined ? [] : [{ name: name.text, value: null }];
  }
  return FILLING.has(program) ? rest.map(({ text }) => ({ name: text, value: null })) : [];
}

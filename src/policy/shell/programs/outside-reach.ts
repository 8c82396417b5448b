import { programOf, type Word } from '../grammar/shell-word.ts';
import { hasOption, parseOptions } from './options.ts';

/** Commands that use the network, and commands that change a project's dependencies. */

const NETWORK_PROGRAMS = new Set(
  'curl wget http https xh aria2c axel ssh scp sftp ftp lftp telnet nc ncat netcat socat ping ping6 traceroute dig nslookup host whois mosh rclone gh glab hub aws gcloud gsutil az kubectl helm apt apt-get aptitude yum dnf zypper apk pacman brew snap flatpak pnpx bunx uvx'.split(
    ' ',
  ),
);

/** Package manager verbs that use the network. */
const NETWORK_VERBS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:i|in|ins|inst|insta|instal|install|isnt|isntall|ci|clean-install|install-clean|it|install-test|cit|add|update|up|upgrade|udpate|publish|unpublish|view|info|show|v|search|outdated|audit|login|adduser|whoami|ping|dist-tag|owner|access|create|init|innit|deprecate|star|token|profile|team)$/,
  pnpm: /^(?:i|install|add|update|up|upgrade|publish|dlx|create|outdated|audit|fetch)$/,
  yarn: /^(?:|install|add|up|upgrade|publish|dlx|create|outdated|audit|npm|info)$/,
  bun: /^(?:i|install|add|a|update|upgrade|publish|x|create|outdated)$/,
  deno: /^(?:add|install|i|publish|upgrade|outdated|update)$/,
  pip: /^(?:install|download|wheel|search|index)$/,
  pipx: /^(?:install|run|upgrade|upgrade-all|inject)$/,
  pipenv: /^(?:install|update|sync|lock|upgrade)$/,
  uv: /^(?:add|sync|lock|pip|tool|publish|python)$/,
  poetry: /^(?:add|install|update|lock|publish)$/,
  pdm: /^(?:add|install|sync|update|lock|publish)$/,
  conda: /^(?:install|create|update|search)$/,
  cargo: /^(?:add|install|fetch|update|publish|search|login|upgrade)$/,
  go: /^(?:get|install)$/,
  gem: /^(?:install|i|update|push|fetch|search)$/,
  bundle: /^(?:|install|update|add|outdated)$/,
  composer: /^(?:install|i|update|u|upgrade|require|create-project|global)$/,
  docker: /^(?:pull|push|login|search)$/,
  podman: /^(?:pull|push|login|search)$/,
};

/** Package manager verbs that change manifests or lock files; `named` verbs do so only with an operand. */
const CHANGING_VERBS: Readonly<Record<string, { readonly always: RegExp; readonly named?: RegExp }>> = {
  npm: {
    always:
      /^(?:add|update|up|upgrade|udpate|uninstall|unlink|remove|rm|r|un|dedupe|ddp|find-dupes|link|ln|shrinkwrap)$/,
    named: /^(?:i|in|ins|inst|insta|instal|install|isnt|isntall|it|install-test)$/,
  },
  pnpm: {
    always: /^(?:add|update|up|upgrade|remove|rm|uninstall|un|dedupe|import|link|ln)$/,
    named: /^(?:i|install)$/,
  },
  yarn: { always: /^(?:add|up|upgrade|upgrade-interactive|remove|dedupe|link|unlink)$/ },
  bun: { always: /^(?:add|a|update|remove|rm|link)$/, named: /^(?:i|install)$/ },
  deno: { always: /^(?:add|remove|update)$/, named: /^(?:i|install)$/ },
  pip: { always: /^uninstall$/, named: /^install$/ },
  pipenv: { always: /^(?:uninstall|update|upgrade|lock)$/, named: /^install$/ },
  uv: { always: /^(?:add|remove|lock)$/ },
  poetry: { always: /^(?:add|remove|update|lock)$/ },
  pdm: { always: /^(?:add|remove|update|lock)$/ },
  conda: { always: /^(?:install|remove|update)$/ },
  cargo: { always: /^(?:add|remove|rm|update|upgrade|generate-lockfile)$/ },
  go: { always: /^(?:get)$/ },
  gem: { always: /^(?:uninstall|update)$/, named: /^(?:install|i)$/ },
  bundle: { always: /^(?:add|remove|update|lock)$/ },
  composer: { always: /^(?:require|remove|update|u|upgrade)$/ },
  pod: { always: /^(?:install|update)$/ },
  mix: { always: /^deps\.(?:update|unlock)$/ },
};

interface Verb {
  readonly program: string;
  readonly verb: string;
  readonly operands: readonly Word[];
}

function readVerb(words: readonly Word[]): Verb {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (/^(?:python|pypy)[\d.]*$/.test(program)) {
    const at = rest.findIndex(({ text }) => text === '-m');
    if (at >= 0 && rest[at + 1]?.text === 'pip') return readVerb(rest.slice(at + 1));
  }
  const form = {
    letters: 'Crw',
    names: [
      '--prefix',
      '--dir',
      '--cwd',
      '--filter',
      '--workspace',
      '--requirement',
      '--loglevel',
      '--registry',
    ],
  };
  const [verb, ...operands] = parseOptions(rest, form).operands;
  return { program: /^pip[\d.]*$/.test(program) ? 'pip' : program, verb: verb?.text ?? '', operands };
}

export function reachesNetwork(words: readonly Word[]): boolean {
  const { program, verb, operands } = readVerb(words);
  if (NETWORK_PROGRAMS.has(program)) return true;
  if (program === 'rsync') return words.slice(1).some(({ text }) => /^[^/]+:|^rsync:\/\//.test(text));
  if (program === 'go' && verb === 'mod') return operands[0]?.text !== 'edit';
  const isInfoOnly = words.length === 2 && words[1]?.text.startsWith('-') === true;
  const verbs = Object.hasOwn(NETWORK_VERBS, program) ? NETWORK_VERBS[program] : undefined;
  return verbs !== undefined && !isInfoOnly && verbs.test(verb);
}

/** Installing the project itself adds no dependency. */
const OWN_PROJECT = /^\.{1,2}(?:\/|\[|$)/;

export function changesDependencies(words: readonly Word[]): boolean {
  const { program, verb, operands } = readVerb(words);
  const [next] = operands;
  if (program === 'go' && verb === 'mod')
    return !['', 'download', 'graph', 'verify', 'why'].includes(next?.text ?? '');
  if (program === 'uv' && verb === 'pip')
    return changesDependencies(words.slice(1).filter(({ text }) => text !== 'uv'));
  if (program === 'npm' && verb === 'audit') return next?.text === 'fix';
  if (program === 'npm' && verb === 'pkg') return next?.text === 'set' || next?.text === 'delete';
  if (program === 'dotnet' && (verb === 'add' || verb === 'remove'))
    return operands.some(({ text }) => text === 'package');
  if ((program === 'dart' || program === 'flutter') && verb === 'pub')
    return /^(?:add|remove|upgrade)$/.test(next?.text ?? '');
  if (program === 'swift' && verb === 'package')
    return next?.text === 'update' || next?.text === 'add-dependency';
  const verbs = Object.hasOwn(CHANGING_VERBS, program) ? CHANGING_VERBS[program] : undefined;
  if (verbs === undefined) return false;
  if (hasOption(parseOptions(words.slice(1)), '--help')) return false;
  if (verbs.always.test(verb)) return true;
  return verbs.named?.test(verb) === true && operands.some(({ text }) => !OWN_PROJECT.test(text));
}

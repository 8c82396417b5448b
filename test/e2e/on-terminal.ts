import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../dist/bin/conductor.js', import.meta.url));

/** Gives the command a terminal of its own; each answer is typed once the command has printed what it waits for. */
const TERMINAL = `
import fcntl, json, os, pty, struct, sys, termios
typed = [(seen.encode(), keys.encode()) for seen, keys in json.loads(sys.argv[1])]
ready, start = os.pipe()
pid, fd = pty.fork()
if pid == 0:
    os.read(ready, 1)
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[2]), 0, 0))
os.write(start, b"x")
seen = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    sys.stdout.buffer.write(data)
    while typed and typed[0][0] in seen:
        awaited, keys = typed.pop(0)
        seen = seen[seen.index(awaited) + len(awaited):]
        os.write(fd, keys)
_, status = os.waitpid(pid, 0)
sys.stdout.flush()
os._exit(os.waitstatus_to_exitcode(status) & 255)
`;

/** What to wait for in the output, and what to type then. */
type Typed = readonly [awaited: string, keys: string];

/** Runs the command at a terminal and types an answer. */
export async function onTerminal(
  place: {
    readonly root: string;
    readonly home: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
  },
  args: readonly string[],
  typed: string | readonly Typed[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const answers = typeof typed === 'string' ? (typed === '' ? [] : [['?', typed]]) : typed;
  const child = spawn(
    'python3',
    [
      '-c',
      TERMINAL,
      JSON.stringify(answers),
      String(place.columns ?? 400),
      process.execPath,
      COMMAND,
      ...args,
    ],
    {
      cwd: place.root,
      env: {
        PATH: process.env.PATH,
        HOME: place.home,
        XDG_CONFIG_HOME: `${place.home}/.config`,
        TERM: 'xterm',
        NO_COLOR: '1',
        LANG: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        GITHUB_TOKEN: 'ghp_secret_of_the_user',
        ...place.env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

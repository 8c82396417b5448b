import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { StartedCli } from '../../testing/cli.ts';
import { networkNamespacesHere } from '../integration/network-namespaces-here.ts';
import { readPrintedQr } from './read-qr.ts';
import { test as base, type Scene, until } from './scene.ts';

/** Two machines in one network, and a second network that only the first one is in. */
const NETWORK = `
set -e
ip link set lo up
unshare --net sleep infinity &
phone=$!
until [ "$(readlink /proc/$phone/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add lan0 type veth peer name phone0 netns $phone
ip addr add 192.0.2.1/24 dev lan0
ip addr add 2001:db8::1/64 dev lan0 nodad
ip link set lan0 up
ip link add office0 type veth peer name office1
ip addr add 198.51.100.1/24 dev office0
ip link set office0 up
ip link set office1 up
on_phone="nsenter --net=/proc/$phone/ns/net"
$on_phone ip link set lo up
$on_phone ip addr add 192.0.2.2/24 dev phone0
$on_phone ip addr add 2001:db8::2/64 dev phone0 nodad
$on_phone ip link set phone0 up
$on_phone ip route add default via 192.0.2.1
echo ready
wait
`;
/** Its processes end with their first one, because they have a PID namespace of their own. */
const MACHINES = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--mount-proc', '--kill-child'];

interface Network {
  /** What starts a program on the machine with the repository. */
  readonly here: readonly string[];
  /** What starts a program on the other machine. */
  readonly phone: readonly string[];
}

const test = base.extend<{ network: Network }>({
  network: async ({ task: _task }, use) => {
    const child = spawn('unshare', [...MACHINES, 'sh', '-c', NETWORK], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    try {
      await until(() => {
        if (child.exitCode !== null) throw new Error(`the network could not be made: ${output}`);
        return output.includes('ready');
      });
      const shell = onlyChild(String(child.pid));
      const enter = (pid: string) => [
        'nsenter',
        '--preserve-credentials',
        '--user',
        '--net',
        '--target',
        pid,
      ];
      await use({ here: enter(shell), phone: enter(onlyChild(shell)) });
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
});

function onlyChild(pid: string): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
}

/** Sends one request and prints what came back as JSON; a browser's `fetch` would not let a test choose the headers. */
const REQUEST = `
const [url, method, headers, body] = JSON.parse(process.argv[1]);
const { request } = await import(url.startsWith('https') ? 'node:https' : 'node:http');
let fingerprint = null;
const sent = request(url, { method, headers, rejectUnauthorized: false }, (answer) => {
  let text = '';
  answer.on('data', (chunk) => { text += chunk; });
  answer.on('end', () => console.log(JSON.stringify({ status: answer.statusCode, headers: answer.headers, text, fingerprint })));
});
sent.on('socket', (socket) => socket.on('secureConnect', () => { fingerprint = socket.getPeerCertificate().fingerprint256; }));
sent.on('error', (error) => console.log(JSON.stringify({ status: error.code, headers: {}, text: '', fingerprint: null })));
sent.setTimeout(5_000, () => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
sent.end(body);
`;

interface Answer {
  readonly status: number | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly fingerprint: string | null;
}

async function ask(
  through: readonly string[],
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { readonly method?: string; readonly headers?: object; readonly body?: string } = {},
): Promise<Answer> {
  const [program, ...words] = [
    ...through,
    process.execPath,
    '--input-type=module',
    '-e',
    REQUEST,
    JSON.stringify([url, method, headers, body]),
  ];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await once(child, 'close');
  return JSON.parse(output) as Answer;
}

async function serve(scene: Scene, through: readonly string[], ...args: readonly string[]) {
  const server = scene.cli.start(['serve', '--port', '0', '--print-code', ...args], { through });
  const url = await until(() => /^(https?:\S+)\n/.exec(server.stdout())?.[1] ?? failed(server));
  const pairUrl = await until(() => /(https?:\S+#pair=[\w-]{22})\n/.exec(server.stderr())?.[1]);
  return { server, url, pairUrl };
}

function failed(server: StartedCli): null {
  if (server.stderr().includes('error:')) throw new Error(server.stderr());
  return null;
}

describe.skipIf(!networkNamespacesHere)('the page in a network', { timeout: 120_000 }, () => {
  test('is at the chosen address alone, and a phone there pairs by the QR code', async ({
    openScene,
    network: { here, phone },
  }) => {
    const scene = await openScene();
    const { server, url, pairUrl } = await serve(scene, here, '--lan', 'lan0');
    expect(url).toMatch(/^http:\/\/192\.0\.2\.1:\d+\/$/);
    const { port, host, origin } = new URL(url);
    expect(server.stderr()).toContain('every device in that network can reach this address');
    expect(server.stderr()).toContain('without --tls');
    // A phone's camera reads the whole address, and what follows the # is not sent to the server.
    await until(() => readPrintedQr(server.stderr()) === pairUrl);
    expect((await ask(phone, url)).status).toBe(200);
    expect((await ask(phone, `${origin}/api/session`)).status).toBe(401);
    const code = new URL(pairUrl).hash.replace('#pair=', '');
    const body = JSON.stringify({ code, name: 'phone of Ann' });
    const post = (from: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(body.length), origin: from },
      body,
    });
    expect((await ask(phone, `${origin}/api/pair`, post('http://evil.example'))).status).toBe(403);
    const paired = await ask(phone, `${origin}/api/pair`, post(origin));
    expect(paired.status).toBe(200);
    const cookie = String(paired.headers['set-cookie']).split(';')[0] ?? '';
    const session = await ask(phone, `${origin}/api/session`, { headers: { cookie } });
    expect(session).toMatchObject({ status: 200, text: expect.stringContaining('phone of Ann') });
    const { stdout } = await scene.cli.run(['serve', '--sessions', '--json']);
    expect(stdout).toContain('"from": "192.0.2.2"');
    // Other addresses of this machine, and names that a stranger points at it.
    for (const other of [
      `http://127.0.0.1:${port}/`,
      `http://198.51.100.1:${port}/`,
      `http://[2001:db8::1]:${port}/`,
    ])
      expect([other, (await ask(here, other)).status]).toEqual([other, 'ECONNREFUSED']);
    expect((await ask(phone, `http://198.51.100.1:${port}/`)).status).not.toBe(200);
    for (const foreign of [`127.0.0.1:${port}`, `localhost:${port}`, `rebound.example:${port}`, '192.0.2.1'])
      expect([foreign, (await ask(phone, url, { headers: { host: foreign } })).status]).toEqual([
        foreign,
        421,
      ]);
    expect((await ask(phone, url, { headers: { host } })).status).toBe(200);
    server.kill('SIGTERM');
    await server.done;
  });

  test('is encrypted with the certificate whose fingerprint is printed', async ({
    openScene,
    network: { here, phone },
  }) => {
    const scene = await openScene();
    const first = await serve(scene, here, '--lan', 'lan0', '--tls');
    const printed = /fingerprint of the certificate \(SHA-256\): (\S+)/.exec(first.server.stderr())?.[1];
    const answer = await ask(phone, first.url);
    expect([answer.status, answer.fingerprint]).toEqual([200, printed]);
    expect((await ask(phone, first.url.replace('https', 'http'))).status).not.toBe(200);
    const body = JSON.stringify({ code: new URL(first.pairUrl).hash.replace('#pair=', '') });
    const paired = await ask(phone, `${first.url}api/pair`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        origin: new URL(first.url).origin,
      },
      body,
    });
    expect(String(paired.headers['set-cookie'])).toMatch(/^__Host-conductor=.*; Secure/);
    first.server.kill('SIGTERM');
    await first.server.done;
    // The next server has the same certificate: a browser that compared the fingerprint need not do it again.
    const second = await serve(scene, here, '--lan', '--host', '2001:db8::1', '--tls');
    expect((await ask(phone, second.url)).status).toBe(200);
    const third = await serve(scene, here, '--lan', 'lan0', '--tls');
    expect((await ask(phone, third.url)).fingerprint).toBe(printed);
    for (const { server } of [second, third]) server.kill('SIGTERM');
    await Promise.all([second.server.done, third.server.done]);
  });

  test('opens nothing without a choice', async ({ openScene, network: { here } }) => {
    const scene = await openScene();
    const refused = async (...args: readonly string[]) => {
      const { code, stderr } = await scene.cli.start(['serve', '--port', '0', ...args], { through: here })
        .done;
      expect([args, code]).toEqual([args, 2]);
      return stderr;
    };
    expect(await refused('--lan')).toMatch(
      /without a terminal[\s\S]*192\.0\.2\.1 \(lan0\).*198\.51\.100\.1 \(office0\)/,
    );
    expect(await refused('--host', '192.0.2.1')).toContain('add --lan if you want that');
    expect(await refused('--lan', 'wlan0')).toContain('no network interface is called "wlan0"');
    expect(await refused('--lan', '--host', '0.0.0.0')).toContain('would open every network');
    expect(await refused('--lan', '--host', '192.0.2.2')).toContain('is no address of this machine');
  });
});

// Stands in for the programs of agents: `node fake-agent.mjs PROTOCOL BEHAVIOUR …`. The rest of the command line is what
// the adapter adds. Each protocol says the same things in its own words.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , protocol, behaviour, ...args] = process.argv;
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const session = 'session-of-a-test';

const claude = {
  begin: () => print({ type: 'system', subtype: 'init', session_id: session, model: 'fake' }),
  say: (text) => print({ type: 'assistant', message: { content: [{ type: 'text', text }] } }),
  use: (command, output) => {
    const input = { command };
    print({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input }] } });
    print({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content: output }] },
    });
  },
  end: (result) => {
    claude.say(result);
    const usage = { input_tokens: 10, cache_read_input_tokens: 2, output_tokens: 3 };
    print({ type: 'result', subtype: 'success', is_error: false, result, usage, permission_denials: [] });
  },
  fail: (result) => {
    print({ type: 'result', subtype: 'success', is_error: true, api_error_status: 500, result });
    process.exitCode = 1;
  },
};

const codex = {
  begin: () => {
    print({ type: 'thread.started', thread_id: session });
    print({ type: 'turn.started' });
  },
  say: (text) => print({ type: 'item.completed', item: { id: 'a', type: 'agent_message', text } }),
  use: (command, output) => {
    const item = { id: 'b', type: 'command_execution', command, aggregated_output: output, exit_code: 0 };
    print({ type: 'item.started', item: { ...item, status: 'in_progress' } });
    print({ type: 'item.completed', item: { ...item, status: 'completed' } });
  },
  end: (text) => {
    codex.say(text);
    print({ type: 'turn.completed', usage: { input_tokens: 12, output_tokens: 3 } });
  },
  fail: (message) => {
    print({ type: 'turn.failed', error: { message } });
    process.exitCode = 1;
  },
};

const command = {
  begin: () => console.log('starts'),
  say: (text) => console.log(text),
  use: (line, output) => console.log(`${line}\n${output}`),
  end: (final) => {
    console.log(final);
    const result = { final, usage: { input_tokens: 12, output_tokens: 3 } };
    writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(result));
  },
  fail: (message) => {
    console.error(message);
    process.exitCode = 1;
  },
};

let messages = 0;
let promptId = null;
const reply = (id, result) => print({ jsonrpc: '2.0', id, result });
const acp = {
  begin: () => undefined,
  update: (sessionUpdate, fields) =>
    print({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: session, update: { sessionUpdate, ...fields } },
    }),
  say: (text) => {
    messages += 1;
    acp.update('agent_message_chunk', { messageId: `m${messages}`, content: { type: 'text', text } });
  },
  use: (line, output) => {
    const call = { toolCallId: 't', title: line, kind: 'execute', rawInput: { command: line } };
    acp.update('tool_call', { ...call, status: 'pending' });
    const content = [{ type: 'content', content: { type: 'text', text: output } }];
    acp.update('tool_call_update', { toolCallId: 't', status: 'completed', content });
  },
  end: (text) => {
    acp.say(text);
    const usage = { inputTokens: 10, cachedReadTokens: 2, outputTokens: 3, totalTokens: 15 };
    reply(promptId, { stopReason: 'end_turn', usage });
  },
  fail: (message) => {
    print({ jsonrpc: '2.0', id: promptId, error: { code: -32603, message } });
    process.exitCode = 1;
  },
  /** The prompt comes when both have greeted each other. */
  prompt: () =>
    new Promise((done) => {
      const lines = createInterface({ input: process.stdin });
      lines.on('line', (text) => {
        const { id, method, params } = JSON.parse(text);
        if (method === 'initialize') reply(id, { protocolVersion: 1 });
        if (method === 'session/new') reply(id, { sessionId: session });
        if (method !== 'session/prompt') return;
        promptId = id;
        done(params.prompt[0].text);
      });
    }),
};

const speak = { 'claude-code': claude, codex, command, acp }[protocol];
const prompt = protocol === 'acp' ? await acp.prompt() : readFileSync(0, 'utf8');

const BEHAVIOURS = {
  completes: () => {
    writeFileSync('work.txt', prompt);
    writeFileSync('seen.json', JSON.stringify({ cwd: process.cwd(), args, env: process.env }));
    speak.say('I write a file.');
    speak.use('touch work.txt', 'touched');
    speak.end('Done.');
  },
  names_variables: () => {
    writeFileSync('names.txt', `${Object.keys(process.env).sort().join('\n')}\n`);
    speak.end('Done.');
  },
  // Says something, and continues when there is a file of that name.
  waits: () => {
    speak.say('I wait for go.txt.');
    const timer = setInterval(() => {
      if (!existsSync(process.env.FAKE_AGENT_GO)) return;
      clearInterval(timer);
      speak.end('Done.');
    }, 20);
  },
  fails: () => speak.fail('boom'),
  crashes: () => {
    speak.say('Done.');
    process.exitCode = 3;
    process.stdin.destroy();
  },
  babbles: () => void setInterval(() => speak.say('and on'), 20),
  idles: () => void setInterval(() => undefined, 60_000),
  leaves_daemon: () => {
    const sleeper = ['-e', 'setInterval(() => undefined, 1000)'];
    spawn(process.execPath, sleeper, { detached: true, stdio: 'ignore' }).unref();
    speak.end('Done.');
  },
  prints_garbage: () => {
    process.stdout.write(Buffer.from([0x00, 0xff, 0xfe, 0x0a]));
    process.stdout.write('{"type":"result","is_err\n[[[[\n"\\ud800"\nnull\n{"type":{}}\n');
    speak.end('Done.');
    process.stderr.write('odd\0words\n');
  },
  floods: () => {
    const line = 'x'.repeat(1_000);
    for (let count = 0; count < 3_000; count += 1) speak.say(line);
    speak.end('Done.');
  },
  // Puts links in the place of what is written about it.
  tampers: () => {
    speak.say('Before.');
    const folder = dirname(process.env.CONDUCTOR_INPUTS);
    for (const name of readdirSync(folder).filter((each) => /^(?:transcript|stream)/.test(each))) {
      rmSync(join(folder, name));
      symlinkSync('/etc/hostname', join(folder, name));
    }
    speak.end('Done.');
  },
  tells_secrets: () => {
    const { SECRET_OF_TEST_KEY: secret } = process.env;
    speak.say(`the key is ${secret}`);
    speak.use(`curl -H 'x: ${secret}'`, `sent ${secret}`);
    process.stderr.write(`${secret}\n`);
    speak.end(`Used ${secret}.`);
  },
};

speak.begin();
BEHAVIOURS[behaviour]();

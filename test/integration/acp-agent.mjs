// A small agent that speaks ACP, and does what its argument says.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [behaviour = 'works'] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionUpdate, fields) =>
  send({ method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate, ...fields } } });
const say = (text) => update('agent_message_chunk', { content: { type: 'text', text } });
let promptId = null;
const finish = (stopReason) =>
  send({
    id: promptId,
    result: { stopReason, usage: { inputTokens: 30, outputTokens: 5, totalTokens: 35 } },
  });

const QUESTIONS = {
  strays: { title: 'Write config', kind: 'edit', locations: [{ path: '/etc/conductor-test' }] },
  deploys: { title: 'Deploy', kind: 'other' },
};
const ASK = {
  title: 'Write a.txt',
  kind: 'edit',
  content: [{ type: 'diff', path: 'a.txt', newText: 'hello\n' }],
};

function work() {
  update('tool_call', { toolCallId: 't1', title: 'Write', kind: 'edit', status: 'pending', rawInput: {} });
  const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: `my-${kind}`, kind, name: kind }));
  const toolCall = { toolCallId: 't1', ...(QUESTIONS[behaviour] ?? ASK) };
  send({
    id: 'ask-1',
    method: 'session/request_permission',
    params: { sessionId: 's1', toolCall, options },
  });
}

function answered({ result }) {
  const isAllowed = result?.outcome?.optionId === 'my-allow_once';
  if (isAllowed) writeFileSync('a.txt', 'hello\n');
  update('tool_call_update', { toolCallId: 't1', status: isAllowed ? 'completed' : 'failed' });
  say(behaviour === 'blabs' ? `my key is ${process.env.MY_API_KEY}` : 'Wrote it.');
  finish('end_turn');
}

function prompted() {
  switch (behaviour) {
    case 'dies':
      process.stderr.write('out of cheese\n');
      process.exit(3);
      return;
    case 'hangs':
      update('tool_call', { toolCallId: 't0', title: 'Look', kind: 'read', rawInput: { path: '.' } });
      return;
    case 'quiet':
      writeFileSync('a.txt', 'hello\n');
      finish('end_turn');
      return;
    case 'shrugs':
      finish('end_turn');
      return;
    case 'refuses':
      finish('refusal');
      return;
    case 'noise':
      process.stdout.write('hello there\n{"jsonrpc": "2.0", "meth\n\0\0\n[1,2]\n');
      process.stdout.write(`{"x":"${'y'.repeat(9 * 1024 * 1024)}"}\n`);
      break;
    case 'daemon':
      spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref();
      break;
  }
  work();
}

function receive(message) {
  switch (message.method) {
    case 'initialize':
      if (behaviour === 'mute') return;
      send({ id: message.id, result: { protocolVersion: behaviour === 'newer' ? 2 : 1 } });
      return;
    case 'session/new':
      if (behaviour === 'login')
        send({ id: message.id, error: { code: -32000, message: 'Authentication required' } });
      else send({ id: message.id, result: { sessionId: 's1' } });
      return;
    case 'session/prompt':
      promptId = message.id;
      prompted();
      return;
    case 'session/cancel':
      writeFileSync('cancelled.txt', 'asked to end\n');
      if (behaviour === 'hangs') finish('cancelled');
      return;
    default:
      if (message.id === 'ask-1') answered(message);
  }
}

// One that does not go by itself, and does not go when it is asked.
if (behaviour === 'lingers') {
  setInterval(() => undefined, 1_000);
  process.on('SIGTERM', () => undefined);
}
createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));

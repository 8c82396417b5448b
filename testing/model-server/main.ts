import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { modelScriptSchema } from './model-script.ts';
import { createModelServer } from './model-server.ts';

const USAGE = `node dist/lib/model-server.js SCRIPT.json [--port N]

Answers as the script says, on loopback, until it is ended. A script maps scenarios to steps, and a scenario is chosen
by the address: http://127.0.0.1:PORT/s/<scenario>, with /v1/messages, /v1/responses, /v1/chat/completions
or /v1beta/models/MODEL:generateContent after it.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, help: { type: 'boolean', default: false } },
});
const [path] = positionals;
if (values.help || path === undefined) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const script = modelScriptSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
if (!script.success) {
  process.stderr.write(`${path} is no script of a model: ${script.error.issues[0]?.message ?? ''}\n`);
  process.exit(2);
}
const { url } = await createModelServer(script.data, Number(values.port));
process.stdout.write(`${JSON.stringify({ url, pid: process.pid })}\n`);

// The agent of the generative pattern: it writes a harness where it was told to, and later fixes what that found.
import { chmodSync, writeFileSync } from 'node:fs';

const harness = `#!/usr/bin/env node
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const [, , flag, target] = process.argv;
if (flag !== '--report') process.exit(64);
const right = readFileSync('answer.txt', 'utf8').trim() === '42';
const status = right ? 'passed' : 'failed';
mkdirSync('logs', { recursive: true });
writeFileSync('logs/answer.log', 'the answer is ' + status + '\\n');
mkdirSync('screenshots/page', { recursive: true });
writeFileSync('screenshots/page/answer.png', Buffer.from('89504e470d0a1a0a', 'hex'));
writeFileSync(target, JSON.stringify({
  suite_id: 'answers', version: '1.0.0', generated_at: new Date().toISOString(),
  cases: [{ id: 'answer', kind: 'cli', status, repro: 'cat answer.txt', observations: [], artifacts: ['logs/answer.log'] }],
  summary: { passed: right ? 1 : 0, failed: right ? 0 : 1, flaky: 0, duration_ms: 1 },
  ...(right ? { proposed_goldens: [{ id: 'g', golden_path: 'golden.txt', proposed_path: 'logs/answer.log', kind: 'text', diff_ref: 'logs/answer.log' }] } : {}),
}));
process.exit(right ? 0 : 1);
`;

switch (process.env.CONDUCTOR_STEP_ID) {
  case 'synthesize': {
    const path = `.tnh/run/${process.env.CONDUCTOR_RUN_ID}/harness/harness.py`;
    writeFileSync(path, harness);
    chmodSync(path, 0o755);
    console.log('Wrote a harness for the answer.');
    break;
  }
  case 'fix':
    writeFileSync('answer.txt', '42\n');
    console.log('Fixed the answer.');
    break;
  default:
    process.exit(64);
}

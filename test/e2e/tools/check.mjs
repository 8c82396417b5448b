// The tests of the scenes' repository: they pass when the answer is right.
import { readFileSync } from 'node:fs';

const answer = readFileSync('answer.txt', 'utf8').trim();
console.log(`the answer is ${answer}`);
process.exitCode = answer === '42' ? 0 : 1;

// A stand-in for a coding agent: a real process that reads its task, edits files and says what it did.
// Like many an agent it is too sure of itself at first.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { fix_instructions: instructions } = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
const file = 'src/slug.js';
const source = readFileSync(file, 'utf8');

const say = async (line) => {
  console.log(line);
  await pause(250);
};

if (instructions === null) {
  await say(`reading ${file}`);
  await say('only the first space is replaced; using a global pattern');
  writeFileSync(file, source.replace("replace(' ', '-')", "replace(/ /g, '-')"));
  await say('Fixed the slug function. All tests pass.');
} else {
  await say(`the evaluation asks: ${instructions.objective}`);
  for (const edit of instructions.edits) await say(`looking at ${edit.target}: ${edit.rationale}`);
  writeFileSync(
    file,
    source.replace("replace(/ /g, '-')", "replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')"),
  );
  await say('Fixed: everything that is not a letter or digit now becomes one dash.');
}

// What every agent of this example needs: its inputs, and a way to give something back.
import { readFileSync, writeFileSync } from 'node:fs';

export const inputs = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));

/** Inputs that are not text are JSON. */
export const input = (name) => (inputs[name] === undefined ? null : JSON.parse(inputs[name]));

export function give(result) {
  writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(result));
}

// Makes a process of conductor find the optional peers pg and pg-boss in this folder: `node --import` loads it first.
import { register } from 'node:module';

if (import.meta.url.endsWith('?hook') === false) register(`${import.meta.url}?hook`);

const PEERS = ['pg', 'pg-boss'];

export function resolve(name, context, next) {
  return next(name, PEERS.includes(name) ? { ...context, parentURL: import.meta.url } : context);
}

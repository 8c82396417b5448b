import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('one space becomes a dash', () => {
  assert.equal(slug('Hello World'), 'hello-world');
});

test('every space becomes a dash', () => {
  assert.equal(slug('To be or not'), 'to-be-or-not');
});

test('what is not a letter or digit is dropped', () => {
  assert.equal(slug('Ready? Set! Go.'), 'ready-set-go');
});

import { describe, expect, test } from 'vitest';
import {
  addressOf,
  findRejection,
  nameEndpoint,
  parseHeaders,
} from '../../../src/telemetry/otlp-exchange.ts';

describe('headers are read as in OTEL_EXPORTER_OTLP_HEADERS', () => {
  test.each<[string, Readonly<Record<string, string>> | null]>([
    ['authorization=Bearer%20abc', { authorization: 'Bearer abc' }],
    ['X-One=1, x-two = 2 ,', { 'x-one': '1', 'x-two': '2' }],
    ['key=a=b', { key: 'a=b' }],
    ['key=', { key: '' }],
    ['', null],
    [' , ', null],
    ['no-value', null],
    ['=value', null],
    ['two words=1', null],
    ['key=a%0d%0aX: 1', null],
    ['key=%ff', null],
    ['key=%', null],
  ])('%j', (text, expected) => {
    expect(parseHeaders(text)).toEqual(expected);
  });
});

describe('an answer that drops a part of a request is found', () => {
  test.each<[string, string | null]>([
    ['', null],
    ['{}', null],
    ['not JSON', null],
    ['[]', null],
    ['{"partialSuccess":{}}', null],
    ['{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a hint"}}', null],
    ['{"partialSuccess":{"rejectedSpans":"3"}}', 'rejected 3 items'],
    ['{"partialSuccess":{"rejectedDataPoints":1,"errorMessage":"too old"}}', 'rejected 1 items: too old'],
  ])('%j', (body, expected) => {
    expect(findRejection(body)).toBe(expected);
  });
});

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
  ['https://otlp.example/otlp', 'https://otlp.example/otlp/v1/traces'],
])('the address of %s for traces is %s', (endpoint, expected) => {
  expect(addressOf(endpoint, 'traces')).toBe(expected);
});

test('the name of an endpoint shows neither its path nor more', () => {
  expect(nameEndpoint('https://otlp.example:4318/secret/path')).toBe('telemetry:otlp.example:4318');
});

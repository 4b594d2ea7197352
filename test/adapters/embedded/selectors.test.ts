import { describe, expect, it } from 'vitest';
import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '../../../src/adapters/embedded/selectors.ts';

describe('label selectors', () => {
  const labels = { app: 'web', 'hakopod.io/service': 'api', empty: '' };

  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=api', false],
    ['app!=api', true],
    ['missing!=x', true],
    ['app in (api,web)', true],
    ['app in (api)', false],
    ['app notin (api, web)', false],
    ['missing notin (x)', true],
    ['missing in (x)', false],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['!app', false],
    ['empty=', true],
    ['app=web,hakopod.io/service in (api,web),!missing', true],
    ['app=web,hakopod.io/service=other', false],
  ])('%s', (selector, expected) => {
    expect(matchesLabels(parseLabelSelector(selector)!, labels)).toBe(expected);
  });

  it.each(['a in b', 'a in (b', '=x', 'a=b c', 'a,,b', 'a=-', '-a', '!'])('refuses %s', (selector) => {
    expect(parseLabelSelector(selector)).toBeUndefined();
  });
});

describe('field selectors', () => {
  const object = { metadata: { name: 'a' }, spec: { on: true, count: 3 } };

  it.each([
    ['metadata.name=a', true],
    ['metadata.name==b', false],
    ['metadata.name!=b,spec.on=true', true],
    ['spec.count=3', true],
    ['spec.missing=', true],
    ['spec.missing=x', false],
  ])('%s', (selector, expected) => {
    expect(matchesFields(parseFieldSelector(selector)!, object)).toBe(expected);
  });

  it('refuses a term without a comparison', () => {
    expect(parseFieldSelector('metadata.name')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { commentCommand } from '../../src/kernel/index.ts';

describe('commentCommand', () => {
  it.each([
    ['hakopod plan', { kind: 'plan' }],
    ['/hakopod deploy', { kind: 'deploy' }],
    ['  Hakopod  Deploy  \r\nplease', { kind: 'deploy' }],
    ['hakopod deploy 0123ABC', { kind: 'deploy', commit: '0123abc' }],
    ['hakopod deploy 0123ab', undefined],
    ['hakopod deploy main', undefined],
    ['hakopod deploy now', undefined],
    ['hakopod', undefined],
    ['\n \r\n   hakopod deploy', { kind: 'deploy' }],
    ['> hakopod deploy', undefined],
    ['    hakopod deploy', undefined],
    ['\n\n    hakopod deploy\n', undefined],
    ['\thakopod deploy', undefined],
    ['```\nhakopod deploy\n```', undefined],
    ['`hakopod deploy`', undefined],
    ['`hakopod deploy`: approved at 0123abc for shop.', undefined],
    ['<!-- hakopod:command -->\nhakopod deploy', undefined],
    ['- hakopod deploy', undefined],
    ['we could run hakopod deploy', undefined],
    ['hello\nhakopod deploy', undefined],
    ['', undefined],
  ])('%j', (body, command) => {
    expect(commentCommand(body)).toEqual(command);
  });
});

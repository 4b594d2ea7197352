import { expect, test } from 'vitest';
import { maskedLine } from '../../src/spec/index.ts';

test.each([
  ['a = "secret"', 1, 'a = ***'],
  ['  a.b = 1 # secret', 1, '  a.b = ***'],
  ['[services.web] # secret', 1, '[services.web]'],
  ['[[ a . "b" ]]', 1, '[[ a . "b" ]]'],
  ['"a b" = 1', 1, '"a b" = ***'],
  ['a = { b = "secret" }', 1, 'a = ***'],
  ['# secret = 1', 1, '***'],
  ['secret', 1, '***'],
  ['key: secret = 1', 1, '***'],
  ['key secret = 1', 1, '***'],
  ['[secret', 1, '***'],
  ['a = """\nsecret = 1\n"""\nb = 2', 2, '***'],
  ["a = '''\n[secret]\n'''\nb = 2", 2, '***'],
  ["a = '''\n[secret]\n'''\nb = 2", 4, 'b = ***'],
  ['a = [\n["secret"],\n]\nb = 2', 2, '***'],
  ['a = [\n["secret"],\n]\nb = 2', 4, 'b = ***'],
  ['a = {\nsecret = 1\n}', 2, '***'],
  ['a = "unclosed\nb = 2', 2, 'b = ***'],
  ['a = "]"\nb = [1] # [\nc = 2', 3, 'c = ***'],
  ['[a]\n[b."["]\nc = 2', 3, 'c = ***'],
  ['\ufeffa = 1', 1, 'a = ***'],
  ['a = 1\r\nb = 2\r\n', 2, 'b = ***'],
  ['"\u202e" = 1', 1, '"?" = ***'],
  [`${'a'.repeat(200)} = 1`, 1, '***'],
  ['a = 1\n\nb = 2', 2, ''],
  ['a = 1', 9, ''],
  ['', 1, ''],
])('%j line %i is shown as %j', (text, line, shown) => {
  expect(maskedLine(text, { line, column: 1 })).toBe(shown);
});

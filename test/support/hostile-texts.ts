const SIZE = 262_144;
const HEAD = 'name="a"\n[services.web]\nimage="a"\n';
const fill = (head: string, line: (i: number) => string): string => {
  const lines = [head];
  for (let i = 0, size = head.length; ; i += 1) {
    const next = `${line(i)}\n`;
    size += next.length;
    if (size > SIZE) return lines.join('');
    lines.push(next);
  }
};

/** Texts of nearly 256 KiB that make a careless reader slow, or take more memory than the text is worth. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'many services': fill('name="a"\n', (i) => `[services.s${i}]`),
  'many unknown keys': fill(HEAD, (i) => `x${i}=1`),
  'many variables': fill(`${HEAD}[services.web.env]\n`, (i) => `A${i}=""`),
  'many ports': fill(HEAD, () => '[[services.web.ports]]'),
  'many elements': `${HEAD}args=[${'1,'.repeat(125_000)}]`,
  'a long service name': fill(`name="a"\n[services.${'x'.repeat(100_000)}]\n`, (i) => `x${i}=1`),
  'a long header again and again': fill('name="a"\n[services]\n', (i) => `[services.web.a${i}.${'x'.repeat(1000)}]`),
  'deep dotted keys': `name="a"\n${'a.'.repeat(125_000)}a=1`,
  'many dotted keys': fill('name="a"\n', (i) => `services.a${i}.b.c=1`),
  'many unsafe keys': fill(HEAD, (i) => `[services.a${i}."__proto__"]`),
  'many newlines': `${'\n'.repeat(250_000)}x`,
  'half a key header': `${HEAD}env.A="${'-----BEGIN '.repeat(370)}"`,
  'a long path': `${HEAD}port=1\nhealthcheck="/${'%'.repeat(200_000)}"`,
  'a long port name': `${HEAD}[[services.web.ports]]\nport=1\nname="${'a-'.repeat(100_000)}"`,
  'nested lists': `${HEAD}args=${'['.repeat(125_000)}${']'.repeat(125_000)}`,
  'nested tables': `${HEAD}env=${'{a='.repeat(80_000)}`,
  'lists of empty lists': `${HEAD}args=[${'[],'.repeat(85_000)}]`,
  'lists of empty tables': `${HEAD}ports=[${'{},'.repeat(85_000)}]`,
  'tables of one table': fill(HEAD, (i) => `[services.web.env.a${i}]`),
  'one key again and again': fill(`${HEAD}[services.web.env]\n`, () => 'A=""'),
  'keys of objects': fill(HEAD, (i) => `constructor.prototype.a${i} = 1`),
  'a long text': `${HEAD}env.A="${'é'.repeat(130_000)}"`,
  'a text of escapes': `${HEAD}env.A="${'\\u0041'.repeat(43_000)}"`,
  'a text of quotes': `${HEAD}env.A=""${'"a'.repeat(125_000)}""`,
  'an open text': `${HEAD}env.A="""${'\\\n'.repeat(125_000)}`,
  'a long number': `${HEAD}port=${'9'.repeat(250_000)}`,
  'a number of parts': `${HEAD}port=${'1_'.repeat(125_000)}1`,
  comments: fill(HEAD, () => '#'),
  'a long comment': `${HEAD}#${'a'.repeat(262_000)}`,
  'Windows lines': `${HEAD}${'\r\n'.repeat(130_000)}x`,
  zeros: `${HEAD}${'\0'.repeat(262_000)}`,
  'lone surrogates': `${HEAD}env.A="${'\ud800'.repeat(85_000)}"`,
  marks: `${'\ufeff'.repeat(85_000)}`,
  'services with many variables': fill('name="a"\n', (i) =>
    i < 20
      ? `[services.s${i}]\nimage="a"\nenv={${Array.from({ length: 128 }, (_, j) => `A${j}="${'x'.repeat(80)}"`)}}`
      : '#',
  ),
  'many dependencies': fill('name="a"\n', (i) => `[services.s${i}]\nimage="a"\ndepends_on=["s${i + 1}"]`),
  'many references': `${HEAD}depends_on=[${'"a",'.repeat(60_000)}]`,
  'many networks': fill(`${HEAD}[networks]\n`, (i) => `n${i}={}`),
  'many domains': fill(`${HEAD}[domains]\n`, (i) => `"a${i}.example.com"="web"`),
  'a long schedule': `${HEAD}job.schedule.cron="${'*/1,'.repeat(60_000)}"`,
  'a long image': `name="a"\n[services.web]\nimage="${'a@'.repeat(120_000)}"`,
  'many env files': `${HEAD}env_file=[${Array.from({ length: 25_000 }, (_, i) => `"f${i}"`)}]`,
  'a long env file path': `${HEAD}env_file="${'a/'.repeat(120_000)}"`,
  'a long host': `${HEAD}[domains]\n"${'a.'.repeat(100_000)}"="web"`,
};

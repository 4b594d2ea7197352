import { defineConfig } from 'vitest/config';

// `vitest run` is the quick suite of `npm test`; HAKOPOD_TEST_SUITE=slow chooses what takes longer than a cup of tea is warm.
const isSlow = process.env.HAKOPOD_TEST_SUITE === 'slow';

export default defineConfig({
  test: {
    include: isSlow ? ['test/**/*.slow.test.ts'] : ['test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/bench/**', 'node_modules/**', ...(isSlow ? [] : ['test/**/*.slow.test.ts'])],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});

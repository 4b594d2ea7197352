import { defineConfig } from 'vitest/config';

// `npm run test:cluster`: the suites that a real Kubernetes API server has to pass as well, and those only real pods can show.
export default defineConfig({
  test: {
    include: [
      'test/cluster/**/*.test.ts',
      'test/adapters/*/real.test.ts',
      'test/adapters/embedded/oracle.test.ts',
      'test/patch/schema.test.ts',
    ],
    globalSetup: ['test/cluster/global-setup.ts'],
    // One cluster, few cores: files take turns.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    pool: 'forks',
  },
});

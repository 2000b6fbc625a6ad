import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Started by hand, Vitest takes the first Node on the path, which need not be the repository's own.
if (Number(process.versions.node.split('.')[0]) < 24) throw new Error(`the tests need Node 24, this is ${process.version}: use \`npm test -- PATH\``)

const inBrowser = ['packages/dashboard/test/**/*.test.ts']

export default defineConfig({
  test: {
    // Files share a worker and its loaded modules: 40 files that load Fastify, Kysely and pg took 0.9 s so and 20 s apart. It holds because
    // nothing of ours keeps state in a module; a test that needs a process of its own starts one.
    pool: 'threads',
    isolate: false,
    // Node itself loads the files, as it does in production.
    experimental: { viteModuleRunner: false },
    // .ci/run counts from the file.
    reporters: ['default', ['json', { outputFile: '.cache/test-results.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: inBrowser,
          globalSetup: ['packages/server/test/postgres/shared-postgres.ts'],
          // One more than the cores of a small machine: many tests wait for timers and for other processes.
          maxWorkers: Math.max(3, availableParallelism()),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: inBrowser,
          globalSetup: ['packages/dashboard/test/global-setup.ts'],
          // After all other tests: a browser is five processes, which starve beside those of PostgreSQL on two cores.
          maxWorkers: 2,
          testTimeout: 60_000,
          expect: { poll: { timeout: 25_000 } },
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

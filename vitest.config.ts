import { defineConfig } from 'vitest/config'

// Started by hand, Vitest takes the first Node on the path, which need not be the repository's own.
if (Number(process.versions.node.split('.')[0]) < 24) throw new Error(`the tests need Node 24, this is ${process.version}: use \`npm test -- PATH\``)

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // The browser tests of the dashboard are not steady enough yet to stand in everybody's way; they run when they are named.
    exclude: process.argv.some((argument) => argument.startsWith('packages/dashboard/test')) ? [] : ['packages/dashboard/test/**'],
    globalSetup: ['packages/server/test/postgres/shared.ts'],
    // Files share a worker and its loaded modules: 40 files that load Fastify, Kysely and pg took 0.9 s so and 20 s apart. It holds because
    // nothing of ours keeps state in a module; a test that needs a process of its own starts one.
    pool: 'threads',
    isolate: false,
    maxWorkers: '100%',
    // Node itself loads the files, as it does in production.
    experimental: { viteModuleRunner: false },
    // .ci/run counts from the file.
    reporters: ['default', ['json', { outputFile: '.cache/test-results.json' }]],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})

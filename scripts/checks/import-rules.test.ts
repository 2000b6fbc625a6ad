import { describe, expect, test } from 'vitest'
import { readSource, repositoryRoot } from '../repository.ts'
import { createTemporaryTree } from '../temporary-tree.ts'
import { describeAllowedImports, importViolations } from './import-rules.ts'

const S = 'packages/server/src'

/** One file of each room. Each test adds more. */
const clean = {
  'packages/contracts/src/state.ts': "import Type from 'typebox'\n",
  [`${S}/lib/time.ts`]: '',
  [`${S}/errors.ts`]: '',
  [`${S}/config.ts`]: "import './config/settings.ts'\nimport './lib/time.ts'\n",
  [`${S}/config/settings.ts`]: '',
  [`${S}/storage/dialect.ts`]: "import 'kysely'\n",
  [`${S}/storage/sqlite/connect.ts`]: "import '../dialect.ts'\nimport 'node:sqlite'\n",
  [`${S}/events/outbox.ts`]: "import '../storage/dialect.ts'\n",
  [`${S}/orchestration/rule.ts`]: "import type { State } from '@millrace/contracts/state.ts'\nimport '../lib/time.ts'\n",
  [`${S}/domains/flows/store.ts`]: "import 'kysely'\nimport '../../events/outbox.ts'\n",
  [`${S}/domains/flows/events.ts`]: '',
  [`${S}/domains/flows/routes.ts`]: "import './events.ts'\nimport './store.ts'\nimport '../../orchestration/rule.ts'\n",
  [`${S}/http/auth.ts`]: "import '../errors.ts'\n",
  [`${S}/services/late-runs.ts`]: "import '../domains/flows/store.ts'\n",
  [`${S}/app.ts`]:
    "import './domains/flows/routes.ts'\nimport './storage/sqlite/connect.ts'\nimport './services/late-runs.ts'\nimport './http/auth.ts'\n",
  [`${S}/main.ts`]: "import './app.ts'\n",
  'packages/cli/src/local/z.ts': "import '@millrace/server/app.ts'\n",
  'packages/cli/src/commands/z.ts': "await import('../local/z.ts')\n",
  'packages/dashboard/src/flow.ts': "import '@millrace/contracts/state.ts'\n",
  'scripts/tool.ts': "import '../packages/server/src/app.ts'\n",
}

const violations = (files: Record<string, string> = {}) => importViolations(createTemporaryTree({ ...clean, ...files }))

test('a tree that follows the rules has no violations', () => {
  expect(violations()).toEqual([])
})

describe('reports', () => {
  test.each([
    [`${S}/lib/clock.ts`, "import '../config.ts'", '../config.ts: lib may not import this room'],
    [`${S}/orchestration/ask.ts`, "import { x } from '../storage/dialect.ts'", '../storage/dialect.ts: orchestration may not import this room'],
    [`${S}/orchestration/type.ts`, "import type { X } from '../errors.ts'", '../errors.ts: orchestration may not import this room'],
    [`${S}/storage/up.ts`, "import '../events/outbox.ts'", '../events/outbox.ts: storage may not import this room'],
    [`${S}/http/data.ts`, "import '../storage/dialect.ts'", '../storage/dialect.ts: http may not import this room'],
    [`${S}/domains/flows/app.ts`, "export { x } from '../../http/auth.ts'", '../../http/auth.ts: domains may not import this room'],
    [`${S}/domains/flows/lazy.ts`, "await import('../../services/late-runs.ts')", '../../services/late-runs.ts: domains may not import this room'],
    [`${S}/domains/runs/use.ts`, "import '../flows/events.ts'", '../flows/events.ts: routes.ts and events.ts are private to their domain'],
    [`${S}/domains/flows/raw.ts`, "import '../../storage/sqlite/connect.ts'", '../../storage/sqlite/connect.ts: dialects stay behind the seam'],
    [`${S}/services/sql.ts`, "import { sql } from 'kysely'", 'kysely: SQL stays in stores'],
    [`${S}/http/sql.ts`, "import pg from 'pg'", 'pg: SQL stays in stores'],
    ['packages/contracts/src/node.ts', "import 'node:fs'", 'node:fs: contracts import typebox only'],
    ['packages/dashboard/src/server.ts', "import '@millrace/server/config.ts'", '@millrace/server/config.ts: dashboard may not import this room'],
    [
      'packages/dashboard/src/folder.ts',
      "import '../../contracts/src/state.ts'",
      '../../contracts/src/state.ts: imports another package by path instead of by name',
    ],
    ['packages/cli/src/commands/x.ts', "import '@millrace/server/app.ts'", '@millrace/server/app.ts: cli may not import this room'],
    ['packages/cli/src/commands/y.ts', "import '../local/z.ts'", '../local/z.ts: loads the server with every command: import it where it is used'],
    [`${S}/lib/gone.ts`, "import './nowhere.ts'", `./nowhere.ts: no such file: ${S}/lib/nowhere.ts`],
  ])('%s with %s', (path, text, violation) => {
    expect(violations({ [path]: `${text}\n` })).toEqual([`${path}:1: ${violation}`])
  })

  test('a test file that production code imports', () => {
    const files = { [`${S}/lib/time.test.ts`]: '', [`${S}/lib/uses.ts`]: "import './time.test.ts'\n" }
    expect(violations(files)).toEqual([`${S}/lib/uses.ts:1: ./time.test.ts: imports a test file`])
  })

  test('a room without an import rule', () => {
    expect(violations({ [`${S}/plugins/x.ts`]: '' })).toEqual([
      `${S}/plugins/x.ts: no import rule for the room "plugins": add one to scripts/checks/import-rules.ts`,
    ])
  })

  test('an import cycle, also of types', () => {
    const files = {
      [`${S}/lib/a.ts`]: "import './b.ts'\n",
      [`${S}/lib/b.ts`]: "import type { C } from './c.ts'\n",
      [`${S}/lib/c.ts`]: "import './time.ts'\nimport './a.ts'\n",
    }
    expect(violations(files)).toEqual([`import cycle: ${S}/lib/a.ts → ${S}/lib/b.ts → ${S}/lib/c.ts → ${S}/lib/a.ts`])
  })

  test('an import cycle that a lazy import closes', () => {
    const files = { [`${S}/lib/a.ts`]: "import './b.ts'\n", [`${S}/lib/b.ts`]: "export const load = () => import('./a.ts')\n" }
    expect(violations(files)).toEqual([`import cycle: ${S}/lib/a.ts → ${S}/lib/b.ts → ${S}/lib/a.ts`])
  })

  test('a file whose imports cannot be read', () => {
    expect(() => violations({ [`${S}/lib/odd.ts`]: "import x = require('x')\n" })).toThrow(`${S}/lib/odd.ts: 1 import statements`)
  })
})

test('test files may import anything', () => {
  expect(
    violations({ [`${S}/lib/time.test.ts`]: "import '../app.ts'\n", 'packages/server/test/setup.ts': "import '../src/storage/sqlite/connect.ts'\n" }),
  ).toEqual([])
})

test('ARCHITECTURE.md shows the checked list', () => {
  expect(readSource(repositoryRoot, 'ARCHITECTURE.md')).toContain(`\`\`\`text\n${describeAllowedImports()}\n\`\`\``)
})
